// SPDX-License-Identifier: Apache-2.0
// Quaternions and poses in 3D for host code: composition, inverse, and what they do to vectors.
#pragma once

#include <cmath>

#include "pegrasp/geometry.hpp"
#include "pegrasp/scene.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {

// The turn by b, then by a.
inline Quaternion operator*(Quaternion a, Quaternion b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quaternion conjugate(Quaternion q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quaternion normalised(Quaternion q) {
  const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}
// The vector v turned by the unit quaternion q.
inline Vec3 turned(Quaternion q, Vec3 v) {
  const Quaternion p = q * Quaternion{0.0, v.x, v.y, v.z} * conjugate(q);
  return {p.x, p.y, p.z};
}
// The turn about the axis phi by the angle |phi| [rad], i.e. exp(phi). turn_vector() is its inverse, with |phi| <= pi.
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
// The shortest turn that takes the z axis to the unit vector n; where n is -z, half a turn about x.
inline Quaternion turn_of_z_to(Vec3 n) {
  if (n.z < -1.0 + 1e-14) return {0.0, 1.0, 0.0, 0.0};
  return normalised({1.0 + n.z, -n.y, n.x, 0.0});
}

// The point x of the pose's frame, in the coordinates of the frame that the pose is given in.
inline Vec3 transformed(const SpatialPose& pose, Vec3 x) { return turned(pose.turn, x) + pose.position; }
// The pose b, given in the frame of a, in the frame that a is given in.
inline SpatialPose operator*(const SpatialPose& a, const SpatialPose& b) {
  return {transformed(a, b.position), normalised(a.turn * b.turn)};
}
inline SpatialPose inverse(const SpatialPose& a) {
  const Quaternion back = conjugate(a.turn);
  return {-1.0 * turned(back, a.position), back};
}

// The pose of a body at the start: its pose, turned further by its tilt.
inline SpatialPose start_pose(const SpatialBody& body) {
  return {body.pose.position, normalised(turn_by(body.tilt) * body.pose.turn)};
}

}  // namespace pegrasp
