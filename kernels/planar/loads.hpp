// SPDX-License-Identifier: Apache-2.0
// What impulses do to a body's momentum in 2D, for kernels/launch/cpu/row_loads.hpp.
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// g: changes of a body's velocities; becomes [N s, N m s].
inline void to_momentum(const SceneView& s, int body, double* g) {
  const double mass = s.parameter(s.model->at.mass + body);
  g[0] *= mass;
  g[1] *= mass;
  g[2] *= s.parameter(s.model->at.inertia + body);
}

// The generalised impulse of a joint's coordinate on its second body, or its first.
inline void to_impulse(const JointGradient& gradient, bool second, double impulse, double* g) {
  for (int i = 0; i < dof; ++i) g[i] = impulse * (second ? gradient.b[i] : gradient.a[i]);
}

// No joint in 2D has such a motor.
inline void to_ball_impulse(const SceneView&, int, double, double, double* g) {
  for (int i = 0; i < dof; ++i) g[i] = 0.0;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
