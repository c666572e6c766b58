// SPDX-License-Identifier: Apache-2.0
// How the cells of a map were simulated, where that is the same for all.
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

struct SharedOptions {
  SharedOptions(const Problem& problem, const SuccessMap& map);
  // What an axis moves is "varies", or NaN.
  std::string contact, solver, strategy;
  double h, tolerance, penetration_tolerance;
};

}  // namespace pegrasp
