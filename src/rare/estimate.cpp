// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/sampling/portable_math.hpp"
#include "src/decide/special.hpp"
#include "src/rare/subset.hpp"

namespace pegrasp::rare {
namespace {

// 97.5 % point of Student's distribution.
double student_point(int freedom) {
  const double x = decide::beta_quantile(0.5 * freedom, 0.5, 0.05);
  return std::sqrt(freedom * (1.0 - x) / x);
}

}  // namespace

Estimate estimate_of(std::span<const double> runs) {
  const auto count = static_cast<double>(runs.size());
  const double student = student_point(static_cast<int>(runs.size()) - 1);
  double sum = 0.0, log_sum = 0.0;
  bool positive = true;
  for (const double p : runs) {
    sum += p;
    positive = positive && p > 0.0;
    if (p > 0.0) log_sum += portable::log(p);
  }
  const double mean = sum / count;
  if (!(mean > 0.0)) return {};
  double squares = 0.0, log_squares = 0.0;
  for (const double p : runs) {
    squares += (p - mean) * (p - mean);
    if (p > 0.0) log_squares += (portable::log(p) - log_sum / count) * (portable::log(p) - log_sum / count);
  }
  Estimate out{mean, std::sqrt(squares / (count - 1.0) / count) / mean, {}};
  if (!positive) {  // a run in which nothing came so far: the logarithm does not apply
    const double half = student * out.relative_error * mean;
    out.interval = {mean > half ? mean - half : 0.0, mean + half};
  } else {
    // Results of runs are about log-normal. Of the mean of such numbers this is the spread by Cox (Zhou and Gao,
    // Statistics in Medicine 16, 1997).
    const double variance = log_squares / (count - 1.0);
    out.relative_error = std::sqrt(variance / count + variance * variance / (2.0 * (count - 1.0)));
    const double factor = portable::exp(student * out.relative_error);
    out.interval = {mean / factor, mean * factor};
  }
  if (out.interval.high > 1.0) out.interval.high = 1.0;
  return out;
}

double trials_to_count(double probability, const Interval& interval) {
  constexpr double normal_point = 1.959963984540054;
  // In the logarithm, as the interval is: the relative error of n trials is sqrt((1 - p) / (n p)).
  const double half = interval.low > 0.0 ? 0.5 * portable::log(interval.high / interval.low)
                                         : (interval.high - interval.low) / (2.0 * probability);
  return normal_point * normal_point * (1.0 - probability) / (probability * half * half);
}

}  // namespace pegrasp::rare
