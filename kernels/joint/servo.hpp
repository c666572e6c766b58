// SPDX-License-Identifier: Apache-2.0
// The gains and targets of servos in their rows. kernels/joint/joint_rows.hpp has the equations.
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// How a PD servo enters its rows: p by `compliance`; the speed in the step is to be (stiffness * distance left + damping
// * speed of the target) / gain.
struct ServoGains {
  double stiffness, damping;
  double gain;        // h K + D
  double compliance;  // 1 / (servo_time gain)
};
PEGRASP_HD inline ServoGains servo_gains(const SceneView& s, int k, double h) {
  const int at = s.model->at.actuator + ParameterLayout::actuator_stride * k;
  const double stiffness = s.parameter(at + ParameterLayout::actuator_stiffness);
  const double damping = s.parameter(at + ParameterLayout::actuator_damping);
  // Without length, a step still yields by its stiffness, for a short while: else springs alone would have no gain.
  constexpr double short_while = 1e-3;
  const double time = servo_time(s, k, h);
  const double gain = (h > 0.0 ? h : short_while * time) * stiffness + damping;
  constexpr double most = 1e30;  // without gains the servo yields to anything
  return {stiffness, damping, gain, time * gain > 0.0 ? min2(1.0 / (time * gain), most) : most};
}
PEGRASP_HD inline double servo_bias(const ServoGains& g, double left, double target_speed) {
  const double pull = g.stiffness * left + g.damping * target_speed;
  return g.gain > 0.0 ? -pull / g.gain : 0.0;
}

PEGRASP_HD inline bool is_position_servo(const ModelView& m, int k) {
  return m.actuator_kind[k] == static_cast<int>(ActuatorKind::position_servo);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
