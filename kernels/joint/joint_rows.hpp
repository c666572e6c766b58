// SPDX-License-Identifier: Apache-2.0
// The rows of joints, of their limits, of couplings and of motors.
//   joint    (psi(q_L) - target) / h + J (nu - nu_L) = 0                   any p;  nu_L = 0 at the start pose, else nu
//   limit    (gap(q_L) - target) / h + J (nu - nu_L) >= 0  _|_  p >= 0
//   coupling as of a joint, in two halves: gradients and nu_L of one joint each, the value in the first
//   servo    speed - target speed in the middle of the step,               |p| <= k limit
//   PD servo kernels/joint/servo.hpp,                                      |p| <= k limit
//   spring   kernels/joint/spring.hpp,                                     |p| <= k limit
//   follower kernels/joint/follow.hpp,                                     |p| <= k limit
// with k = (h_ + h) / 2, how long forces act at once where the step begins (kernels/integrate/predict.hpp).
// The motor of a spherical joint has three such rows that share a limit (kernels/spatial/motor_rows.hpp). J is the
// gradient at the pose of the linearisation; impulses act along the gradient at the start of the step (joint.hpp; of
// swings: pushed_from).
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/motor_rows.hpp"
#else
#include "kernels/planar/motor_rows.hpp"
#endif
#include "kernels/joint/follow.hpp"
#include "kernels/joint/joint.hpp"
#include "kernels/joint/servo.hpp"
#include "kernels/joint/spring.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Writes the rows of a joint.
PEGRASP_HD_APART void joint_rows(const SceneView& s, int joint, const Block& block, const StepOptions& options) {
  const ModelView& m = *s.model;
  const JointPose start = start_joint(s, joint);
  const JointPose here = s.tally->pass == 0 ? start : end_joint(s, joint);
  for (int i = 0; i < block.row_count; ++i) {
    const double target = joint_target(joint_value(m, start, joint, i), options);
    const double left = joint_value(m, here, joint, i) - target;
    const double bias = options.h > 0.0 ? left / options.h : 0.0;
    set_joint_row(s, s.rows[block.first_row + i], joint, joint_gradient(m, here, joint, i),
                  joint_gradient(m, start, joint, i), bias, 0.0, options.h);
  }
}

// Writes the row of a limit; owner: 2 joint + JointFreedom.
PEGRASP_HD_APART void limit_row(const SceneView& s, int owner, Row& row, const StepOptions& options) {
  const int joint = owner / 2;
  const int freedom = owner % 2;
  const JointPose start = start_joint(s, joint);
  const JointPose here = s.tally->pass == 0 ? start : end_joint(s, joint);
  const LimitGap gap = limit_gap(s, here, joint, freedom, s.tally->pass == 0 ? 0.0 : options.h);
  const double target = limit_target(limit_gap(s, start, joint, freedom, 0.0).gap, options);
  const double factor = gap.side * (freedom == free_slide ? 1.0 : s.model->joint_arm[joint]);
  const bool turn = freedom == free_turn;
  const JointPose& pushed = pushed_from(*s.model, start, here, joint);
  set_joint_row(s, row, joint, factor * freedom_gradient(*s.model, here, joint, turn),
                factor * freedom_gradient(*s.model, pushed, joint, turn), closing_speed(gap.gap - target, options), 0.0,
                options.h);
}

// Writes the row of one half of a coupling; owner: 2 coupling + half.
PEGRASP_HD_APART void coupling_row(const SceneView& s, int owner, Row& row, const StepOptions& options) {
  const ModelView& m = *s.model;
  const int coupling = owner / 2;
  const int joint = coupling_joint(m, coupling, owner % 2);
  const JointPose start = start_joint(s, joint);
  const JointPose here = s.tally->pass == 0 ? start : end_joint(s, joint);
  double bias = 0.0;
  if (owner % 2 == 0 && options.h > 0.0) {
    const double target = joint_target(coupling_value(s, coupling, false, 0.0), options);
    bias = (coupling_value(s, coupling, s.tally->pass != 0, options.h) - target) / options.h;
  }
  const double share = coupling_share(m, coupling, owner % 2);
  const bool turn = only_freedom(m, joint) == free_turn;
  set_joint_row(s, row, joint, share * freedom_gradient(m, here, joint, turn),
                share * freedom_gradient(m, start, joint, turn), bias, 0.0, options.h);
}

// The coordinate [m or rad] that an actuator drives, at the start of the (sub)step.
PEGRASP_HD inline double actuator_coordinate(const SceneView& s, int k) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  return joint < 0 ? body_coordinate(s, k) : joint_coordinate(s, start_joint(s, joint), joint, freedom_of(m, k), 0.0);
}

// Writes the row of follower k.
PEGRASP_HD inline void follow_row(const SceneView& s, int k, Row& row, double h) {
  const ModelView& m = *s.model;
  const int body = m.actuator_body[k];
  const int component = m.actuator_component[k];
  const FollowMotion motion = follow_motion(s, k, h);
  if (m.actuator_rotary[k] != 0) {
    turn_row(s, row, body, component, -follow_turn(motion, component));
    return;
  }
  const V along = follow_direction(s, body, component, s.tally->time0 + 0.5 * h);
  push_row(s, row, body, along, -dot(along, motion.linear));
}

// Writes the row of spring k. h: length of the (sub)step [s].
PEGRASP_HD_APART void spring_row(const SceneView& s, int k, Row& row, double h) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  const JointPose start = start_joint(s, joint);
  const JointGradient g = spring_gradient(m, k, start);
  const ServoRow servo = spring_servo(s, k, start, g, h).row;
  if (!(h > 0.0) || s.tally->pass == 0 || m.actuator_component[k] > 0) {
    set_joint_row(s, row, joint, g, g, servo.bias, servo.compliance, 0.0);
    return;
  }
  const JointPose here = end_joint(s, joint);
  const double side = line_side(start, here);
  const double speed = (side * slide_of(m, here, joint) - slide_of(m, start, joint)) / h;
  set_joint_row(s, row, joint, side * freedom_gradient(m, here, joint, false), g, speed + servo.bias, servo.compliance,
                h);
}

// Writes the rows of servo k. h: length of the (sub)step [s].
PEGRASP_HD_APART void actuator_rows(const SceneView& s, int k, Row* rows, double h) {
  const ModelView& m = *s.model;
  if (is_follower(m, k)) {
    follow_row(s, k, *rows, h);
    return;
  }
  if constexpr (is_spatial) {
    if (drives_ball(m, k)) {
      ball_motor_rows(s, k, rows, h);
      return;
    }
  }
  Row& row = *rows;
  if (is_spring(m, k)) {
    spring_row(s, k, *rows, h);
    return;
  }
  const bool position = is_position_servo(m, k);
  const double bias = position ? 0.0 : -actuator_target(s, k, s.tally->time0 + 0.5 * h);
  const int joint = m.actuator_joint[k];
  if (joint < 0) {
    body_drive_row(s, k, row, bias, 0.0);
  } else {
    const JointGradient g = freedom_gradient(m, start_joint(s, joint), joint, m.actuator_rotary[k] != 0);
    set_joint_row(s, row, joint, g, g, bias, 0.0, 0.0);
  }
  if (!position) return;
  make_servo_row(s, k, row, h, servo_state(s, k, h, actuator_coordinate(s, k)));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
