// SPDX-License-Identifier: Apache-2.0
// The larger of two residuals; one that is not a number is as bad as can be, and is kept.
#pragma once

#include <limits>

namespace pegrasp::reference {

inline double worst(double a, double b) {
  if (a >= b) return a;
  return b >= a ? b : std::numeric_limits<double>::infinity();
}

}  // namespace pegrasp::reference
