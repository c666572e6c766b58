// SPDX-License-Identifier: Apache-2.0
// Cells between those of a map (map.refine).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// A place on an axis: so far from one of its values to the next one, in [0, 1).
struct AxisPlace {
  std::size_t value = 0;
  double part = 0.0;
  bool operator==(const AxisPlace&) const = default;
  bool operator<(const AxisPlace& other) const {
    return value != other.value ? value < other.value : part < other.part;
  }
};
using CellPlace = std::vector<AxisPlace>;  // on each of axes_of() the problem

// The number there, in the unit of the axis; a categorical axis has none between its values.
double number_at(const Axis& axis, const AxisPlace& at);

// Along which of axes_of() the problem map.refine refines. Throws InputError for names that are no such axes, for more
// axes than refine_most_axes, where there is none, or where a key takes no number halfway between the first two.
std::vector<bool> refined_axes(const Problem& problem);
inline constexpr std::size_t refine_most_axes = 6;

// The problem with these cells in place of its own; they draw as its cells first_cell, first_cell + 1, ... would.
Problem listed_cells(const Problem& problem, const std::vector<CellPlace>& cells, int first_cell);

}  // namespace pegrasp
