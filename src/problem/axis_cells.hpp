// SPDX-License-Identifier: Apache-2.0
// From the tables [[axis]] to the groups of cells that are simulated together.
#pragma once

#include <functional>
#include <vector>

#include "src/problem/axes.hpp"

namespace pegrasp {

// The problem at a combination of values, and its resolved form.
struct AxisReading {
  Problem problem;
  Node resolved;
};
// at: of each axis which value. Called from several threads. Throws InputError.
using ReadAt = std::function<AxisReading(const std::vector<std::size_t>& at)>;

// Cells in place of all those of grid and axes (Problem::listed).
struct ListedCells {
  std::vector<double> x, y;                  // as Grid has them
  std::vector<std::vector<std::size_t>> at;  // of each axis which value; none without [[axis]]
  int first = 0;                             // Problem::first_cell
  bool apart = false;                        // no two combinations share a group, and there is no list
  void put_into(Problem& problem) const;
};

// The problem with its axes and groups. resolved: as it is at the first values, without what a reader derives anew from
// keys that axes move, unless `given`, the document, has it. The tables get the places of the files that they name.
// list: may be null.
Problem with_axes(ReadContext& context, std::vector<AxisTable>& tables, const ReadAt& read, const Node& given,
                  Node& resolved, const ListedCells* list = nullptr);

}  // namespace pegrasp
