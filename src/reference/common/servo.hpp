// SPDX-License-Identifier: Apache-2.0
// A servo with PD gains in a step of h [s] after one of `last`, which acts for k = (last + h) / 2 where the step
// begins:
//
//   p = k (K (x* - x_1 - a h (v*_ - u_)) + D (g (v* - u) + (1 - g) (v*_ - u_))),  x_1 = x + h u
//   a = 1 / (1 + (h^2 K + h D) / m),  g = 1 - a / 2,  1 / m: what the coordinate's speed gains by an impulse
//
// A soft servo takes the mean of what it would give with the speeds of the last step and of this one; a stiff one gives
// what its target and its place at the end of the step ask for. A step of length 0 gives K (x* - x) + D (v* - v).
#pragma once

namespace pegrasp::reference {

struct ServoGains {
  double stiffness, damping;
};
struct ServoState {
  double left;                         // from the coordinate at the start to the target at the end of the step
  double target;                       // mean speed of the target in this step
  double target_before, speed_before;  // of the target and of the coordinate in the last step
  double response;                     // 1 / m
};
// The row is u + bias + compliance p = 0.
struct ServoRow {
  double bias, compliance;
};

inline ServoRow servo_row(const ServoGains& gains, const ServoState& at, double last, double h) {
  constexpr double short_while = 1e-3;  // in which a servo yields by its stiffness in a step without length, of k
  const double k = 0.5 * (last + h);
  const double K = gains.stiffness;
  const double D = gains.damping;
  if (!(h > 0.0)) {
    const double gain = short_while * k * K + D;
    return {-(K * at.left + D * at.target) / gain, 1.0 / (k * gain)};
  }
  const double a = 1.0 / (1.0 + h * (h * K + D) * at.response);
  const double g = 1.0 - 0.5 * a;
  const double lag = at.target_before - at.speed_before;
  const double gain = h * K + g * D;
  return {-(K * (at.left - a * h * lag) + D * (g * at.target + (1.0 - g) * lag)) / gain, 1.0 / (k * gain)};
}

// The two speeds of a target that was at `before` where the last step began, is at `now` and will be at `then`.
struct TargetSpeeds {
  double now, before;
};
inline TargetSpeeds target_speeds(double before, double now, double then, double last, double h) {
  const double next = h > 0.0 ? (then - now) / h : 0.0;
  const double past = last > 0.0 ? (now - before) / last : next;
  return {h > 0.0 ? next : past, past};
}

}  // namespace pegrasp::reference
