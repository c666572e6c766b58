// SPDX-License-Identifier: Apache-2.0
#include "src/decide/special.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/sampling/portable_math.hpp"

namespace pegrasp::decide {
namespace {

constexpr double half_log_two_pi = 0.91893853320467274178;
constexpr double stirling_from = 12.0;  // the series below is exact to rounding from here on
constexpr int most_terms = 500;         // of the continued fraction: enough for a and b of 1e8 at x near the mean
constexpr int bisections = 100;

// Stirling's series.
double log_gamma_of_large(double x) {
  const double y = 1.0 / (x * x);
  const double series =
      (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y * (1.0 / 1188.0))))) / x;
  return (x - 0.5) * portable::log(x) - x + half_log_two_pi + series;
}

// Continued fraction of the incomplete beta function, DLMF 8.17.22, by the method of Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300, enough = 1e-16;
  const auto held_off = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1.0, d = 1.0 / held_off(1.0 - (a + b) * x / (a + 1.0)), value = d;
  for (int i = 1; i <= most_terms * 40; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / held_off(1.0 + even * d);
    c = held_off(1.0 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / held_off(1.0 + odd * d);
    c = held_off(1.0 + odd / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1.0) <= enough) break;
  }
  return value;
}

}  // namespace

double log_gamma(double x) {
  double product = 1.0;
  while (x < stirling_from) {
    product *= x;
    x += 1.0;
  }
  return log_gamma_of_large(x) - portable::log(product);
}

double log_beta(double a, double b) { return log_gamma(a) + log_gamma(b) - log_gamma(a + b); }

double beta_cdf(double a, double b, double x) {
  if (!(x > 0.0)) return 0.0;
  if (!(x < 1.0)) return 1.0;
  const double factor = portable::exp(a * portable::log(x) + b * portable::log(1.0 - x) - log_beta(a, b));
  // The fraction converges fast below the mean; above it the other tail is taken.
  if (x < (a + 1.0) / (a + b + 2.0)) return std::min(1.0, factor * beta_fraction(a, b, x) / a);
  return std::max(0.0, 1.0 - factor * beta_fraction(b, a, 1.0 - x) / b);
}

double beta_quantile(double a, double b, double p) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < bisections && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (beta_cdf(a, b, middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double mcnemar_p(std::int64_t gained, std::int64_t lost) {
  const std::int64_t n = gained + lost, least = std::min(gained, lost);
  if (n == 0 || gained == lost) return 1.0;
  if (n > mcnemar_exact_most) {
    const auto apart = static_cast<double>(gained > lost ? gained - lost : lost - gained);
    return 2.0 * portable::normal_cdf(-(apart - 1.0) / std::sqrt(static_cast<double>(n)));  // 1: for continuity
  }
  // C(n, least) / 2^n: halved as it grows, so that no product is too large.
  double last = 1.0;
  std::int64_t halvings = n;
  for (std::int64_t i = 1; i <= least; ++i) {
    last *= static_cast<double>(n - least + i) / static_cast<double>(i);
    for (; last > 1.0 && halvings > 0; --halvings) last *= 0.5;
  }
  for (; halvings > 0; --halvings) last *= 0.5;
  double sum = 0.0, term = last;
  for (std::int64_t k = least; k >= 0; --k) {
    sum += term;
    term *= static_cast<double>(k) / static_cast<double>(n - k + 1);
  }
  return std::min(1.0, 2.0 * sum);
}

}  // namespace pegrasp::decide
