// SPDX-License-Identifier: Apache-2.0
// Wrenches that the user sets between steps (Simulation::set_force). One holds for a whole step, with all its substeps,
// so that its impulse is force times time, whatever the steps are.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether there are any; on a device never, as it runs whole trials.
PEGRASP_HD inline bool has_wrenches(const SceneView& s) { return !for_device && s.wrenches != nullptr; }

// The impulse and its moment (dof) [N s, N m s] on a body where a (sub)step of h [s] begins, of scenes with such
// wrenches: for half of the body's last (sub)step by what held then, and for half of this one.
PEGRASP_HD inline void set_impulse(const SceneView& s, int body, double h, double* impulse) {
  const SetWrenches& set = *s.wrenches;
  const double half = 0.5 * s.last_h[body];
  const double* now = set.now + dof * body;
  const double* then = s.tally->time0 - half < set.since ? set.before + dof * body : now;
  for (int i = 0; i < dof; ++i) impulse[i] = 0.5 * h * now[i] + half * then[i];
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
