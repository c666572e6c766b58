// SPDX-License-Identifier: Apache-2.0
// A scene from its parameters to its outcome: begin, steps of size h (in substeps where an attempt is rejected), end.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/begin.hpp"
#else
#include "kernels/planar/begin.hpp"
#endif
#include "kernels/outcome/outcome.hpp"
#include "kernels/step/islands.hpp"
#include "kernels/step/judge.hpp"
#include "kernels/step/step.hpp"
#include "kernels/step/substeps.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether all parameters of the scene are finite.
PEGRASP_HD inline bool finite_parameters(const SceneView& s) {
  for (int i = 0; i < s.model->parameter_count; ++i) {
    if (!is_finite(s.parameter(i))) return false;
  }
  return true;
}

// Clears the tally. A scene whose parameters are not finite is over at once.
PEGRASP_HD inline void begin_tally(const SceneView& s) {
  *s.tally = SceneTally{};
  // Comparisons with a NaN are false, so a NaN could pass for an absent body or for friction without bound: such a
  // scene does not begin.
  if (!finite_parameters(s)) {
    s.tally->outcome.status = status_non_finite;
  } else if (s.model->watched >= 0) {
    s.tally->outcome.start_overlap = overlap_of_watched(s);
  }
}

// Places a joint and clears its impulses. Its turn starts at the value nearest to zero.
PEGRASP_HD inline void begin_joint(const SceneView& s, int joint) {
  anchor_joint(s, joint);
  for (int i = 0; i < joint_rows_most; ++i) s.joint_impulse[joint_rows_most * joint + i] = 0.0;
  for (int i = 0; i < 2; ++i) s.limit_impulse[2 * joint + i] = 0.0;
  s.joint_turn[joint] = 0.0;
  s.joint_turn[joint] = joint_coordinate(s, start_joint(s, joint), joint, free_turn, 0.0);
}

// Sets the state of the scene from its parameters.
template <class Team>
PEGRASP_HD_APART void begin_scene(Team& team, SceneView& s) {
  const ModelView& m = *s.model;
  for_each(team, m.body_count, [&](int body) { begin_body(s, body); });
  for_each(team, 2 * m.support_count, [&](int i) { s.support_impulse[i] = 0.0; });
  for_each(team, motor_rows_most * m.actuator_count, [&](int i) { s.actuator_impulse[i] = 0.0; });
  if (m.joint_count > 0) for_each(team, m.joint_count, [&](int joint) { begin_joint(s, joint); });
  for_each(team, 2 * m.coupling_count, [&](int i) { s.coupling_impulse[i] = 0.0; });
  for_each(team, m.predicate_count, [&](int i) { begin_predicate(s, i); });
  if (asks_for_forces(m)) for_each(team, m.body_count, [&](int body) { clear_forces(s, body); });
  once(team, [&] { begin_tally(s); });
}

// A body appears when its drop time has come, with a small tolerance since the time is step * h.
PEGRASP_HD inline void appear_body(const SceneView& s, int body, double time) {
  s.present[body] = s.parameter(s.model->at.drop_time + body) <= time + 1e-9 ? 1 : 0;
}

template <class Team>
PEGRASP_HD void appear(Team& team, SceneView& s, double time) {
  for_each(team, s.model->body_count, [&](int body) { appear_body(s, body, time); });
}

PEGRASP_HD inline void begin_step(SceneTally& t) {
  t.step_status = 0;
  t.step_residual = 0.0;
  t.step_depth = 0.0;
  t.step_passes = 0;
  t.risk = 0;
  t.iterations = 0;
  t.penetration = 0.0;
  t.step_squeeze = Squeeze{};
}

// `fine`: the whole step is done; otherwise a fault has ended the scene.
PEGRASP_HD inline void end_step(SceneTally& t, const StepOptions& options, bool fine) {
  if (fine) ++t.step;
  t.outcome.steps = t.step;
  t.outcome.time = t.step * options.h;
  t.outcome.status |= t.step_status;
  t.outcome.unresolved_steps += t.step_status != 0 ? 1 : 0;
  if (!has_islands && t.step_status != 0) t.iterations_in_vain += t.iterations;
  t.outcome.residual_max = max2(t.outcome.residual_max, t.step_residual);
  t.outcome.penetration_max = max2(t.outcome.penetration_max, t.step_depth);
}

// What hears of attempts that were taken (advance_by_parts): nothing, unless somebody watches (StepWatch).
struct NobodyWatches {
  PEGRASP_HD void operator()(const SceneView&, double, bool) const {}
};

// Advances by one step of options.h: in one attempt, or in substeps where an attempt is rejected. Returns false on a
// fault that ends the scene. watch: as of advance_by_parts.
template <class Team, class Watch>
PEGRASP_HD bool advance_scene(Team& team, SceneView& s, const StepOptions& options, const Watch& watch) {
  appear(team, s, step_begin(s, options));
  once(team, [&] { begin_step(*s.tally); });
  const bool fine = advance_all(team, s, options, watch);
  once(team, [&] { end_step(*s.tally, options, fine); });
  if (fine) apply_stop_rule(team, s, options);
  return fine;
}

template <class Team>
PEGRASP_HD bool advance_scene(Team& team, SceneView& s, const StepOptions& options) {
  return advance_scene(team, s, options, NobodyWatches{});
}

// Whether the scene has ended: before it began, by the stop rule, by a fault, by an unresolved step, or by the time
// limit.
PEGRASP_HD inline bool scene_over(const SceneView& s, const StepOptions& options) {
  const SceneTally& t = *s.tally;
  const bool given_up = options.on_unresolved == OnUnresolved::stop && t.outcome.unresolved_steps > 0;
  return begins_in_collision(s) || t.outcome.stopped_still != 0 || (t.outcome.status & fatal_bits) != 0 || given_up ||
         (t.step + 0.5) * options.h > options.duration;
}

// Where the result of a scene is written, by one rank: its outcome and the poses of its bodies (bodies, pose_size).
struct SceneResult {
  SceneOutcome* outcome;
  double* final_pose;
};

// Writes the outcome with the success condition evaluated, and the final poses of the bodies' frames.
template <class Team>
PEGRASP_HD_APART void write_result(Team& team, SceneView& s, const SceneResult& to) {
  once(team, [&] {
    *to.outcome = s.tally->outcome;
    judge(s, *to.outcome);
    for (int body = 0; body < s.model->body_count; ++body) write_frame_pose(s, body, to.final_pose + pose_size * body);
  });
}

// The whole trajectory of one scene, or the part of it before may_go_on() returned false, which is asked before every
// step and answers the same on all ranks.
template <class Team, class MayGoOn>
PEGRASP_HD void run_scene(Team& team, SceneView& s, const StepOptions& options, const SceneResult& to,
                          const MayGoOn& may_go_on) {
  begin_scene(team, s);
  while (!scene_over(s, options) && may_go_on()) {
    if (!advance_scene(team, s, options)) break;
  }
  write_result(team, s, to);
}

struct ToTheEnd {
  PEGRASP_HD bool operator()() const { return true; }
};

template <class Team>
PEGRASP_HD void run_scene(Team& team, SceneView& s, const StepOptions& options, const SceneResult& to) {
  run_scene(team, s, options, to, ToTheEnd{});
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
