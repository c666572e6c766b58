// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// map.csv: x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high; a row a cell, in cell order; shortest numbers that read
// back the same; p is nan where no sample was resolved.
std::string map_csv(const SuccessMap& map);

// Millimetres of a length in metres, rounded to 1e-9 mm so that 0.001 * 7 prints as it was typed.
double to_mm(double metres);

}  // namespace pegrasp
