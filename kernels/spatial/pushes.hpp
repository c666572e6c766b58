// SPDX-License-Identifier: Apache-2.0
// Impulses of rows and motors on bodies in 3D, as reports have them. For the host alone.
#pragma once

#include "kernels/contact/linearisation.hpp"
#include "kernels/outcome/push.hpp"
#include "kernels/spatial/at_start.hpp"
#include "kernels/spatial/ball_motor.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// M w p of a body that moves freely; w: M^-1 G^T of a row. The inertia is that in the middle of the step.
inline Push momentum_gained(const SceneView& s, int body, const SolverReal* w, double p) {
  const double mass = s.parameter(s.model->at.mass + body) / lightness(*s.model);
  double g[dof];
  for (int i = 0; i < dof; ++i) g[i] = static_cast<double>(w[i]) * p;
  store3(mass * load3(g), g);
  store3(load_symmetric(s.inertia + 18 * body + 12) * load3(g + 3), g + 3);
  return push_of(g);
}

// An impulse along a joint's gradient, on its second body or its first.
inline Push push_of(const JointGradient& gradient, bool second, double impulse) {
  const Wrench& w = second ? gradient.b : gradient.a;
  return {public_vector(impulse * w.force), public_vector(impulse * w.torque)};
}

// What the motor of a spherical joint with a given torque did in a substep of h [s] after one of `last` [s].
inline Push push_of_ball_motor(const SceneView& before, int k, bool second, double last, double h) {
  return {{}, public_vector((second ? 1.0 : -1.0) * ball_impulse(before, k, last, h))};
}

// The slip [m] of b against a in an attempt of h [s] that was taken; `before` has the poses that it began with.
inline V3 slip_of_attempt(const SceneView& before, const Contact& c, double h) {
  const bool about = about_motion(before, before.pairs[c.pair]);
  return slip_to_end(before, c, core_at_start(before, c, about), about, h);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
