// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// map.csv: x_mm,y_mm (the axes' names),samples,successes,unresolved,p,ci_low,ci_high; a row a cell, in cell order; shortest numbers that read
// back the same; p is nan where no sample was resolved.
std::string map_csv(const SuccessMap& map);

// Millimetres of a length in metres, rounded to 1e-9 mm so that 0.001 * 7 prints as it was typed.
double to_mm(double metres);
// A cell's place on an axis, as results give it: in mm, or of "yaw_deg" in degrees.
double on_axis(const std::string& axis, double value);

}  // namespace pegrasp
