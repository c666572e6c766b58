// SPDX-License-Identifier: Apache-2.0
// The angle of a direction from + - * / alone, so that every machine gives the same bits.
//
// |y / x| or its inverse is brought to |t| < 7/16 by the angles of 1/2 and 1, then the minimax polynomial of fdlibm's
// atan (Sun Microsystems, public method). The error is below 1 ulp of pi.
#pragma once

#include "kernels/base/scalars.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Angle of 0 <= r <= 1.
PEGRASP_HD inline double small_angle(double r) {
  constexpr double of_half = 4.63647609000806093515e-01;
  constexpr double of_half_rest = 2.26987774529616870924e-17;
  constexpr double of_one = 7.85398163397448278999e-01;
  constexpr double of_one_rest = 3.06161699786838301793e-17;
  double t = r;
  double base = 0.0;
  double rest = 0.0;
  if (r >= 11.0 / 16.0) {
    t = (r - 1.0) / (r + 1.0);
    base = of_one;
    rest = of_one_rest;
  } else if (r >= 7.0 / 16.0) {
    t = (2.0 * r - 1.0) / (2.0 + r);
    base = of_half;
    rest = of_half_rest;
  }
  const double z = t * t;
  const double w = z * z;
  const double odd = z * (3.33333333333329318027e-01 +
                          w * (1.42857142725034663711e-01 +
                               w * (9.09088713343650656196e-02 +
                                    w * (6.66107313738753120669e-02 +
                                         w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double even =
      w *
      (-1.99999999998764832476e-01 +
       w * (-1.11111104054623557880e-01 +
            w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return base - ((t * (odd + even) - rest) - t);
}

// Angle [rad] of the direction (x, y), in [-pi, pi]; 0 for no direction.
PEGRASP_HD inline double angle_of(double y, double x) {
  constexpr double pi = 3.14159265358979311600;
  const double ax = abs1(x);
  const double ay = abs1(y);
  if (!(ax > 0.0) && !(ay > 0.0)) return 0.0;
  double angle = ay <= ax ? small_angle(ay / ax) : 0.5 * pi - small_angle(ax / ay);
  if (x < 0.0) angle = pi - angle;
  return y < 0.0 ? -angle : angle;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
