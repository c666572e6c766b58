// SPDX-License-Identifier: Apache-2.0
// The gains and targets of servos in their rows. kernels/joint/joint_rows.hpp has the equations.
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// What a row of a PD servo is made from, at the start of the step.
struct ServoState {
  double left;      // to where the target is at the end of the step
  double target;    // mean speed of the target in this step
  double target_;   // in the last one
  double speed;     // of the coordinate in the last one
  double response;  // J M^-1 J^T
};
// How it enters the row: the speed in the step is to be -bias; it yields to p by `compliance`.
struct ServoRow {
  double bias, compliance;
};

// The force in the middle between the last step and this one. A soft servo takes the mean of what it would give with
// the speeds of both, which is of second order; one that is stiff for the step gives what its target and its place at
// the end of this step ask for, which keeps it from ringing. a goes from 1 to 0 in between. k: how long it acts.
//   p = k (K (x* - x1 - a h (v*_ - u_)) + D (g (v* - u) + (1 - g) (v*_ - u_))),   x1 = x + h u
//   a = 1 / (1 + (h^2 K + h D) J M^-1 J^T),  g = 1 - a / 2
// A step without length gives K (x* - x) + D (v* - v), and yields by its stiffness for a short while: else springs
// alone would have no gain.
PEGRASP_HD inline ServoRow servo_row(const SceneView& s, int k, double h, const ServoState& at) {
  constexpr double short_while = 1e-3;
  constexpr double most = 1e30;  // without gains the servo yields to anything
  const int parameters = s.model->at.actuator + ParameterLayout::actuator_stride * k;
  const double stiffness = s.parameter(parameters + ParameterLayout::actuator_stiffness);
  const double damping = s.parameter(parameters + ParameterLayout::actuator_damping);
  const double time = servo_time(s, k, h);
  double gain = short_while * time * stiffness + damping;
  double pull = stiffness * at.left + damping * at.target;
  if (h > 0.0) {
    const double a = 1.0 / (1.0 + (h * h * stiffness + h * damping) * at.response);
    const double g = 1.0 - 0.5 * a;
    const double lag = at.target_ - at.speed;
    gain = h * stiffness + g * damping;
    pull = stiffness * (at.left - a * h * lag) + damping * (g * at.target + (1.0 - g) * lag);
  }
  return {gain > 0.0 ? -pull / gain : 0.0, time * gain > 0.0 ? min2(1.0 / (time * gain), most) : most};
}

// The speed of a row's coordinate in the last step; of bodies with prescribed motion in this one.
PEGRASP_HD inline double speed_before(const SceneView& s, const Row& row) {
  const double* a = (is_dynamic(s, row.body_a) ? s.twist : s.free_twist) + dof * row.body_a;
  const double* b = (is_dynamic(s, row.body_b) ? s.twist : s.free_twist) + dof * row.body_b;
  double speed = 0.0;
  for (int i = 0; i < dof; ++i) {
    speed += static_cast<double>(row.ja[i]) * a[i];
    if (row.body_b != row.body_a) speed += static_cast<double>(row.jb[i]) * b[i];
  }
  return speed;
}

// Makes a row of the coordinate's speed that of a PD servo.
PEGRASP_HD inline void make_servo_row(const SceneView& s, int k, Row& row, double h, ServoState at) {
  at.response = static_cast<double>(row.diagonal);
  at.speed = speed_before(s, row);
  const ServoRow servo = servo_row(s, k, h, at);
  row.bias = static_cast<SolverReal>(servo.bias);
  row.compliance = static_cast<SolverReal>(servo.compliance);
  row.diagonal = static_cast<SolverReal>(at.response + servo.compliance);
}

// The mean speeds of a target that moves from `before` to `now` in the last step and on to `then` in this one; in a
// first step, and in one without length, there is only one of them.
struct TargetSpeeds {
  double now, before;
};
PEGRASP_HD inline TargetSpeeds target_speeds(double before, double now, double then, double last, double h) {
  const double next = h > 0.0 ? (then - now) / h : 0.0;
  const double past = last > 0.0 ? (now - before) / last : next;
  return {h > 0.0 ? next : past, past};
}

// The state of a servo whose coordinate is `at` where a (sub)step of h [s] begins, but for its speed and its response.
PEGRASP_HD inline ServoState servo_state(const SceneView& s, int k, double h, double at) {
  const double now = s.tally->time0;
  const double last = 2.0 * servo_time(s, k, h) - h;
  const double target = actuator_target(s, k, now + h);
  const TargetSpeeds speeds =
      target_speeds(actuator_target(s, k, now - last), actuator_target(s, k, now), target, last, h);
  return {target - at, speeds.now, speeds.before, 0.0, 0.0};
}

PEGRASP_HD inline bool is_position_servo(const ModelView& m, int k) {
  return m.actuator_kind[k] == static_cast<int>(ActuatorKind::position_servo);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
