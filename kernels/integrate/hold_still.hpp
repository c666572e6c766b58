// SPDX-License-Identifier: Apache-2.0
// What an attempt may move that nothing solved.
//
// Where no smaller substep is left, an attempt is taken with a status bit as the last solve left it, and velocities of
// a solve that failed may be anything. They count as far as something explains them: no body becomes faster than twice
// the fastest before, and all together have no more energy than each of them could have had from its start, from
// forces, or from bodies with prescribed motion. Bodies that gain more are held still for the (sub)step: they keep
// their pose and come to rest, or go along with the bodies with prescribed motion that push them. Joints and couplings
// hold still what they connect with them.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/energy.hpp"
#else
#include "kernels/planar/energy.hpp"
#endif

namespace pegrasp::PEGRASP_ARITHMETIC {

// Bits of attempts that nothing solved.
constexpr std::uint32_t unsolved_bits = status_not_converged | status_infeasible;

// Values of SceneView::held. From held_along on, less that: the body with prescribed motion along which a body goes.
constexpr int held_not = 0;
constexpr int held_still = 1;
constexpr int held_along = 2;

// What explains motion that a body had not: bodies with prescribed motion, the undoing of overlap and of open joints,
// and the solver's tolerance [m/s].
PEGRASP_HD inline double pushing_speed(const SceneView& s, const StepOptions& options) {
  constexpr double tolerances = 10.0;
  double fastest = 0.0;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (is_kinematic(s, body)) fastest = max2(fastest, speed_bound(s, s.nu, body));
  }
  double undone = s.model->joint_count > 0 ? options.recovery_speed : 0.0;
  const bool listed_again = s.tally->outran != 0;  // after the solve: contacts do not know their pairs
  if (listed_again) undone = options.recovery_speed;
  for (int k = 0; k < s.tally->contact_count && options.h > 0.0 && !listed_again; ++k) {
    const NearPair& pair = s.pairs[s.contacts[k].pair];
    undone = max2(undone, (pair.target - pair.s0_max) / options.h);
  }
  return fastest + undone + tolerances * options.tolerance;
}

// What is explained of a body's motion: its energy [J], and the speed of its points [m/s].
struct ExplainedMotion {
  double energy, speed;
};
// What an attempt is asked by. Servos explain motion only where their impulses are nearly those of a solution.
struct MotionBounds {
  double pushing;  // pushing_speed() [m/s]
  bool servos;
};
// Where no motion obeys the step, bodies with prescribed motion explain none.
PEGRASP_HD inline MotionBounds motion_bounds(const SceneView& s, const StepOptions& options, double residual,
                                             bool infeasible) {
  constexpr double nearly = 1000.0;  // tolerances
  return {infeasible ? 0.0 : pushing_speed(s, options),
          s.model->actuator_count > 0 && residual <= nearly * options.tolerance};
}
PEGRASP_HD inline ExplainedMotion explained_motion(const SceneView& s, int body, const MotionBounds& by) {
  const double* before = s.twist + dof * body;
  const double* free = s.free_twist + dof * body;
  double energy = max2(energy_of(s, body, before), energy_of(s, body, free));
  double speed = max2(by.pushing, max2(speed_of(s, body, before), speed_of(s, body, free)));
  if (by.servos) {
    double driven[dof];
    driven_twist(s, body, driven);
    energy = max2(energy, energy_of(s, body, driven));
    speed = max2(speed, speed_of(s, body, driven));
  }
  // A body that goes with `pushing`, and turns as fast, has up to twice the energy of one that does not turn.
  const double mass = s.parameter(s.model->at.mass + body);
  return {max2((1.0 + most_unsolved_gain) * energy, mass * by.pushing * by.pushing), speed};
}

// Calls f(body) for the bodies that move freely in the attempt; takes_part(body): whether a dynamic body is of it.
template <class TakesPart, class F>
PEGRASP_HD inline void each_free_body(const SceneView& s, const TakesPart& takes_part, const F& f) {
  for (int body = 0; body < s.model->body_count; ++body) {
    if (is_dynamic(s, body) && s.present[body] != 0 && takes_part(body)) f(body);
  }
}

// Marks the bodies that gain more than is explained. Returns whether there are any.
template <class TakesPart>
PEGRASP_HD inline bool mark_gains(const SceneView& s, const MotionBounds& by, const TakesPart& takes_part) {
  constexpr double most_speeding = 2.0;  // by levers and light bodies that heavy ones hit
  double fastest = by.pushing;
  double explained = 0.0;
  double solved = 0.0;
  each_free_body(s, takes_part, [&](int body) {
    const ExplainedMotion motion = explained_motion(s, body, by);
    fastest = max2(fastest, motion.speed);
    explained += motion.energy;
    solved += energy_of(s, body, s.nu + dof * body);
  });
  const bool gained = !(solved <= explained);
  bool any = false;
  each_free_body(s, takes_part, [&](int body) {
    const double* nu = s.nu + dof * body;
    const bool too_fast = !(speed_of(s, body, nu) <= most_speeding * fastest);
    const bool gains = gained && !(energy_of(s, body, nu) <= explained_motion(s, body, by).energy);
    s.held[body] = too_fast || gains ? held_still : held_not;
    any = any || too_fast || gains;
  });
  return any;
}

// Marks what a connection of two bodies holds still; a body may be -1, the world. Returns whether a mark has changed.
template <class TakesPart>
PEGRASP_HD inline bool hold_connected(const SceneView& s, const TakesPart& takes_part, int a, int b) {
  if (a < 0 || b < 0) return false;
  bool changed = false;
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? a : b;
    const int other = side == 0 ? b : a;
    if (!is_dynamic(s, body) || !s.present[body] || !s.present[other] || !takes_part(body)) continue;
    int mark = s.held[body];
    if (is_dynamic(s, other)) {
      if (s.held[other] > mark && mark < held_along) mark = s.held[other];
    } else if (mark == held_still && is_kinematic(s, other)) {
      mark = held_along + other;
    }
    changed = changed || mark != s.held[body];
    s.held[body] = mark;
  }
  return changed;
}

template <class TakesPart>
PEGRASP_HD inline void spread_marks(const SceneView& s, const TakesPart& takes_part) {
  const ModelView& m = *s.model;
  bool changed = m.joint_count > 0;
  while (changed) {
    changed = false;
    for (int k = 0; k < m.joint_count; ++k) {
      if (hold_connected(s, takes_part, m.joint_body_a[k], m.joint_body_b[k])) changed = true;
    }
    for (int k = 0; k < m.coupling_count; ++k) {
      const int a = m.joint_body_b[coupling_joint(m, k, 0)];
      const int b = m.joint_body_b[coupling_joint(m, k, 1)];
      if (hold_connected(s, takes_part, a, b)) changed = true;
    }
  }
}

PEGRASP_HD inline bool is_jointed(const SceneView& s, int body) {
  for (int k = 0; k < s.model->joint_count; ++k) {
    if (s.model->joint_body_a[k] == body || s.model->joint_body_b[k] == body) return true;
  }
  return false;
}

// The velocity of a body that is held: of the body that takes it along; else the mean of those that push it with
// prescribed motion, unless a fixed one pushes too.
PEGRASP_HD inline void held_velocity(const SceneView& s, int body, double* nu) {
  for (int i = 0; i < dof; ++i) nu[i] = 0.0;
  if (s.held[body] >= held_along) {
    add_carried(s, body, s.held[body] - held_along, 1.0, nu);
    return;
  }
  if (is_jointed(s, body)) return;
  int count = 0;
  for (int turn = 0; turn < 2; ++turn) {  // counts, then adds
    for (int k = 0; k < s.tally->contact_count; ++k) {
      const Contact& c = s.contacts[k];
      const Block& block = s.blocks[k];
      if ((c.body_a != body && c.body_b != body) || block.row_count == 0 || !(s.p[block.first_row] > 0)) continue;
      const int other = c.body_a == body ? c.body_b : c.body_a;
      if (is_dynamic(s, other)) continue;
      if (!is_kinematic(s, other)) return;
      if (turn == 0) {
        ++count;
      } else {
        add_carried(s, body, other, 1.0 / count, nu);
      }
    }
  }
}

// Holds still what gains more than is explained in the attempt at hand, whose end poses and velocities change.
// residual: of its last solve [m/s]. Returns whether there was anything. By one rank.
template <class TakesPart>
PEGRASP_HD_APART bool hold_still(const SceneView& s, const StepOptions& options, double residual, bool infeasible,
                                 const TakesPart& takes_part) {
  if (options.contact != ContactModel::peg) return false;
  if (!mark_gains(s, motion_bounds(s, options, residual, infeasible), takes_part)) return false;
  spread_marks(s, takes_part);
  each_free_body(s, takes_part, [&](int body) {
    if (s.held[body] == held_not) return;
    double nu[dof];
    held_velocity(s, body, nu);
    for (int i = 0; i < dof; ++i) s.nu[dof * body + i] = nu[i];
    place_end(s, s.nu, body, options.h);
  });
  return true;
}

// Whether an attempt of which a pass failed gains more than is explained: a pass that is linearised where a failed one
// has left the bodies may find a way out that is none. By one rank.
template <class TakesPart>
PEGRASP_HD_APART bool lost_its_way(const SceneView& s, const StepOptions& options, double residual,
                                   const TakesPart& takes_part) {
  return options.contact == ContactModel::peg && mark_gains(s, motion_bounds(s, options, residual, false), takes_part);
}

// What counts as work from outside [J] where bodies were held still: all that the bodies gain.
template <class TakesPart>
PEGRASP_HD inline double gain_of_held(const SceneView& s, const TakesPart& takes_part) {
  double gain = 0.0;
  each_free_body(s, takes_part, [&](int body) { gain += energy_after(s, body) - energy_before(s, body); });
  return max2(0.0, gain);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
