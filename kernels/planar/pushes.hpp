// SPDX-License-Identifier: Apache-2.0
// Impulses of rows and motors on bodies in 2D, as reports have them. For the host alone.
#pragma once

#include "kernels/outcome/push.hpp"
#include "kernels/planar/at_start.hpp"
#include "kernels/planar/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// M w p of a body that moves freely; w: M^-1 G^T of a row.
inline Push momentum_gained(const SceneView& s, int body, const SolverReal* w, double p) {
  const double mass = s.parameter(s.model->at.mass + body) / lightness(*s.model);
  const double inertia = s.parameter(s.model->at.inertia + body) / lightness(*s.model);
  const double g[dof] = {mass * static_cast<double>(w[0]) * p, mass * static_cast<double>(w[1]) * p,
                         inertia * static_cast<double>(w[2]) * p};
  return push_of(g);
}

// An impulse along a joint's gradient, on its second body or its first.
inline Push push_of(const JointGradient& gradient, bool second, double impulse) {
  double g[dof];
  for (int i = 0; i < dof; ++i) g[i] = impulse * (second ? gradient.b[i] : gradient.a[i]);
  return push_of(g);
}

// Never called: planar scenes have no spherical joints.
inline Push push_of_ball_motor(const SceneView&, int, bool, double, double) { return {}; }

// The slip [m] of b against a in an attempt that was taken; `before` has the poses that it began with.
inline V2 slip_of_attempt(const SceneView& before, const Contact& c, double) {
  return slip_to_end(before, c, before.tally->contacts_later != 0);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
