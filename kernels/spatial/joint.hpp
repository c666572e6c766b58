// SPDX-License-Identifier: Apache-2.0
// A joint in 3D: psi, its gradients and its coordinates. The axis is z of the first frame.
//
//   linear rows    e_i . (x_b - x_a),  e_i = x, y (and z) of frame a; the arm of a ends in x_b: the gradient is exact
//   angular rows   l a_i . b_j,  (i, j) = (x, z), (y, z), (x, y); l an arm [m], so that all rows are lengths
#pragma once

#include "kernels/base/arctangent.hpp"
#include "kernels/joint/kind.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A linear function of a body's velocity: force . v + torque . w.
struct Wrench {
  V3 force, torque;
};

// Axis of a motor that drives a body along a fixed axis of the world.
PEGRASP_HD inline V3 motor_axis(const ModelView& m, int actuator) {
  return {m.actuator_axis[2 * actuator], m.actuator_axis[2 * actuator + 1], 0.0};
}

struct JointPose {
  V3 centre_a, centre_b;  // centres of mass; of the world its origin
  V3 x_a, x_b;            // origins of the joint frames, world
  V3 a[3], b[3];          // their axes, world
};

PEGRASP_HD inline Frame world_frame() { return {{0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}; }

PEGRASP_HD inline JointPose joint_pose(const SceneView& s, int joint, const Frame& a, const Frame& b,
                                       const double* pose) {
  const ModelView& m = *s.model;
  const double* data = s.joint_frame + joint_frame_size * joint;
  const int body_a = m.joint_body_a[joint];
  const V3 centre_a = body_a < 0 ? V3{0.0, 0.0, 0.0} : position(pose, body_a);
  JointPose p{
      centre_a, position(pose, m.joint_body_b[joint]), transform(a, load3(data)), transform(b, load3(data + 12)), {},
      {}};
  for (int i = 0; i < 3; ++i) {
    p.a[i] = rotate(a, load3(data + 3 + 3 * i));
    p.b[i] = rotate(b, load3(data + 15 + 3 * i));
  }
  return p;
}

// How far [m] the two frames of a joint of this arm are from each other.
PEGRASP_HD inline double frames_apart(const JointPose& at, double arm) {
  double apart = norm(at.x_b - at.x_a);
  for (int i = 0; i < 3; ++i) apart += arm * norm(at.b[i] - at.a[i]);
  return apart;
}
// Moves frame a in body a, or frame b in body b, to where the other one is. a, b: the frames of the bodies.
PEGRASP_HD inline void move_frame_a(const JointPose& at, const Frame& a, double* data) {
  store3(untransform(a, at.x_b), data);
  for (int i = 0; i < 3; ++i) store3(unrotate(a, at.b[i]), data + 3 + 3 * i);
}
PEGRASP_HD inline void move_frame_b(const JointPose& at, const Frame& b, double* data) {
  store3(untransform(b, at.x_a), data + 12);
  for (int i = 0; i < 3; ++i) store3(unrotate(b, at.a[i]), data + 15 + 3 * i);
}

PEGRASP_HD inline int linear_joint_rows(int kind) {
  if (kind == static_cast<int>(JointKind::distance)) return 0;
  return kind == static_cast<int>(JointKind::prismatic) || kind == static_cast<int>(JointKind::cylindrical) ? 2 : 3;
}
PEGRASP_HD inline int joint_rows_of(int kind) {
  switch (static_cast<JointKind>(kind)) {
    case JointKind::fixed:
      return 6;
    case JointKind::revolute:
    case JointKind::prismatic:
      return 5;
    case JointKind::cylindrical:
      return 4;
    case JointKind::spherical:
      return 3;
    case JointKind::distance:
      break;
  }
  return 0;
}

// Axes of an angular row.
PEGRASP_HD inline V3 angular_a(const JointPose& at, int i) { return at.a[i == 1 ? 1 : 0]; }
PEGRASP_HD inline V3 angular_b(const JointPose& at, int i) { return at.b[i == 2 ? 1 : 2]; }

PEGRASP_HD inline double joint_value(const ModelView& m, const JointPose& at, int joint, int i) {
  const int linear = linear_joint_rows(m.joint_kind[joint]);
  if (i < linear) return dot(at.a[i], at.x_b - at.x_a);
  return m.joint_arm[joint] * dot(angular_a(at, i - linear), angular_b(at, i - linear));
}

// Gradient with respect to the velocities of the two bodies.
struct JointGradient {
  Wrench a, b;
};
PEGRASP_HD inline JointGradient along(const JointPose& at, V3 d) {
  return {{-d, -cross(at.x_b - at.centre_a, d)}, {d, cross(at.x_b - at.centre_b, d)}};
}
PEGRASP_HD inline JointGradient about(V3 d) { return {{{0.0, 0.0, 0.0}, -d}, {{0.0, 0.0, 0.0}, d}}; }

PEGRASP_HD inline JointGradient joint_gradient(const ModelView& m, const JointPose& at, int joint, int i) {
  const int linear = linear_joint_rows(m.joint_kind[joint]);
  if (i < linear) return along(at, at.a[i]);
  return about(m.joint_arm[joint] * cross(angular_b(at, i - linear), angular_a(at, i - linear)));
}
// How far a spherical joint swings its second axis away from the first one, 0 to pi [rad].
PEGRASP_HD inline bool swings(const ModelView& m, int joint) {
  return m.joint_kind[joint] == static_cast<int>(JointKind::spherical);
}
PEGRASP_HD inline double swing_of(const JointPose& at) {
  return angle_of(norm(cross(at.a[2], at.b[2])), dot(at.a[2], at.b[2]));
}
// The unit axis about which the swing grows; any axis across them where the two axes are in line.
PEGRASP_HD inline V3 swing_axis(const JointPose& at) {
  constexpr double least = 1e-12;
  const V3 c = cross(at.a[2], at.b[2]);
  const double size = norm(c);
  return size > least ? (1.0 / size) * c : any_across(at.a[2]);
}

// From the first point of a distance joint to the second one, unit vector.
PEGRASP_HD inline V3 line_of(const JointPose& at) {
  const V3 d = at.x_b - at.x_a;
  const double length = norm(d);
  return length > shortest_line ? (1.0 / length) * d : at.a[2];
}
// Gradient of the velocity of the second point of a distance joint against the first one, across their line, in
// direction 1 or 2.
PEGRASP_HD inline JointGradient across_line(const JointPose& at, int direction) {
  const V3 line = line_of(at);
  const V3 first = any_across(line);
  const V3 d = direction == 1 ? first : cross(line, first);
  return {{-d, -cross(at.x_a - at.centre_a, d)}, {d, cross(at.x_b - at.centre_b, d)}};
}
// What an impulse of 1 along one body's part of a gradient adds to the rate of that part, and its rate at velocities.
PEGRASP_HD inline double body_response(const SceneView& s, int body, const Wrench& g) {
  double w[dof] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  apply_impulse(s, body, g.force, g.torque, w);
  return dot(g.force, load3(w)) + dot(g.torque, load3(w + 3));
}
PEGRASP_HD inline double body_rate(const double* nu, int body, const Wrench& g) {
  return dot(g.force, linear(nu, body)) + dot(g.torque, angular(nu, body));
}

// Gradient of the joint's coordinate: [m] or [rad].
PEGRASP_HD inline JointGradient freedom_gradient(const ModelView& m, const JointPose& at, int joint, bool turn) {
  if (is_distance(m, joint) && !turn) return along(at, line_of(at));
  if (!turn) return along(at, at.a[2]);
  return about(swings(m, joint) ? swing_axis(at) : at.a[2]);
}
// The pose whose gradient a limit's impulse acts along: that of the step's start. Exception: the swing was too small to
// have a direction there, or has crossed the cone's middle, where the old direction would push outwards; then the
// present pose.
PEGRASP_HD inline const JointPose& pushed_from(const ModelView& m, const JointPose& start, const JointPose& here,
                                               int joint) {
  if (!swings(m, joint)) return start;
  constexpr double alike = 0.5;  // cosine
  const bool small = swing_of(start) < 0.5 * m.joint_limit[4 * joint + 3];
  return small || dot(swing_axis(start), swing_axis(here)) < alike ? here : start;
}

PEGRASP_HD inline double slide_of(const ModelView& m, const JointPose& at, int joint) {
  if (is_distance(m, joint)) return norm(at.x_b - at.x_a);
  return dot(at.a[2], at.x_b - at.x_a);
}
// Rate [rad/s] at which the second frame turns against the first about the axis, from the last solve.
PEGRASP_HD inline double turn_rate(const SceneView& s, const JointPose& at, int joint) {
  const int a = s.model->joint_body_a[joint];
  const V3 w = angular(s.nu, s.model->joint_body_b[joint]);
  return dot(at.a[2], a < 0 ? w : w - angular(s.nu, a));
}
// The angle of the joint, to which whole turns are added so that it is nearest to `last`.
PEGRASP_HD inline double turn_of_joint(const ModelView& m, const JointPose& at, int joint, double last) {
  if (swings(m, joint)) return swing_of(at);
  constexpr double whole = 6.28318530717958623200;
  const double angle = angle_of(dot(at.a[1], at.b[0]), dot(at.a[0], at.b[0]));
  constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  return angle + whole * (((last - angle) / whole + round) - round);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
