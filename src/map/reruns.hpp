// SPDX-License-Identifier: Apache-2.0
// Trials of a map that are simulated once more: at half the step, and from a cold start. All of them after the map's
// own, in as few batches as the chunks allow: a device takes as long for a hundred scenes as for thousands.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/map/cell_groups.hpp"

namespace pegrasp {

// Those of rerun_trial() that lie in a range of samples, by their numbers k.
SampleRange reruns_within(const SampleRange& samples, std::size_t reruns, std::size_t trials, std::uint64_t seed);

// Half the step, for the same simulated time: an even number of steps, also where the time limit is no multiple of the
// step. Derived.
StepOptions at_half_step(const StepOptions& given, const SceneSpec& scene, Arithmetic arithmetic);

class RerunJob {
 public:
  // The problem, backend and groups outlive it.
  RerunJob(const Problem& problem, Backend& backend, CellGroups& groups);

  // How often a trial is simulated again: a problem without warm start starts cold anyhow.
  std::size_t times() const { return groups_.first_step().warm_start ? 2 : 1; }
  // Reruns k, k + 1, ... of the map, whose own samples are there, into map.rerun. False when stopped: they must not be
  // used then.
  bool run(SuccessMap& map, std::size_t k, std::size_t count);

 private:
  bool run_group(CellGroup& group, const std::vector<std::size_t>& items, Rerun* reruns);
  bool simulate(CellGroup& group, const CellGroups::OptionsOf& options_of, std::size_t count);

  const Problem& problem_;
  Backend& backend_;
  CellGroups& groups_;
  std::vector<double> parameters_, final_poses_;
  std::vector<SceneOutcome> outcomes_;
};

}  // namespace pegrasp
