// SPDX-License-Identifier: Apache-2.0
// Operators of Vec2 and Vec3 for host code. They use + - * and sqrt only, and sum in a fixed order (x, then y, then z),
// so that results are the same bits everywhere.
#pragma once

#include <cmath>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

inline Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
inline double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
// The z component of the cross product: positive where b is to the left of a.
inline double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
inline double length(Vec2 a) { return std::sqrt(dot(a, a)); }

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }

// The area vector of a triangle: its area along its normal. Computed from the two shortest sides, because for a long,
// thin triangle the rounding of two long sides would tilt the product along the triangle.
inline Vec3 triangle_area(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, bc = c - b, ca = a - c;
  const double l = dot(ab, ab), m = dot(bc, bc), n = dot(ca, ca);
  if (l >= m && l >= n) return 0.5 * cross(bc, ca);
  if (m >= n) return 0.5 * cross(ca, ab);
  return 0.5 * cross(ab, bc);
}

}  // namespace pegrasp
