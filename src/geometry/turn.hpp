// SPDX-License-Identifier: Apache-2.0
// Turns in 3D on the host.
#pragma once

#include <cmath>

#include "pegrasp/geometry.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }

inline Quaternion operator*(Quaternion a, Quaternion b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quaternion conjugate(Quaternion q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quaternion normalised(Quaternion q) {
  const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}
inline Vec3 turned(Quaternion q, Vec3 v) {
  const Quaternion p = q * Quaternion{0.0, v.x, v.y, v.z} * conjugate(q);
  return {p.x, p.y, p.z};
}
// exp(phi): about phi by |phi| [rad]; turn_vector() is its inverse, |phi| <= pi.
inline Quaternion turn_by(Vec3 phi) {
  const double angle = length(phi);
  if (!(angle > 0.0)) return {};
  const double s = std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), s * phi.x, s * phi.y, s * phi.z};
}
inline Vec3 turn_vector(Quaternion q) {
  if (q.w < 0.0) q = {-q.w, -q.x, -q.y, -q.z};
  const Vec3 v{q.x, q.y, q.z};
  const double sine = length(v);
  return (sine > 0.0 ? 2.0 * std::atan2(sine, q.w) / sine : 2.0) * v;
}
// Takes z to the unit vector n, by the shorter way; about x where they are opposite.
inline Quaternion turn_of_z_to(Vec3 n) {
  if (n.z < -1.0 + 1e-14) return {0.0, 1.0, 0.0, 0.0};
  return normalised({1.0 + n.z, -n.y, n.x, 0.0});
}

inline Vec3 transformed(const SpatialPose& pose, Vec3 x) { return turned(pose.turn, x) + pose.position; }
// a b: coordinates of b's frame through a's.
inline SpatialPose operator*(const SpatialPose& a, const SpatialPose& b) {
  return {transformed(a, b.position), normalised(a.turn * b.turn)};
}
inline SpatialPose inverse(const SpatialPose& a) {
  const Quaternion back = conjugate(a.turn);
  return {-1.0 * turned(back, a.position), back};
}

// Where a body begins, its tilt included.
inline SpatialPose start_pose(const SpatialBody& body) {
  return {body.pose.position, normalised(turn_by(body.tilt) * body.pose.turn)};
}

}  // namespace pegrasp
