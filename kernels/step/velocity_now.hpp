// SPDX-License-Identifier: Apache-2.0
// The velocities at the time that a scene has come to. What a scene keeps are those in the middle of the last
// (sub)steps (kernels/integrate/predict.hpp). A step of length 0 takes them to the end: forces act for the half of the
// last (sub)step that is left, and contacts, joints and servos answer as they do in any step. It is taken by a copy of
// the scene, which goes on from its own velocities.
#pragma once

#include "kernels/step/step.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The options of that step, for a scene that is stepped with `options`.
PEGRASP_HD inline StepOptions options_without_length(StepOptions options) {
  options.h = 0.0;
  options.look_ahead = false;
  options.landing_halvings = 0;
  options.warm_start = false;
  options.solver = SolverKind::newton;  // without impulses to start from, the others are slow
  // Where nothing solves the step, as of jammed bodies, what is shown need not be sought for long.
  options.max_iterations = min2(options.max_iterations, 300);
  return options;
}

// Copies what a step of a scene begins with. `to` has another arena of the same model.
PEGRASP_HD inline void copy_state(const SceneView& from, const SceneView& to) {
  const ModelView& m = *from.model;
  const auto copy = [](const double* source, double* target, int count) {
    for (int i = 0; i < count; ++i) target[i] = source[i];
  };
  copy(from.pose, to.pose, pose_size * m.body_count);
  copy(from.twist, to.twist, dof * m.body_count);
  copy(from.last_h, to.last_h, m.body_count);
  copy(from.initial_pose, to.initial_pose, pose_size * m.body_count);
  copy(from.inv_mass, to.inv_mass, mass_size * m.body_count);
  copy(from.momentum, to.momentum, momentum_size * m.body_count);
  if (is_spatial) copy(from.inertia, to.inertia, 18 * m.body_count);
  copy(from.start_frame, to.start_frame, frame_size * m.body_count);
  copy(from.joint_turn, to.joint_turn, m.joint_count);
  copy(from.joint_frame, to.joint_frame, joint_frame_size * m.joint_count);
  for (int body = 0; body < m.body_count; ++body) to.present[body] = from.present[body];
  // Of the kept contacts the deflections of shells alone count.
  const int list = from.tally->warm_parity;
  const int kept = m.shells == shells_deflect ? min2(from.tally->warm_count[list], to.capacity.contacts) : 0;
  for (int i = 0; i < kept; ++i) to.warm[0][i] = from.warm[list][i];
  to.tally->warm_count[0] = kept;
}

// All bodies are one island, whose claims begin with nothing.
PEGRASP_HD inline void begin_as_one(const SceneView& s) {
  for (int body = 0; has_islands && body < s.model->body_count; ++body) {
    s.island_of[body] = 0;
    empty_box(s.claim + box_size * body);
  }
}

// Leaves the velocities in s.nu, s being such a copy. Returns the work [J] that outside_work() has on the way there.
// options: from options_without_length(); time: that the scene has come to [s]. Where the capacity does not suffice,
// the tally's step_status says so. next: length [s] of the step that would follow, along which the facets of pairs are
// chosen: where two are closed, the way on tells which of them is in the way.
template <class Team>
PEGRASP_HD double find_velocities(Team& team, SceneView& s, const StepOptions& options, double time, double next) {
  once(team, [&] {
    const int kept = s.tally->warm_count[0];
    *s.tally = SceneTally{};
    s.tally->warm_count[0] = kept;
    s.tally->time0 = time;
    begin_as_one(s);
  });
  find_pairs(team, s, options);
  predict(team, s, options);
  for_each_active(team, s, [&](int body) { place_end(s, s.free_twist, body, next); });
  choose_modes(team, s, options);
  make_rows(team, s, options);
  if ((s.tally->step_status & fatal_bits) != 0) return 0.0;
  solve(team, s, options);
  const auto all = [](int) { return true; };
  once(team, [&] {
    const double residual = s.tally->residual;
    s.tally->holds =
        !(residual <= options.tolerance) && hold_still(s, options, residual, s.tally->infeasible != 0, all) ? 1 : 0;
  });
  return s.tally->holds != 0 ? gain_of_held(s, all) : outside_work(s);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
