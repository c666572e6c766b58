// SPDX-License-Identifier: Apache-2.0
// Vectors in 3D for the host's geometry: + - * / and sqrt only, sums in fixed order.
#pragma once

#include <cmath>

#include "pegrasp/geometry.hpp"

namespace pegrasp::space {

inline Vec3 plus(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 minus(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 scaled(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }

// Area vector of a triangle, from its two shortest sides: of a long, thin one the product of two long sides would tilt by
// rounding along the triangle.
inline Vec3 triangle_area(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = minus(b, a), bc = minus(c, b), ca = minus(a, c);
  const double l = dot(ab, ab), m = dot(bc, bc), n = dot(ca, ca);
  if (l >= m && l >= n) return scaled(0.5, cross(bc, ca));
  if (m >= n) return scaled(0.5, cross(ca, ab));
  return scaled(0.5, cross(ab, bc));
}

}  // namespace pegrasp::space
