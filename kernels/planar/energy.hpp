// SPDX-License-Identifier: Apache-2.0
// The work that is done on bodies in 2D. Here no step is rejected for the energy that it gains.
#pragma once

#include "kernels/integrate/block_work.hpp"
#include "kernels/planar/taut.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds the work [J] of gravity, applied forces and other causes of the free motion of a body.
PEGRASP_HD inline void add_body_work(const SceneView& s, int body, double& work) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body) || !s.present[body]) return;
  const double* before = s.twist + dof * body;
  const double* after = s.nu + dof * body;
  const double* free_twist = s.free_twist + dof * body;
  const double free[dof] = {free_twist[0], free_twist[1], plain_spin(s, body)};
  const double mass = s.parameter(m.at.mass + body);
  const double weight[dof] = {mass, mass, s.parameter(m.at.inertia + body)};
  for (int i = 0; i < dof; ++i) work += 0.5 * weight[i] * (free[i] - before[i]) * (before[i] + after[i]);
}

// Whether the step has gained energy from nowhere: never asked in 2D.
PEGRASP_HD inline bool gains_energy(const SceneView&, const StepOptions&) { return false; }

// The energy balance of an attempt (kernels/batch/batch_view.hpp): nothing is kept.
struct EnergyBalance {};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
