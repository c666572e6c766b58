// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "pegrasp/interval.hpp"

namespace pegrasp {
namespace {

constexpr double z = 1.959963984540054;  // 97.5 % point of the normal distribution
constexpr int halvings = 60;             // of an interval of 2: down to rounding

// Whether a change is no farther from the counts than z standard deviations: the score test of Tango (Statistics in
// Medicine 17, 1998). `lost` is most likely in a share q of the trials if the rate changes by `change`.
bool is_likely(double change, double gained, double lost, double trials) {
  const double linear = (2.0 * trials - gained + lost) * change - gained - lost;
  const double constant = -lost * change * (1.0 - change);
  const double root = std::sqrt(std::max(0.0, linear * linear - 8.0 * trials * constant));
  const double q = (root - linear) / (4.0 * trials);
  const double apart = gained - lost - trials * change;
  return apart * apart <= z * z * trials * (2.0 * q + change * (1.0 - change));
}

double largest_likely_change(double gained, double lost, double trials) {
  double low = (gained - lost) / trials, high = 1.0;
  if (is_likely(high, gained, lost, trials)) return high;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (is_likely(middle, gained, lost, trials) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Interval wilson_interval(std::int64_t successes, std::int64_t trials) {
  if (trials <= 0) return {0.0, 1.0};
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
  const double half = z / (1.0 + z * z / n) * std::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
  // At the ends the bound is exact; rounding must not move it.
  return {successes == 0 ? 0.0 : std::max(0.0, centre - half),
          successes == trials ? 1.0 : std::min(1.0, centre + half)};
}

Interval change_interval(std::int64_t gained, std::int64_t lost, std::int64_t trials) {
  if (trials <= 0) return {-1.0, 1.0};
  const auto up = static_cast<double>(gained), down = static_cast<double>(lost), n = static_cast<double>(trials);
  return {-largest_likely_change(down, up, n), largest_likely_change(up, down, n)};
}

}  // namespace pegrasp
