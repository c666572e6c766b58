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
  const double now = s.tally->time0;
  const bool position = is_position_servo(*s.model, k);
  const V3 bias = position ? V3{0.0, 0.0, 0.0} : -ball_target(s, k, now + 0.5 * h);
  for (int i = 0; i < 3; ++i) {
    const JointGradient g = about(at.a[i]);
    set_joint_row(s, rows[i], joint, g, g, i == 0 ? bias.x : (i == 1 ? bias.y : bias.z), 0.0, 0.0);
  }
  if (!position) return;
  const double last = 2.0 * servo_time(s, k, h) - h;
  const V3 target = ball_target(s, k, now + h);
  const V3 left = ball_error(at, target);
  V3 next{0.0, 0.0, 0.0};
  if (h > 0.0) next = ball_target_speed(ball_target(s, k, now), target, h);
  V3 past = next;
  if (last > 0.0) past = ball_target_speed(ball_target(s, k, now - last), ball_target(s, k, now), last);
  if (!(h > 0.0)) next = past;
  make_servo_row(s, k, rows[0], h, {left.x, next.x, past.x, 0.0, 0.0});
  make_servo_row(s, k, rows[1], h, {left.y, next.y, past.y, 0.0, 0.0});
  make_servo_row(s, k, rows[2], h, {left.z, next.z, past.z, 0.0, 0.0});
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
