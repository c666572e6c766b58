// SPDX-License-Identifier: Apache-2.0
// Scalar functions from + - * / and sqrt only, so that every machine gives the same bits.
#pragma once

#include <cmath>

#include "kernels/base/platform.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline double min2(double a, double b) { return a < b ? a : b; }
PEGRASP_HD inline double max2(double a, double b) { return a > b ? a : b; }
PEGRASP_HD inline int min2(int a, int b) { return a < b ? a : b; }
PEGRASP_HD inline int max2(int a, int b) { return a > b ? a : b; }
// For running maxima: NaN when either is NaN, and a when both are zeros of any sign. The result depends neither on the
// order nor on how many ranks share the work.
template <class T>
PEGRASP_HD inline T max_or_nan(T a, T b) {
  return a == a && !(b <= a) ? b : a;  // NOLINT(misc-redundant-expression): a NaN is not equal to itself
}
PEGRASP_HD inline double abs1(double a) { return a < 0.0 ? -a : a; }
PEGRASP_HD inline double clamp(double a, double low, double high) { return a < low ? low : (a > high ? high : a); }
// False for NaN and for both infinities, without library calls.
PEGRASP_HD inline bool is_finite(double a) { return a - a == 0.0; }
PEGRASP_HD inline double square_root(double a) { return sqrt(a); }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
