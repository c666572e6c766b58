// SPDX-License-Identifier: Apache-2.0
// Simulates samples of a problem whose trials may differ by [[axis]] and variants: those that share a model are
// simulated together. A problem without these is one group.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "src/map/fallback.hpp"
#include "src/map/map_options.hpp"

namespace pegrasp {

// Which sample of the problem a row of the map is.
using SampleNumber = std::function<std::size_t(std::size_t row)>;

// Trials with the same model, options and distributions; where the problem has changes (SceneChanges), with the same
// before these.
struct CellGroup {
  // grasps: some of the problem's cells, of which its sampler knows; null: all.
  CellGroup(const Problem& of_group, const GraspRange* grasps);

  const Problem& problem;
  StepOptions step;  // derived, for maps
  Sampler sampler;
  std::shared_ptr<const Model> model;           // null until it is asked for
  std::unique_ptr<ReferenceFallback> fallback;  // the same
};

class CellGroups {
 public:
  // The problem outlives it. Compiles the model of the first group, or of all for a fallback, which may refuse them.
  CellGroups(const Problem& problem, const MapOptions& options);

  // Where cells are grasps of which only counts are kept, samplers know some of them: those that take_cells() names, or
  // the first. Returns the end of those known, for samples from `number` on that are simulated next.
  std::size_t take_cells(std::size_t number);

  const StepOptions& first_step() const { return groups_.front().step; }
  std::size_t count() const { return groups_.size(); }
  CellGroup& group(std::size_t index) { return groups_[index]; }
  CellGroup& group_of(std::size_t number) { return groups_[index_of(number)]; }
  const Model& model_of(CellGroup& group) const;

  // Draws and simulates rows [first, first + count) of the map's arrays, and by the fallback those that stay
  // unresolved. False when stopped: they must not be used then.
  bool run(Backend& backend, SuccessMap& map, std::size_t first, std::size_t count, const SampleNumber& number_of);
  double simulated = 0.0;  // how long the last run() took, but for drawing [s]

  // Calls visit(group, items) for the items of [0, count) in each group; number_of(item) is its sample. Ends with the
  // first that returns false.
  bool for_each_group(std::size_t count, const SampleNumber& number_of,
                      const std::function<bool(CellGroup& group, const std::vector<std::size_t>& items)>& visit);

  // Runs scenes of a group, whose parameters are as drawn. options_of(scene): derived.
  using OptionsOf = std::function<StepOptions(const SceneSpec& scene)>;
  bool simulate(Backend& backend, CellGroup& group, const OptionsOf& options_of, std::span<const double> drawn,
                std::span<SceneOutcome> outcomes, std::span<double> final_poses) const;

  // Draws the parameters of items; values and redrawn receive what else is drawn where they are not empty: of item i in
  // row first + i of the map.
  void draw(const CellGroup& group, const std::vector<std::size_t>& items, const SampleNumber& number_of,
            std::vector<double>& parameters, SuccessMap* map, std::size_t first) const;

 private:
  std::size_t index_of(std::size_t number) const;
  bool in_pieces() const { return options_.counts_only && problem_.grasps.given(); }
  GraspRange piece_at(std::size_t cell) const;
  bool run_in_order(Backend& backend, SuccessMap& map, CellGroup& group, std::size_t first, std::size_t count,
                    std::size_t number);
  bool run_group(Backend& backend, SuccessMap& map, CellGroup& group, const std::vector<std::size_t>& items,
                 std::size_t first, const SampleNumber& number_of);
  bool run_fallback(SuccessMap& map, std::size_t first, std::size_t count, const SampleNumber& number_of);

  const Problem& problem_;
  const MapOptions& options_;
  std::vector<CellGroup> groups_;
  GraspRange known_;            // cells, in_pieces()
  std::size_t drawn_from_ = 0;  // number of the sample that is the samplers' first
  std::vector<double> parameters_, final_poses_;
  std::vector<SceneOutcome> outcomes_;
};

}  // namespace pegrasp
