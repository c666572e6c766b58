// SPDX-License-Identifier: Apache-2.0
// A joint in 2D: psi, its gradients and its coordinates. The axis of a prismatic joint is x of the first frame; joints
// turn about the normal of the plane.
//
//   linear rows   e_i . (x_b - x_a),  e_i = y (and x) of frame a; the arm of a ends in x_b: the gradient is exact
//   angular row   l (theta_b - theta_a - offset),  l an arm [m], so that all rows are lengths
#pragma once

#include "kernels/joint/kind.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct JointPose {
  V2 centre_a, centre_b;  // centres of mass; of the world its origin
  V2 x_a, x_b;            // origins of the joint frames, world
  V2 axis;                // x of frame a, world
  double turn;            // [rad]
};

PEGRASP_HD inline Frame world_frame() { return {{0.0, 0.0}, 1.0, 0.0}; }

PEGRASP_HD inline JointPose joint_pose(const SceneView& s, int joint, const Frame& a, const Frame& b,
                                       const double* pose) {
  const ModelView& m = *s.model;
  const double* data = s.joint_frame + joint_frame_size * joint;
  const int body_a = m.joint_body_a[joint];
  const double turn = pose[3 * m.joint_body_b[joint] + 2] - (body_a < 0 ? 0.0 : pose[3 * body_a + 2]) + data[6];
  return {a.origin,
          b.origin,
          transform(a, {data[0], data[1]}),
          transform(b, {data[4], data[5]}),
          rotate(a, {data[2], data[3]}),
          turn};
}

// How far [m] the two frames of a joint of this arm are from each other.
PEGRASP_HD inline double frames_apart(const JointPose& at, double arm) {
  return norm(at.x_b - at.x_a) + arm * abs1(at.turn);
}
// Moves frame a in body a, or frame b in body b, to where the other one is. a, b: the frames of the bodies.
PEGRASP_HD inline void move_frame_a(const JointPose& at, const Frame& a, double* data) {
  const V2 origin = untransform(a, at.x_b);
  const SinCos t = sin_cos(at.turn);
  const V2 axis{t.cos * data[2] - t.sin * data[3], t.sin * data[2] + t.cos * data[3]};
  data[0] = origin.x;
  data[1] = origin.y;
  data[2] = axis.x;
  data[3] = axis.y;
  data[6] -= at.turn;
}
PEGRASP_HD inline void move_frame_b(const JointPose& at, const Frame& b, double* data) {
  const V2 origin = untransform(b, at.x_a);
  data[4] = origin.x;
  data[5] = origin.y;
  data[6] -= at.turn;
}

PEGRASP_HD inline int linear_joint_rows(int kind) {
  if (kind == static_cast<int>(JointKind::distance)) return 0;
  return kind == static_cast<int>(JointKind::prismatic) ? 1 : 2;
}
PEGRASP_HD inline int joint_rows_of(int kind) {
  if (kind == static_cast<int>(JointKind::distance)) return 0;
  return kind == static_cast<int>(JointKind::fixed) ? 3 : 2;
}

PEGRASP_HD inline V2 linear_axis(const JointPose& at, int i) { return i == 0 ? perp(at.axis) : at.axis; }

PEGRASP_HD inline double joint_value(const ModelView& m, const JointPose& at, int joint, int i) {
  if (i < linear_joint_rows(m.joint_kind[joint])) return dot(linear_axis(at, i), at.x_b - at.x_a);
  return m.joint_arm[joint] * at.turn;
}

// Gradient with respect to the velocities of the two bodies.
struct JointGradient {
  double a[dof], b[dof];
};
PEGRASP_HD inline JointGradient along(const JointPose& at, V2 d) {
  return {{-d.x, -d.y, -cross(at.x_b - at.centre_a, d)}, {d.x, d.y, cross(at.x_b - at.centre_b, d)}};
}
PEGRASP_HD inline JointGradient about(double d) { return {{0.0, 0.0, -d}, {0.0, 0.0, d}}; }

PEGRASP_HD inline JointGradient joint_gradient(const ModelView& m, const JointPose& at, int joint, int i) {
  if (i < linear_joint_rows(m.joint_kind[joint])) return along(at, linear_axis(at, i));
  return about(m.joint_arm[joint]);
}
// From the first point of a distance joint to the second one, unit vector.
PEGRASP_HD inline V2 line_of(const JointPose& at) {
  const V2 d = at.x_b - at.x_a;
  const double length = norm(d);
  return length > shortest_line ? (1.0 / length) * d : at.axis;
}
// Gradient of the velocity of the second point of a distance joint against the first one, across their line; there is
// one such direction.
PEGRASP_HD inline JointGradient across_line(const JointPose& at, int) {
  const V2 d = perp(line_of(at));
  return {{-d.x, -d.y, -cross(at.x_a - at.centre_a, d)}, {d.x, d.y, cross(at.x_b - at.centre_b, d)}};
}
// Gradient of the joint's coordinate: [m] or [rad].
PEGRASP_HD inline JointGradient freedom_gradient(const ModelView& m, const JointPose& at, int joint, bool turn) {
  if (is_distance(m, joint) && !turn) return along(at, line_of(at));
  return turn ? about(1.0) : along(at, at.axis);
}
// What an impulse of 1 along one body's part of a gradient adds to the rate of that part, and its rate at velocities.
PEGRASP_HD inline double body_response(const SceneView& s, int body, const double* g) {
  double w[dof] = {0.0, 0.0, 0.0};
  apply_impulse(s, body, g[0], g[1], g[2], w);
  return g[0] * w[0] + g[1] * w[1] + g[2] * w[2];
}
PEGRASP_HD inline double body_rate(const double* nu, int body, const double* g) {
  return g[0] * nu[dof * body] + g[1] * nu[dof * body + 1] + g[2] * nu[dof * body + 2];
}
// The pose whose gradient a limit's impulse acts along.
PEGRASP_HD inline const JointPose& pushed_from(const ModelView&, const JointPose& start, const JointPose&, int) {
  return start;
}

PEGRASP_HD inline double slide_of(const ModelView& m, const JointPose& at, int joint) {
  if (is_distance(m, joint)) return norm(at.x_b - at.x_a);
  return dot(at.axis, at.x_b - at.x_a);
}
// Angles in 2D include whole turns.
PEGRASP_HD inline double turn_rate(const SceneView&, const JointPose&, int) { return 0.0; }
PEGRASP_HD inline double turn_of_joint(const ModelView&, const JointPose& at, int, double) { return at.turn; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
