// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// The text of map.csv. Its columns are the axes by name (x_mm, y_mm), samples, successes, unresolved, p, ci_low and
// ci_high. Each cell is a row, in the order of the cells. Numbers have the shortest form that reads back to the same
// bits; p is nan where no sample was resolved. Of a map with Problem::until there are
// two more, interval and ended.
std::string map_csv(const SuccessMap& map);

// The text of refined.csv: the same columns behind one with the level, of the cells of the map, which have level 0, and
// then of those that were added.
std::string refined_csv(const SuccessMap& map);

// The axes of a map; where it names none, those of its columns and rows.
std::vector<Axis> axes_of(const SuccessMap& map);

// A value as a cell of a CSV file: a number, or the text of a categorical axis, quoted where that is needed.
std::string axis_cell(const Axis& axis, std::size_t value);

// The axis without its unit, and the place of a value on it in words: "max_force" and "max_force = 5 N".
std::string axis_words(const Axis& axis);
std::string place_words(const Axis& axis, std::size_t value);
// "x = 3 mm, y = 4 mm" of a cell.
std::string place_words(const std::vector<Axis>& axes, std::size_t cell);

// Why a cell has no more samples, in a word.
const char* cell_end_name(CellEnd end);

// The shortest text that reads back to the same bits.
std::string number_text(double value);

// A length in metres as millimetres, rounded to 1e-9 mm so that 0.001 * 7 prints as 7.
double to_mm(double metres);
// The coordinate of a cell on an axis, in the unit of the results: mm, degrees for "yaw_deg", or a number for
// "grasp".
double on_axis(const std::string& axis, double value);

}  // namespace pegrasp
