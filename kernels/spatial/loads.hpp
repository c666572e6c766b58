// SPDX-License-Identifier: Apache-2.0
// What impulses do to a body's momentum in 3D, for kernels/launch/cpu/row_loads.hpp.
#pragma once

#include "kernels/joint/joint.hpp"
#include "kernels/spatial/ball_motor.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// g: changes of a body's velocities; becomes [N s, N m s], with the inertia in the middle of the step.
inline void to_momentum(const SceneView& s, int body, double* g) {
  const double mass = s.parameter(s.model->at.mass + body);
  store3(mass * load3(g), g);
  store3(load_symmetric(s.inertia + 18 * body + 12) * load3(g + 3), g + 3);
}

// The generalised impulse of a joint's coordinate on its second body, or its first.
inline void to_impulse(const JointGradient& gradient, bool second, double impulse, double* g) {
  const Wrench& w = second ? gradient.b : gradient.a;
  store3(impulse * w.force, g);
  store3(impulse * w.torque, g + 3);
}

// That of the motor of a spherical joint with a given torque (given_impulse) on the joint's second body.
inline void to_ball_impulse(const SceneView& before, int motor, double last, double h, double* g) {
  store3({0.0, 0.0, 0.0}, g);
  store3(ball_impulse(before, motor, last, h), g + 3);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
