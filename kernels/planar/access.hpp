// SPDX-License-Identifier: Apache-2.0
// Reading a planar scene's arrays as vectors and frames.
#pragma once

#include "kernels/scene/scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline V2 position(const double* pose, int body) { return {pose[3 * body], pose[3 * body + 1]}; }
PEGRASP_HD inline Frame start_frame(const SceneView& s, int body) {
  return {position(s.pose, body), s.start_frame[2 * body], s.start_frame[2 * body + 1]};
}
PEGRASP_HD inline Frame end_frame(const SceneView& s, int body) {
  return {position(s.end_pose, body), s.end_frame[2 * body], s.end_frame[2 * body + 1]};
}
PEGRASP_HD inline void write_frame_pose(const SceneView& s, int body, double* out) {
  for (int i = 0; i < pose_size; ++i) out[i] = s.pose[pose_size * body + i];
}
// Velocity of the material point of a body at arm r from its centre of mass.
PEGRASP_HD inline V2 point_velocity(const double* nu, int body, V2 r) {
  const double* v = nu + dof * body;
  return {v[0] - v[2] * r.y, v[1] + v[2] * r.x};
}
// How fast [rad/s] body b turns against body a.
PEGRASP_HD inline double relative_turn_rate(const double* nu, int body_a, int body_b) {
  return abs1(nu[dof * body_b + 2] - nu[dof * body_a + 2]);
}
// Bound on the speed [m/s] of any point of the body.
PEGRASP_HD inline double speed_bound(const SceneView& s, const double* nu, int body) {
  const double* v = nu + dof * body;
  return norm({v[0], v[1]}) + abs1(v[2]) * s.model->body_radius[body];
}
// Bound on the speed [m/s] at which the boundary of an endless body that turns passes the others.
PEGRASP_HD inline double endless_swing(const SceneView& s, const double* nu, int body) {
  const ModelView& m = *s.model;
  const double spin = abs1(nu[dof * body + 2]);
  if (m.body_unbounded[body] == 0 || spin == 0.0) return 0.0;
  double farthest = 0.0;
  for (int other = 0; other < m.body_count; ++other) {
    if (m.body_node[other] < 0 || s.present[other] == 0) continue;
    const double reach = norm(position(s.pose, other) - position(s.pose, body)) + m.body_radius[other];
    farthest = max2(farthest, reach);
  }
  return spin * farthest;
}
// nu += M^-1 f, f a generalised impulse (x, y, about z).
PEGRASP_HD inline void apply_impulse(const SceneView& s, int body, double fx, double fy, double fz, double* nu) {
  const double* im = s.inv_mass + 4 * body;
  nu[0] += im[0] * fx + im[1] * fy;
  nu[1] += im[1] * fx + im[2] * fy;
  nu[2] += im[3] * fz;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
