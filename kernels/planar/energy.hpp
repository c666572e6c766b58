// SPDX-License-Identifier: Apache-2.0
// The work that is done on bodies in 2D, and the energy by which steps with bodies that joints hold taut are rejected.
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

// Kinetic energy [J] of a body with the velocity v, with the inertia that is added to it (kernels/joint/taut.hpp).
PEGRASP_HD inline double held_kinetic_energy(const SceneView& s, int body, const double* v) {
  const double inertia = s.parameter(s.model->at.inertia + body) + s.taut[taut_size * body + taut_added];
  return 0.5 * (s.parameter(s.model->at.mass + body) * (v[0] * v[0] + v[1] * v[1]) + inertia * v[2] * v[2]);
}

// Part by which an attempt that nothing solved may gain energy (kernels/integrate/hold_still.hpp).
constexpr double most_unsolved_gain = 0.01;

// Kinetic energy [J] of a body with the velocity v, and a bound [m/s] on the speed of its points.
PEGRASP_HD inline double energy_of(const SceneView& s, int body, const double* v) {
  const double inertia = s.parameter(s.model->at.inertia + body);
  return 0.5 * (s.parameter(s.model->at.mass + body) * (v[0] * v[0] + v[1] * v[1]) + inertia * v[2] * v[2]);
}
PEGRASP_HD inline double speed_of(const SceneView& s, int body, const double* v) {
  return norm({v[0], v[1]}) + abs1(v[2]) * s.model->body_radius[body];
}
// Kinetic energy [J] at the start and at the end of an attempt.
PEGRASP_HD inline double energy_before(const SceneView& s, int body) {
  return energy_of(s, body, s.twist + dof * body);
}
PEGRASP_HD inline double energy_after(const SceneView& s, int body) { return energy_of(s, body, s.nu + dof * body); }

// Adds a share of the velocity with which a body with prescribed motion would take another along.
PEGRASP_HD inline void add_carried(const SceneView& s, int body, int by, double share, double* nu) {
  const V2 v = point_velocity(s.nu, by, position(s.pose, body) - position(s.pose, by));
  nu[0] += share * v.x;
  nu[1] += share * v.y;
  nu[2] += share * s.nu[dof * by + 2];
}

// Whether the step has gained energy from nowhere: by more than a hundredth of the free motion's, beyond what servos
// add to that, what else is put in from outside, and what the tolerances leave. Asked where joints hold bodies taut
// alone.
PEGRASP_HD inline bool gains_energy(const SceneView& s, const StepOptions& options) {
  constexpr double most_gain = 0.01;
  if (s.tally->taut == 0 || !remembers_motion(*s.model) || options.contact != ContactModel::peg) return false;
  double free = 0.0;
  double solved = 0.0;
  double driven = 0.0;
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (!is_dynamic(s, body) || !s.present[body]) continue;
    const double own = held_kinetic_energy(s, body, s.free_twist + dof * body);
    free += own;
    solved += held_kinetic_energy(s, body, s.nu + dof * body);
    if (s.model->actuator_count == 0) continue;
    double by_servos[dof];
    driven_twist(s, body, by_servos);
    driven += held_kinetic_energy(s, body, by_servos) - own;
  }
  const double off = options.tolerance + options.penetration_tolerance / options.h;
  double work = 0.0;
  double slack = 0.0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    double done = 0.0;
    add_block_work(s, k, s.free_twist, done, true);
    const bool shell = block.kind == block_contact && s.rows[block.first_row].compliance > 0;
    if (shell) slack += most_gain * abs1(done);
    if (block.kind == block_clamp) {
      slack += most_gain * abs1(done);
    } else {
      work += done;
    }
    for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
      slack += off * abs1(static_cast<double>(s.p[i]));
    }
    if (block.kind != block_contact) continue;
    const NearPair& pair = s.pairs[s.contacts[k].pair];
    work += max2(0.0, pair.target - pair.s0_max) / options.h * static_cast<double>(s.p[block.first_row]);
  }
  return solved - work > (1.0 + most_gain) * free + driven + slack;
}

// The energy balance of an attempt (kernels/batch/batch_view.hpp): nothing is kept.
struct EnergyBalance {};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
