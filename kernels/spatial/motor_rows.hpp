// SPDX-License-Identifier: Apache-2.0
// The rows of the motor of a spherical joint.
#pragma once

#include "kernels/joint/servo.hpp"
#include "kernels/spatial/ball_motor.hpp"
#include "kernels/spatial/rows.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Writes the three rows of servo k, which share its limit. h: length of the (sub)step [s].
PEGRASP_HD inline void ball_motor_rows(const SceneView& s, int k, Row* rows, double h) {
  const int joint = s.model->actuator_joint[k];
  const JointPose at = start_joint(s, joint);
  V3 bias = -ball_target(s, k, s.tally->time0 + 0.5 * h);
  double compliance = 0.0;
  if (is_position_servo(*s.model, k)) {
    const ServoGains gains = servo_gains(s, k, h);
    const V3 target = ball_target(s, k, s.tally->time0 + h);
    const V3 left = ball_error(at, target);
    const double span = h > 0.0 ? h : servo_time(s, k, h);  // as in actuator_rows()
    V3 speed{0.0, 0.0, 0.0};
    if (span > 0.0) speed = ball_target_speed(ball_target(s, k, s.tally->time0 + h - span), target, span);
    bias = {servo_bias(gains, left.x, speed.x), servo_bias(gains, left.y, speed.y), servo_bias(gains, left.z, speed.z)};
    compliance = gains.compliance;
  }
  for (int i = 0; i < 3; ++i) {
    const JointGradient g = about(at.a[i]);
    set_joint_row(s, rows[i], joint, g, g, i == 0 ? bias.x : (i == 1 ? bias.y : bias.z), compliance, 0.0);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
