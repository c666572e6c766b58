// SPDX-License-Identifier: Apache-2.0
// Sine and cosine from + - * alone, so that every machine gives the same bits.
//
// Reduction by a three-part pi/2 (Cody and Waite), then the minimax polynomials of fdlibm's __kernel_sin and
// __kernel_cos (Sun Microsystems, public method; the coefficients are Remez results for |x| <= pi/4). The error is
// below 2.5e-16 while k, the number of quarter turns, is below 2^20, where k times each of the first two parts is
// exact: |x| < 1.6e6 rad. The angle of a body is not reduced before it comes here, since turns are counted on; so this
// allows a quarter of a million turns. Beyond that the error grows: 1e-9 at 1e7 rad, 1e-6 at 1e10, and from 1e15 on the
// result is not even of length one.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct SinCos {
  double sin;
  double cos;
};

PEGRASP_HD inline SinCos sin_cos(double x) {
  constexpr double two_over_pi = 6.36619772367581382433e-01;
  constexpr double pio2_1 = 1.57079632673412561417e+00;  // first 33 bits of pi/2
  constexpr double pio2_2 = 6.07710050630396597660e-11;  // next 33 bits
  constexpr double pio2_3 = 2.02226624879595063154e-21;  // the rest
  constexpr double round = 6755399441055744.0;           // 1.5 * 2^52: adding it rounds to an integer
  const double k = (x * two_over_pi + round) - round;
  const double r = ((x - k * pio2_1) - k * pio2_2) - k * pio2_3;
  const double z = r * r;
  const double s = r + r * z *
                           (-1.66666666666666324348e-01 +
                            z * (8.33333333332248946124e-03 +
                                 z * (-1.98412698298579493134e-04 +
                                      z * (2.75573137070700676789e-06 +
                                           z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double c = 1.0 - 0.5 * z +
                   z * z *
                       (4.16666666666666019037e-02 +
                        z * (-1.38888888888741095749e-03 +
                             z * (2.48015872894767294178e-05 +
                                  z * (-2.75573143513906633035e-07 +
                                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  // k mod 4 without a conversion that could overflow
  const double quarter = k * 0.25;
  const double whole = (quarter + round) - round;  // nearest integer of k / 4
  const double m = k - 4.0 * whole;                // in -2 .. 2
  if (m == 0.0) return {s, c};
  if (m == 1.0) return {c, -s};
  if (m == -1.0) return {-c, s};
  return {-s, -c};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
