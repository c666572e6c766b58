// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/angle.hpp"

#include <cmath>

namespace pegrasp {
namespace {

// atan(t) for 0 <= t <= 1: the angle is halved three times (tan(a/2) = t / (1 + sqrt(1 + t^2))), which leaves
// t <= tan(pi/32) < 0.0985, where the Taylor series up to t^19 is exact to rounding.
double arc_tangent(double t) {
  for (int i = 0; i < 3; ++i) t = t / (1.0 + std::sqrt(1.0 + t * t));
  const double z = t * t;
  double sum = 0.0;
  for (int k = 19; k >= 3; k -= 2) sum = z * ((k % 4 == 1 ? 1.0 : -1.0) / k + sum);
  return 8.0 * (t + t * sum);
}

}  // namespace

double angle_of(Vec2 v) {
  const double x = std::fabs(v.x);
  const double y = std::fabs(v.y);
  if (x == 0.0 && y == 0.0) return 0.0;
  double angle = y <= x ? arc_tangent(y / x) : 0.5 * pi - arc_tangent(x / y);
  if (v.x < 0.0) angle = pi - angle;
  return v.y < 0.0 ? -angle : angle;
}

double turn_between(Vec2 from, Vec2 to) {
  // exact for equal directions and for half turns of exactly representable vectors
  const double dot = from.x * to.x + from.y * to.y;
  const double cross = from.x * to.y - from.y * to.x;
  const double angle = angle_of({dot, cross});
  return angle < 0.0 ? 2.0 * pi + angle : angle;
}

}  // namespace pegrasp
