// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "pegrasp/map.hpp"

namespace pegrasp {

Interval wilson_interval(int successes, int trials) {
  if (trials <= 0) return {0.0, 1.0};
  constexpr double z = 1.959963984540054;  // 97.5 % point of the normal distribution
  const double n = trials;
  const double p = successes / n;
  const double centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
  const double half = z / (1.0 + z * z / n) * std::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
  // At the ends the bound is exact; rounding must not move it.
  return {successes == 0 ? 0.0 : std::max(0.0, centre - half),
          successes == trials ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace pegrasp
