// SPDX-License-Identifier: Apache-2.0
// Whole powers and roots from + - * / and sqrt only, so that every machine gives the same bits.
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/scalars.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// x^n for n >= 0.
PEGRASP_HD inline double whole_power(double x, int n) {
  double result = 1.0;
  double square = x;
  for (int k = n; k > 0; k >>= 1) {
    if ((k & 1) != 0) result *= square;
    square *= square;
  }
  return result;
}

// x^(1/n) for x >= 0 and n >= 1, to a few units in the last place; 0 where x is too small to be told from it.
PEGRASP_HD inline double whole_root(double x, int n) {
  if (!(x > 1e-300)) return 0.0;
  if (n == 1) return x;
  if (n == 2) return square_root(x);
  if (n == 4) return square_root(square_root(x));
  // An n-th of the exponent, within a tenth. Then Halley's method, whose error goes by its cube.
  constexpr std::uint64_t one = std::uint64_t{1023} << 52;
  const auto order = static_cast<std::uint64_t>(n);
  double y = double_of(bits_of(x) / order + (one - one / order));
  const int steps = n < 4 ? 3 : 4;
  for (int i = 0; i < steps; ++i) {
    const double power = whole_power(y, n);
    y *= ((n - 1) * power + (n + 1) * x) / ((n + 1) * power + (n - 1) * x);
  }
  return y;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
