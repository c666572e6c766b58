// SPDX-License-Identifier: Apache-2.0
// The rows of joints, of their limits and of motors.
//   joint    (psi(q_L) - target) / h + J (nu - nu_L) = 0                   any p;  nu_L = 0 at the start pose, else nu
//   limit    (gap(q_L) - target) / h + J (nu - nu_L) >= 0  _|_  p >= 0
//   servo    speed - target speed,                                         |p| <= h limit
//   PD servo F = K (x* - x1) + D (v* - v) at the end of the step:
//              v - (K (x* - x) + D v*) / (h K + D) + p / (h (h K + D)),    |p| <= h limit
// The motor of a spherical joint has three such rows that share a limit (kernels/spatial/motor_rows.hpp). J is the
// gradient at the pose of the linearisation; impulses act along the gradient at the start of the step (joint.hpp; of
// swings: pushed_from).
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/motor_rows.hpp"
#else
#include "kernels/planar/motor_rows.hpp"
#endif
#include "kernels/joint/joint.hpp"
#include "kernels/joint/servo.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Writes the rows of a joint.
PEGRASP_HD_APART void joint_rows(const SceneView& s, int joint, const Block& block, const StepOptions& options) {
  const ModelView& m = *s.model;
  const JointPose start = start_joint(s, joint);
  const JointPose here = s.tally->pass == 0 ? start : end_joint(s, joint);
  for (int i = 0; i < block.row_count; ++i) {
    const double target = joint_target(joint_value(m, start, joint, i), options);
    const double bias = (joint_value(m, here, joint, i) - target) / options.h;
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
                factor * freedom_gradient(*s.model, pushed, joint, turn), (gap.gap - target) / options.h, 0.0,
                options.h);
}

// The coordinate [m or rad] that an actuator drives, at the start of the (sub)step.
PEGRASP_HD inline double actuator_coordinate(const SceneView& s, int k) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  return joint < 0 ? body_coordinate(s, k) : joint_coordinate(s, start_joint(s, joint), joint, freedom_of(m, k), 0.0);
}

// Writes the rows of servo k. h: length of the (sub)step [s].
PEGRASP_HD_APART void actuator_rows(const SceneView& s, int k, Row* rows, double h) {
  const ModelView& m = *s.model;
  if constexpr (is_spatial) {
    if (drives_ball(m, k)) {
      ball_motor_rows(s, k, rows, h);
      return;
    }
  }
  Row& row = *rows;
  const double end = s.tally->time0 + h;
  const double target = actuator_target(s, k, end);
  double bias = -target;
  double compliance = 0.0;
  if (is_position_servo(m, k)) {
    const ServoGains gains = servo_gains(s, k, h);
    bias = servo_bias(gains, target - actuator_coordinate(s, k), (target - actuator_target(s, k, s.tally->time0)) / h);
    compliance = gains.compliance;
  }
  const int joint = m.actuator_joint[k];
  if (joint < 0) {
    body_drive_row(s, k, row, bias, compliance);
    return;
  }
  const JointGradient g = freedom_gradient(m, start_joint(s, joint), joint, m.actuator_rotary[k] != 0);
  set_joint_row(s, row, joint, g, g, bias, compliance, 0.0);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
