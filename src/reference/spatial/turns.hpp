// SPDX-License-Identifier: Apache-2.0
// Rotations in 3D, and conversions from the types of the scene description.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

#include "pegrasp/geometry.hpp"
#include "pegrasp/polyhedron.hpp"

namespace pegrasp::reference::spatial {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Turn = Eigen::Quaterniond;

inline Vector3 vector3(const Vec3& v) { return {v.x, v.y, v.z}; }
inline Vec3 vec3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
inline Turn turn(const Quaternion& q) { return Turn(q.w, q.x, q.y, q.z).normalized(); }
inline Quaternion quaternion(const Turn& q) { return {q.w(), q.x(), q.y(), q.z()}; }

// The rotation about phi by |phi| [rad], and its inverse function, which takes the shorter way round.
inline Turn exponential(const Vector3& phi) {
  const double angle = phi.norm();
  return angle > 0.0 ? Turn(Eigen::AngleAxisd(angle, phi / angle)) : Turn::Identity();
}
inline Vector3 logarithm(Turn q) {
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  return (sine > 0.0 ? 2.0 * std::atan2(sine, q.w()) / sine : 2.0) * q.vec();
}

inline Matrix3 cross_matrix(const Vector3& v) {
  Matrix3 out;
  out << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return out;
}

// The left Jacobian J_l(phi), with exp(phi + d) = exp(J_l d) exp(phi) to first order. Beyond `most` the linearisation
// would overshoot, and phi is shortened to that length.
inline Matrix3 left_jacobian(Vector3 phi) {
  constexpr double most = 0.7;    // [rad]
  constexpr double small = 1e-4;  // [rad] below it the next term of the series is below rounding
  double angle = phi.norm();
  if (angle > most) {
    phi *= most / angle;
    angle = most;
  }
  const Matrix3 k = cross_matrix(phi);
  if (angle < small) return Matrix3::Identity() + 0.5 * k + k * k / 6.0;
  // 1 - cos as a product: a difference would lose half of the digits
  const double half = std::sin(0.5 * angle);
  const double cube = angle * angle * angle;
  return Matrix3::Identity() + 2.0 * half * half / (angle * angle) * k + (angle - std::sin(angle)) / cube * k * k;
}

// A rigid motion: body coordinates to world coordinates.
struct Placement {
  Vector3 origin = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();  // columns: the body's axes in the world

  Vector3 operator()(const Vector3& x) const { return origin + axes * x; }
  Vector3 back(const Vector3& x) const { return axes.transpose() * (x - origin); }
};

}  // namespace pegrasp::reference::spatial
