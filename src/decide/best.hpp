// SPDX-License-Identifier: Apache-2.0
// The best cell of a map: that whose lower bound is highest, where each cell also hears what its neighbours say.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/decide/stored_map.hpp"

namespace pegrasp::decide {

// A cell's probability of success has the beta distribution of its smoothed counts: the trials of a cell at a distance
// d count (1 - d^2 / h^2)^2 times up to the radius h, and Jeffreys' prior half a success and half a failure. Unresolved
// trials count as failures.
struct SmoothCell {
  double successes = 0.5, failures = 0.5;
  double p = 0.0, low = 0.0, high = 1.0;  // mean, 2.5 % and 97.5 % points
  double chance_best = 0.0;               // that no cell is better
};

struct BestCell {
  double radius = 0.0;  // h, in steps of the grid, as cross-validation chose it; at most 1: no neighbour counts
  std::vector<SmoothCell> cells;
  std::size_t best = 0;
  std::size_t equal = 1;     // cells with this lower bound; the one deepest inside their region was taken
  double regret_mean = 0.0;  // by how much the best cell is better: mean, and 95 % point
  double regret_bound = 0.0;
  std::size_t draws = 0;  // of all cells together, from which chances and regret are counted
};

BestCell best_cell(const StoredMap& map);

std::string best_csv(const StoredMap& map, const BestCell& best);
std::string best_json(const StoredMap& map, const BestCell& best);
std::string best_text(const StoredMap& map, const BestCell& best);

}  // namespace pegrasp::decide
