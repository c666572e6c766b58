// SPDX-License-Identifier: Apache-2.0
// The work that is done on bodies in 3D, and the energy by which a step is rejected.
#pragma once

#include "kernels/integrate/block_work.hpp"
#include "kernels/spatial/motion.hpp"
#include "kernels/spatial/taut.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds the work [J] of gravity, applied forces and whatever else makes the free motion of a body.
PEGRASP_HD inline void add_body_work(const SceneView& s, int body, double& work) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body) || !s.present[body]) return;
  const double* before = s.twist + dof * body;
  const double* after = s.nu + dof * body;
  const double* free = s.free_twist + dof * body;
  const double mass = s.parameter(m.at.mass + body);
  for (int i = 0; i < 3; ++i) work += 0.5 * mass * (free[i] - before[i]) * (before[i] + after[i]);
  // torques of motors and of the user change the angular momentum before impulses do
  if (forces_are_set(s)) {
    const V3 turned_by =
        load_symmetric(s.inertia + 18 * body + 12) * (load3(plain_spin(s, body)) - unforced_spin(s, body));
    work += 0.5 * dot(turned_by, load3(before + 3) + load3(after + 3));
  }
}

// Part by which an attempt that nothing solved may gain energy (kernels/integrate/hold_still.hpp).
constexpr double most_unsolved_gain = 0.01;

// Kinetic energy [J] of a body with the velocity nu (dof), with the inertia in the middle of the step, and a bound
// [m/s] on the speed of its points.
PEGRASP_HD inline double energy_of(const SceneView& s, int body, const double* nu) {
  const V3 v = load3(nu), w = load3(nu + 3);
  return 0.5 *
         (s.parameter(s.model->at.mass + body) * dot(v, v) + dot(w, load_symmetric(s.inertia + 18 * body + 12) * w));
}
PEGRASP_HD inline double speed_of(const SceneView& s, int body, const double* nu) {
  return norm(load3(nu)) + norm(load3(nu + 3)) * reach_of(s, body);
}
// Kinetic energy [J] at the start and at the end of an attempt.
PEGRASP_HD inline double energy_before(const SceneView& s, int body) {
  const V3 v = linear(s.twist, body);
  const Frame frame = start_frame(s, body);
  return 0.5 * s.parameter(s.model->at.mass + body) * dot(v, v) + spin_energy(s, body, frame.row);
}
PEGRASP_HD inline double energy_after(const SceneView& s, int body) { return kinetic_energy_after(s, body); }

// Adds a share of the velocity with which a body with prescribed motion would take another along.
PEGRASP_HD inline void add_carried(const SceneView& s, int body, int by, double share, double* nu) {
  const V3 v = point_velocity(s.nu, by, position(s.pose, body) - position(s.pose, by));
  store3(load3(nu) + share * v, nu);
  store3(load3(nu + 3) + share * angular(s.nu, by), nu + 3);
}

// The energy balance of a step [J], summed over a scene or an island, by which gains_energy() decides.
struct EnergyBalance {
  double free = 0.0;    // kinetic energy of the free motion
  double solved = 0.0;  // kinetic energy of the solution
  double slack = 0.0;   // what impulses may seem to gain: the free motion may have no energy to measure a gain by
  double gain = 0.0;    // beyond the step's start and what gravity did
  double lift = 0.0;    // that may always be gained
  double driven = 0.0;  // what the impulses of servos add to it, without those of contacts and joints
  double work = 0.0;    // from outside, without servos, on bodies that begin with the velocities of the free motion
  double servos = 0.0;  // from outside, on bodies that begin with their velocities at the start
};

// Kinetic energy [J] of the inertia that is added to bodies which joints hold taut (kernels/joint/taut.hpp).
PEGRASP_HD inline double held_energy(const SceneView& s, int body, const double* nu) {
  if (s.model->joint_count == 0) return 0.0;
  const V3 w = angular(nu, body);
  return 0.5 * dot(w, load_symmetric(s.taut + taut_size * body + taut_added) * w);
}

// Both together [J]; nu (dof): of this body alone.
PEGRASP_HD inline double motion_energy(const SceneView& s, int body, const double* nu) {
  const V3 v = load3(nu), w = load3(nu + 3);
  double energy =
      s.parameter(s.model->at.mass + body) * dot(v, v) + dot(w, load_symmetric(s.inertia + 18 * body + 12) * w);
  if (s.model->joint_count > 0) energy += dot(w, load_symmetric(s.taut + taut_size * body + taut_added) * w);
  return 0.5 * energy;
}

// Adds a body to the balance. Returns false where the free turn of the body does not keep its energy.
PEGRASP_HD inline bool add_body_energy(const SceneView& s, int body, double h, EnergyBalance& sum) {
  constexpr double most_turning = 0.01;  // of the free motion's energy
  // A gain that lifts the bodies by this part of their radius is always allowed: a few bodies that rock have little
  // energy of their own.
  constexpr double most_lift = 2e-4;
  if (!is_dynamic(s, body) || !s.present[body]) return true;
  if (!turns_as_it_should(s, body, h, most_turning)) return false;
  sum.free += kinetic_energy(s, body, s.free_twist) + held_energy(s, body, s.free_twist);
  sum.solved += kinetic_energy(s, body, s.nu) + held_energy(s, body, s.nu);
  if (s.model->actuator_count > 0) {
    double driven[dof];
    driven_twist(s, body, driven);
    sum.driven += motion_energy(s, body, driven) - motion_energy(s, body, s.free_twist + dof * body);
  }
  sum.gain += energy_gain(s, body, h);
  if (s.model->actuator_count > 0) {  // motors of a given force
    const V3 mean = 0.5 * (load3(s.twist + dof * body) + load3(s.nu + dof * body));
    sum.gain -= dot(motor_impulse(s, body, h).force, mean);
  }
  sum.lift += most_lift * weight_radius(s, body);
  return true;
}

// Part of the free motion's energy, and of what servos turn over, that a step may gain beyond the free motion.
constexpr double most_gain = 0.01;

// The error of row velocities [m/s] after a solve: its tolerance, and where there are joints or actuators what draws
// joints together that the last step left open within tolerance. An impulse does work along it that nothing puts in.
// Bodies without weight may come to rest against each other: then nothing else is left to measure a gain by.
PEGRASP_HD inline double velocity_slack(const SceneView& s, bool jointed, const StepOptions& options, double h) {
  const bool driven = jointed || s.model->actuator_count > 0;
  return options.tolerance + (driven ? options.penetration_tolerance / h : 0.0);
}

// Adds the work of block k to the balance. off: velocity_slack() [m/s].
PEGRASP_HD inline void add_block_energy(const SceneView& s, int k, double off, EnergyBalance& sum) {
  const Block& block = s.blocks[k];
  double work = 0.0;
  add_block_work(s, k, s.free_twist, work, true);
  if (block.kind != block_clamp) sum.work += work;
  add_block_work(s, k, s.twist, sum.servos, true);
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    sum.slack += off * abs1(static_cast<double>(s.p[i]));
  }
  const bool shell = block.kind == block_contact && block.row_count > 0 && s.rows[block.first_row].compliance > 0;
  if (block.kind == block_clamp || shell) sum.slack += most_gain * abs1(work);
}

// Adds the work by which a contact that undoes overlap may push, at the recovery speed.
PEGRASP_HD inline void add_push_energy(const SceneView& s, int contact, double h, EnergyBalance& sum) {
  const NearPair& pair = s.pairs[s.contacts[contact].pair];
  const double push = max2(0.0, pair.target - pair.s0_max) / h * static_cast<double>(s.p[s.blocks[contact].first_row]);
  sum.work += push;
  sum.servos += push;
}

// Whether the balance shows a gain beyond what is allowed. Contacts take energy from the motion that servos alone would
// lead to. Measured from the free motion they may seem to give some: those that hold a part in a hand which servos
// stop, while in the free motion the part falls and the hand goes on.
PEGRASP_HD inline bool out_of_balance(bool jointed, const EnergyBalance& sum) {
  constexpr double most_in_all = 0.0025;  // of the free motion's energy, beyond the step's start
  if (sum.solved - sum.work > (1.0 + most_gain) * sum.free + sum.driven + sum.slack) return true;
  // Joints exchange energy by O(h) at every step, and neither lose nor gain any in the mean as long as steps are even.
  return !jointed && sum.gain - sum.servos > max2(sum.lift, most_in_all * sum.free) + sum.slack;
}

// Whether the step has gained energy that nothing put in. A linearisation that leads far from the solution may end
// without overlap and still be wrong, and so may the free motion of a body that turns far in a step. The gain is
// measured against the kinetic energy of the free motion, so that resting piles are not rejected for rounding. Contact
// models other than `peg` undo overlap at once, at any speed; for them only the free motion is checked.
PEGRASP_HD inline bool gains_energy(const SceneView& s, const StepOptions& options) {
  if (!remembers_motion(*s.model)) return false;
  EnergyBalance sum;
  for (int i = 0; i < active_count(s); ++i) {
    if (!add_body_energy(s, active_body(s, i), options.h, sum)) return true;
  }
  if (options.contact != ContactModel::peg) return false;
  const double off = velocity_slack(s, has_joints(s), options, options.h);
  for (int k = 0; k < s.tally->block_count; ++k) add_block_energy(s, k, off, sum);
  for (int k = 0; k < s.tally->contact_count; ++k) add_push_energy(s, k, options.h, sum);
  return out_of_balance(has_joints(s), sum);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
