// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// The text of map.csv. Its columns are the two axes by name (x_mm, y_mm), samples, successes, unresolved, p, ci_low and
// ci_high. Each cell is a row, in the order of the cells. Numbers have the shortest form that reads back to the same
// bits; p is nan where no sample was resolved. Of a map with Problem::until there are
// two more, interval and ended.
std::string map_csv(const SuccessMap& map);

// Why a cell has no more samples, in a word.
const char* cell_end_name(CellEnd end);

// A length in metres as millimetres, rounded to 1e-9 mm so that 0.001 * 7 prints as 7.
double to_mm(double metres);
// The coordinate of a cell on an axis, in the unit of the results: mm, degrees for "yaw_deg", or a number for
// "grasp".
double on_axis(const std::string& axis, double value);

}  // namespace pegrasp
