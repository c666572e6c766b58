// SPDX-License-Identifier: Apache-2.0
// Reading a spatial scene's arrays as vectors and frames.
#pragma once

#include "kernels/scene/scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline V3 position(const double* pose, int body) { return load3(pose + pose_size * body); }
PEGRASP_HD inline Turn turn_of(const double* pose, int body) { return load_turn(pose + pose_size * body + 3); }
// Where the centre of mass is in the body's frame, in which its parts are given: the origin, but for scenes that say
// otherwise.
PEGRASP_HD inline V3 centre_offset(const SceneView& s, int body) {
  const int at = s.model->at.centre + 3 * body;
  return {s.parameter(at), s.parameter(at + 1), s.parameter(at + 2)};
}
// The body's frame; poses are those of the centre of mass.
PEGRASP_HD inline Frame load_frame(const SceneView& s, const double* pose, const double* frame, int body) {
  const double* r = frame + frame_size * body;
  Frame out{{0.0, 0.0, 0.0}, {load3(r), load3(r + 3), load3(r + 6)}};
  out.origin = position(pose, body) - rotate(out, centre_offset(s, body));
  return out;
}
PEGRASP_HD inline Frame start_frame(const SceneView& s, int body) { return load_frame(s, s.pose, s.start_frame, body); }
PEGRASP_HD inline Frame end_frame(const SceneView& s, int body) { return load_frame(s, s.end_pose, s.end_frame, body); }
PEGRASP_HD inline void store_frame(Turn turn, double* frame) {
  V3 row[3];
  matrix_of(turn, row);
  for (int i = 0; i < 3; ++i) store3(row[i], frame + 3 * i);
}

// Pose of the body's frame.
PEGRASP_HD inline void write_frame_pose(const SceneView& s, int body, double* out) {
  store3(start_frame(s, body).origin, out);
  for (int i = 3; i < pose_size; ++i) out[i] = s.pose[pose_size * body + i];
}

PEGRASP_HD inline V3 linear(const double* nu, int body) { return load3(nu + dof * body); }
PEGRASP_HD inline V3 angular(const double* nu, int body) { return load3(nu + dof * body + 3); }
// Velocity of the material point of a body at arm r from its centre of mass.
PEGRASP_HD inline V3 point_velocity(const double* nu, int body, V3 r) {
  return linear(nu, body) + cross(angular(nu, body), r);
}
// How fast [rad/s] body b turns against body a.
PEGRASP_HD inline double relative_turn_rate(const double* nu, int body_a, int body_b) {
  return norm(angular(nu, body_b) - angular(nu, body_a));
}
// Bound on the distance [m] of any point of the body from its centre of mass.
PEGRASP_HD inline double reach_of(const SceneView& s, int body) {
  return s.model->body_radius[body] + norm(centre_offset(s, body) - load3(s.model->body_middle + 3 * body));
}
// Bound on the speed [m/s] of any point of the body.
PEGRASP_HD inline double speed_bound(const SceneView& s, const double* nu, int body) {
  return norm(linear(nu, body)) + norm(angular(nu, body)) * reach_of(s, body);
}
// Bound on the speed [m/s] at which the boundary of an endless body that turns passes the others.
PEGRASP_HD inline double endless_swing(const SceneView& s, const double* nu, int body) {
  const ModelView& m = *s.model;
  if (m.body_unbounded[body] == 0) return 0.0;
  const double spin = norm(angular(nu, body));
  if (spin == 0.0) return 0.0;
  double farthest = 0.0;
  for (int other = 0; other < m.body_count; ++other) {
    if (m.body_node[other] < 0 || s.present[other] == 0) continue;
    farthest = max2(farthest, norm(position(s.pose, other) - position(s.pose, body)) + reach_of(s, other));
  }
  return spin * farthest;
}
// What of a velocity or a force a body's rails leave: all, unless it is on a slide axis.
PEGRASP_HD inline V3 along_rails(const SceneView& s, int body, V3 v) {
  const ModelView& m = *s.model;
  if (m.body_slides[body] != freedom_rail) return v;
  const V3 u{m.body_axis[2 * body], m.body_axis[2 * body + 1], 0.0};
  return dot(u, v) * u;
}
// In scenes with joints the inverse inertia and the spin of the free motion that a body has without what
// kernels/joint/taut.hpp adds are kept apart.
PEGRASP_HD inline const double* plain_inverse(const SceneView& s, int body) {
  return s.model->joint_count > 0 ? s.taut + taut_size * body + 3 : s.inv_mass + mass_size * body + 1;
}
PEGRASP_HD inline const double* plain_spin(const SceneView& s, int body) {
  return s.model->joint_count > 0 ? s.taut + taut_size * body : s.free_twist + dof * body + 3;
}
// nu += M^-1 (force, torque), both impulses, world.
PEGRASP_HD inline void apply_impulse(const SceneView& s, int body, V3 force, V3 torque, double* nu) {
  const double* im = s.inv_mass + mass_size * body;
  const V3 w = load_symmetric(im + 1) * torque;
  store3(load3(nu) + im[0] * along_rails(s, body, force), nu);
  store3(load3(nu + 3) + w, nu + 3);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
