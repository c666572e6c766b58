// SPDX-License-Identifier: Apache-2.0
// Maps whose cells are sampled until their intervals suffice (Problem::until). Cells take their samples in rounds, each
// by a rule of its own, so that neither other cells nor the order in which samples are simulated show: threads, batches
// and shards do not matter. The order of the samples, in which a journal has them, is round by round and cell by cell.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/map/cell_groups.hpp"

namespace pegrasp {

// Throws InputError where so few samples a cell cannot meet the rule, whatever their outcomes.
void must_be_reachable(const Problem& problem);

// The interval of a cell, and whether it suffices; `fixed`: not yet.
Interval interval_until(int successes, int unresolved, int samples);
CellEnd end_of(const Until& until, int budget, int successes, int unresolved, int samples);

// Which sample comes next, given the outcomes of all before it.
class UntilPlan {
 public:
  // range: that of a shard (shard_range()): the samples that its cells may take.
  UntilPlan(const Problem& problem, const SampleRange& range);

  std::size_t counted() const { return counted_; }  // samples whose outcomes are known
  std::size_t planned() const { return numbers_.size(); }
  bool done() const { return counted_ == numbers_.size(); }
  // Number of the i-th sample, i < planned(): cell * Problem::samples + sample.
  std::size_t number(std::size_t i) const { return numbers_[i]; }
  // The outcomes of the next samples, not beyond planned(). After the last of a round the next one is planned.
  void count(std::span<const SceneOutcome> outcomes);

 private:
  struct Cell {
    std::size_t number;
    int samples = 0, successes = 0, unresolved = 0;
  };
  void plan_round();

  Until until_;
  int budget_;
  std::size_t first_cell_;
  std::vector<Cell> open_;  // cells that take more samples, in order
  std::vector<int> place_;  // of a cell in open_
  std::size_t counted_ = 0;
  std::vector<std::size_t> numbers_;
};

// Puts the samples of all cells, which are in the order of the plan, in the order of the cells, and counts these.
void finish_until(const Problem& problem, const std::vector<std::size_t>& numbers, SuccessMap& map);

// As run_map() does, which calls it: such a problem.
SuccessMap run_until(const Problem& problem, Backend& backend, CellGroups& groups, const MapOptions& options);

}  // namespace pegrasp
