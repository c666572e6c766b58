// SPDX-License-Identifier: Apache-2.0
// Motion without constraint impulses: nu_free = nu + h M^-1 f; prescribed velocities; and the end pose q1 = q0 + h nu
// of any velocity (semi-implicit Euler; Stewart and Trinkle).
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/motion.hpp"
#else
#include "kernels/planar/motion.hpp"
#endif
#include "kernels/joint/taut.hpp"
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline void predict_body(const SceneView& s, int body, double h) {
  free_motion(s, body, h);
  if (s.model->joint_count > 0) note_free_spin(s, body);
  for (int i = 0; i < dof; ++i) s.nu[dof * body + i] = s.free_twist[dof * body + i];
  place_end(s, s.free_twist, body, h);
}

template <class Team>
PEGRASP_HD_APART void predict(Team& team, SceneView& s, const StepOptions& options) {
  for_each_active(team, s, [&](int body) { predict_body(s, body, options.h); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
