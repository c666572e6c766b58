// SPDX-License-Identifier: Apache-2.0
// Springs between two points of two bodies, or of a body and the world (Berard's thesis, 2.125-2.132): position servos
// on the coordinate l = |x_b - x_a| of a distance joint, whose target is the length at rest.
//
//   along the line   the row of a PD servo (servo.hpp), linearised like a joint's: in later passes at the end pose,
//                      (l(q_L) - l(q0)) / h + J (nu - nu_L) + bias + compliance p = 0
//                    with the impulse along the gradient at the start. So a stiff spring is a rod, at any step.
//   across it        a damper alone, D (velocity of x_b against x_a), as the thesis has it (actuator_component 1, 2)
//
// The force has the direction at the start of the step, as that of a joint. So a mass m that a load F holds taut
// between springs of length l swings across them explicitly, h < sqrt(2 m l / F): taut.hpp knows nothing of springs.
//
// How far a pass leaves l from what the row asks for counts as a joint's error, by the share with which the row answers
// by motion instead of by its compliance: a soft spring has no error to speak of.
#pragma once

#include "kernels/joint/servo.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool is_spring(const ModelView& m, int actuator) {
  const int joint = m.actuator_joint[actuator];
  return joint >= 0 && is_distance(m, joint) && is_position_servo(m, actuator);
}

// What the row of spring k adds to the velocity of its coordinate in a (sub)step of h [s]. g: gradient at the start.
struct SpringServo {
  ServoRow row;
  double response;  // J M^-1 J^T
};
PEGRASP_HD_APART SpringServo spring_servo(const SceneView& s, int k, const JointPose& start, const JointGradient& g,
                                          double h) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  const int a = m.joint_body_a[joint];
  const int b = m.joint_body_b[joint];
  const auto before = [&s](int body) { return is_dynamic(s, body) ? s.twist : s.free_twist; };
  const bool across = m.actuator_component[k] > 0;
  ServoState at = servo_state(s, k, h, slide_of(m, start, joint));
  if (across) at = {0.0, 0.0, 0.0, 0.0, 0.0};
  at.response = body_response(s, b, g.b) + (a < 0 ? 0.0 : body_response(s, a, g.a));
  at.speed = body_rate(before(b), b, g.b) + (a < 0 ? 0.0 : body_rate(before(a), a, g.a));
  return {servo_row(s, k, h, at), at.response};
}

// The gradient along which spring k acts.
PEGRASP_HD inline JointGradient spring_gradient(const ModelView& m, int k, const JointPose& at) {
  const int component = m.actuator_component[k];
  return component > 0 ? across_line(at, component) : freedom_gradient(m, at, m.actuator_joint[k], false);
}

// On which side of the first point the second one has come in the step: -1 where it went through it.
PEGRASP_HD inline double line_side(const JointPose& start, const JointPose& here) {
  return dot(line_of(start), here.x_b - here.x_a) < 0.0 ? -1.0 : 1.0;
}

// How far [m] the last solve leaves the coordinate of spring k from what its force asks for at the end pose. kept_h:
// length of the step [s] to which the kept impulses belong.
PEGRASP_HD_APART double spring_error(const SceneView& s, int k, double h, double kept_h) {
  const ModelView& m = *s.model;
  const int joint = m.actuator_joint[k];
  const JointPose start = start_joint(s, joint);
  const JointPose end = end_joint(s, joint);
  const SpringServo servo = spring_servo(s, k, start, spring_gradient(m, k, start), h);
  const double moved = line_side(start, end) * slide_of(m, end, joint) - slide_of(m, start, joint);
  const double yields = servo.row.compliance * (h / kept_h) * s.actuator_impulse[motor_rows_most * k];
  const double error = moved + h * (servo.row.bias + yields);
  return servo.response > 0.0 ? abs1(error) * servo.response / (servo.response + servo.row.compliance) : 0.0;
}

// How far [m] the rows and limits of the joint, its couplings, and springs on it end from where the step was to take
// them. kept_h: as of spring_error().
PEGRASP_HD inline double hold_error(const SceneView& s, int joint, const StepOptions& options, double kept_h) {
  double error = joint_error(s, joint, options);
  if (!is_distance(*s.model, joint) || !joint_present(s, joint) || !(options.h > 0.0)) return error;
  for (int k = 0; k < s.model->actuator_count; ++k) {
    const bool here = s.model->actuator_joint[k] == joint && s.model->actuator_component[k] == 0;
    if (here && is_spring(*s.model, k)) error = max_or_nan(error, spring_error(s, k, options.h, kept_h));
  }
  return error;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
