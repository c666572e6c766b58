// SPDX-License-Identifier: Apache-2.0
// Counts of maps whose cells have several independent randomisations of one sequence (Sampling::sobol).
#pragma once

#include <cstddef>
#include <vector>

#include "pegrasp/interval.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

class ReplicateCounter {
 public:
  // replicates: of a cell, which take its samples in turn; 0: there are none.
  ReplicateCounter(std::size_t cells, int replicates);
  bool any() const { return replicates_ > 0; }
  void add(std::size_t cell, std::size_t sample, const SceneOutcome& outcome);
  // samples: of a cell. Unresolved ones count as failures below and as successes above.
  Interval interval(std::size_t cell, int samples) const;

 private:
  int replicates_;
  std::vector<int> successes_, possible_;  // (cells, replicates) resolved; with the unresolved
};

}  // namespace pegrasp
