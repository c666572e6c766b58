// SPDX-License-Identifier: Apache-2.0
// The larger of two residuals. One that is not a number counts as infinite.
#pragma once

#include <limits>

namespace pegrasp::reference {

inline double worst(double a, double b) {
  if (a >= b) return a;
  return b >= a ? b : std::numeric_limits<double>::infinity();
}

}  // namespace pegrasp::reference
