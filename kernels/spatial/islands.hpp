// SPDX-License-Identifier: Apache-2.0
// A step in 3D, island by island (kernels/spatial/claims.hpp defines islands). Each island is linearised, solved,
// accepted or halved on its own, and waits at the end of the step. What one island needs costs the others nothing and
// does not show in them.
//
//   begin_islands   claims and islands; the state at the step's beginning is noted
//   begin_island    lists the bodies that move in it
//   end_island      its impulses are kept for the next step
//   undo_merged     islands that have come into each other's reach go back to the step's beginning, as one
//   end_islands     moves kinematic bodies and adds up the results of all islands
//
// The impulses that a step keeps are those of its last substeps, scaled to a whole step. The factor is a power of two,
// so that the scaling is exact.
#pragma once

#include "kernels/broad_phase/find_pairs.hpp"
#include "kernels/integrate/commit.hpp"
#include "kernels/step/substeps.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Calls f(noted, now) for every number of a body that a step changes: as noted at the step's beginning, and now.
template <class F>
PEGRASP_HD inline void for_body_state(const SceneView& s, int body, const F& f) {
  double* at = s.begin_state + body_state_size * body;
  for (int i = 0; i < pose_size; ++i) f(*at++, s.pose[pose_size * body + i]);
  for (int i = 0; i < dof; ++i) f(*at++, s.twist[dof * body + i]);
  for (int i = 0; i < momentum_size; ++i) f(*at++, s.momentum[momentum_size * body + i]);
  for (int i = 0; i < frame_size; ++i) f(*at++, s.start_frame[frame_size * body + i]);
  f(*at++, s.last_h[body]);
  for (int i = 0; i < dof; ++i) f(*at++, s.acceleration[dof * body + i]);
  for (int i = 0; i < 3; ++i) f(*at++, s.last_spin[3 * body + i]);
}
PEGRASP_HD inline void note_begin(const SceneView& s, int body) {
  for_body_state(s, body, [](double& noted, double& now) { noted = now; });
}
PEGRASP_HD inline void go_back(const SceneView& s, int body) {
  for_body_state(s, body, [](double& noted, double& now) { now = noted; });
}

// A fixed body stays where it is: its velocities and end pose are set once, at the beginning of a step.
PEGRASP_HD inline void rest(const SceneView& s, int body, double h) {
  predict_body(s, body, h);
  for (int i = dof * body; i < dof * (body + 1); ++i) s.v[i] = s.v_trial[i] = s.v_other[i] = SolverReal(0);
}

// Finds the islands: every dynamic body is one, then those that joints, couplings or claims connect are united. Where
// islands are not asked for, all bodies are one island.
PEGRASP_HD inline void part_islands(const SceneView& s, const StepOptions& options) {
  const ModelView& m = *s.model;
  int first = -1;
  for (int body = 0; body < m.body_count; ++body) {
    const bool moves = is_dynamic(s, body) && s.present[body] != 0;
    if (moves && (first < 0 || options.islands)) first = body;
    s.island_of[body] = moves ? first : -1;
    s.record[body] = {};
  }
  for (int k = 0; k < m.joint_count; ++k) {
    if (m.joint_body_a[k] >= 0) unite(s, m.joint_body_a[k], m.joint_body_b[k]);
  }
  for (int k = 0; k < m.coupling_count; ++k) {
    unite(s, moved_by_joint(s, coupling_joint(m, k, 0)), moved_by_joint(s, coupling_joint(m, k, 1)));
  }
  unite_by_claims(s);
}

template <class Team>
PEGRASP_HD_APART void begin_islands(Team& team, SceneView& s, const StepOptions& options) {
  const ModelView& m = *s.model;
  once(team, [&] {
    SceneTally& t = *s.tally;
    t.time0 = step_begin(s, options);
    t.islands.step_parity = t.warm_parity;
    t.islands.kept_count = 0;
  });
  for_each(team, m.body_count, [&](int body) {
    note_begin(s, body);
    first_margin(s, body, options);
    if (!is_dynamic(s, body) && !is_kinematic(s, body)) rest(s, body, options.h);
  });
  for_each(team, m.joint_count, [&](int joint) { s.begin_turn[joint] = s.joint_turn[joint]; });
  for_each(team, m.part_count, [&](int part) { part_box(s, part, s.box + box_size * part); });
  for_each(team, m.body_count, [&](int body) {
    make_body_box(s, body);
    for (int i = box_size * body; i < box_size * (body + 1); ++i) s.claim[i] = s.body_box[i];
  });
  list_claims(team, s);
  once(team, [&] { part_islands(s, options); });
}

// The first island that has not reached the end of the step; -1: there is none.
PEGRASP_HD inline int next_island(const SceneView& s) {
  for (int body = 0; body < s.model->body_count; ++body) {
    if (s.island_of[body] == body && s.record[body].over == 0) return body;
  }
  return -1;
}

// Lists the bodies that move in an island.
PEGRASP_HD inline void gather(const SceneView& s, int island) {
  IslandTally& t = s.tally->islands;
  t.island = island;
  t.merged = 0;
  int count = 0;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (s.island_of[body] == island) s.active[count++] = body;
  }
  t.own_count = count;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (is_kinematic(s, body)) s.active[count++] = body;
  }
  t.active_count = count;
  t.jointed = 0;
  for (int joint = 0; joint < s.model->joint_count; ++joint) {
    if (joint_active(s, joint)) t.jointed = 1;
  }
}

template <class Team>
PEGRASP_HD_APART void begin_island(Team& team, SceneView& s, int island) {
  for_each(team, s.model->body_count, [&](int body) {
    if (is_kinematic(s, body)) go_back(s, body);
  });
  once(team, [&] {
    SceneTally& t = *s.tally;
    gather(s, island);
    s.record[island] = {};
    t.risk = 0;
    t.iterations = 0;
    t.penetration = 0.0;
    t.warm_parity = t.islands.step_parity;
    t.islands.warm_first = 0;
    t.warm_h = t.warm_kick = t.islands.kept_h;
  });
}

// Scales the impulses of the island at hand to those of a whole step.
template <class Team>
PEGRASP_HD void make_whole(Team& team, SceneView& s, const StepOptions& options) {
  const ModelView& m = *s.model;
  const double ratio = s.tally->warm_h > 0.0 ? options.h / warm_time(*s.tally, options) : 0.0;
  if (ratio == 1.0) return;
  const bool own = s.tally->warm_parity != s.tally->islands.step_parity;
  const int first = s.tally->islands.warm_first;
  const int count = own ? s.tally->warm_count[s.tally->warm_parity] - first : 0;
  WarmContact* const list = s.warm[1 - s.tally->islands.step_parity] + first;
  for_each(team, count, [&](int i) {
    list[i].normal *= ratio;
    for (int k = 0; k < tangent_size; ++k) list[i].tangent[k] *= ratio;
  });
  for_each(team, m.joint_count, [&](int joint) {
    if (!joint_active(s, joint)) return;
    for (int i = 0; i < joint_rows_most; ++i) s.joint_impulse[joint_rows_most * joint + i] *= ratio;
    for (int i = 0; i < 2; ++i) s.limit_impulse[2 * joint + i] *= ratio;
  });
  for_each(team, 2 * m.coupling_count, [&](int i) {
    if (joint_active(s, m.coupling_joint[i])) s.coupling_impulse[i] *= ratio;
  });
  for_each(team, m.actuator_count, [&](int k) {
    if (!actuator_active(s, k)) return;
    for (int i = 0; i < motor_rows_most; ++i) s.actuator_impulse[motor_rows_most * k + i] *= ratio;
  });
}

template <class Team>
PEGRASP_HD_APART void end_island(Team& team, SceneView& s, const StepOptions& options) {
  make_whole(team, s, options);
  once(team, [&] {
    SceneTally& t = *s.tally;
    IslandRecord& r = s.record[t.islands.island];
    r.over = 1;
    if (r.status != 0) t.iterations_in_vain += t.iterations;
    r.warm_first = t.islands.warm_first;
    r.warm_count = t.warm_count[t.warm_parity] - r.warm_first;
    t.islands.kept_count += r.warm_count;
  });
}

// Removes the impulses of an island that was done from the list.
PEGRASP_HD inline void forget(const SceneView& s, IslandRecord& gone) {
  IslandTally& t = s.tally->islands;
  WarmContact* const list = s.warm[1 - t.step_parity];
  t.kept_count -= gone.warm_count;
  for (int i = gone.warm_first; i < t.kept_count; ++i) list[i] = list[i + gone.warm_count];
  for (int body = 0; body < s.model->body_count; ++body) {
    IslandRecord& r = s.record[body];
    if (r.over != 0 && r.warm_first > gone.warm_first) r.warm_first -= gone.warm_count;
  }
  gone = {};
}

template <class Team>
PEGRASP_HD_APART void undo_merged(Team& team, SceneView& s, const StepOptions& options) {
  const ModelView& m = *s.model;
  make_whole(team, s, options);
  const int merged = s.island_of[s.active[0]];
  for_each(team, m.body_count, [&](int body) {
    if (s.island_of[body] == merged) go_back(s, body);
  });
  for_each(team, m.joint_count, [&](int joint) {
    if (s.island_of[m.joint_body_b[joint]] == merged ||
        (m.joint_body_a[joint] >= 0 && s.island_of[m.joint_body_a[joint]] == merged)) {
      s.joint_turn[joint] = s.begin_turn[joint];
    }
  });
  once(team, [&] {
    for (int body = 0; body < m.body_count; ++body) {
      if (s.island_of[body] == merged && s.record[body].over != 0) forget(s, s.record[body]);
    }
  });
}

// Adds the status and the largest residual and depth of all islands to the step, whether all came to its end or one
// ended the scene.
PEGRASP_HD inline void add_findings(const SceneView& s) {
  SceneTally& t = *s.tally;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (s.island_of[body] != body) continue;
    const IslandRecord& r = s.record[body];
    t.step_status |= r.status;
    t.step_residual = max_or_nan(t.step_residual, r.residual);
    t.step_depth = max2(t.step_depth, r.depth);
  }
}

// Adds what the islands of a step have counted to the scene. h: length of the step [s].
PEGRASP_HD inline void add_records(const SceneView& s, double h) {
  SceneTally& t = *s.tally;
  add_findings(s);
  t.last_contacts = 0;
  t.outcome.substeps += 1;  // and one for every part more that an island was stepped in
  for (int body = 0; body < s.model->body_count; ++body) {
    if (s.island_of[body] != body) continue;
    const IslandRecord& r = s.record[body];
    t.explained_work += r.work;
    t.last_contacts += r.last_contacts;
    t.outcome.contacts_sum += r.contacts;
    t.outcome.substeps += r.substeps - 1;
  }
  t.outcome.contacts_max = max2(t.outcome.contacts_max, t.last_contacts);
  t.warm_parity = 1 - t.islands.step_parity;
  t.warm_count[t.warm_parity] = t.islands.kept_count;
  t.islands.kept_h = h;
}

template <class Team>
PEGRASP_HD_APART void end_islands(Team& team, SceneView& s, const StepOptions& options) {
  once(team, [&] { s.tally->time0 = step_begin(s, options); });
  for_each(team, s.model->body_count, [&](int body) {
    if (!is_kinematic(s, body)) return;
    go_back(s, body);
    predict_body(s, body, options.h);
    commit_body(s, body, options.h);
  });
  once(team, [&] { add_records(s, options.h); });
}

// Takes all islands to the end of the step, one after the other; those that have come into each other's reach start
// again as one. Returns false on a fault that ends the scene. watch: as of advance_by_parts, with the island at hand.
template <class Team, class Watch>
PEGRASP_HD bool advance_all(Team& team, SceneView& s, const StepOptions& options, const Watch& watch) {
  begin_islands(team, s, options);
  for (int island = next_island(s); island >= 0; island = next_island(s)) {
    begin_island(team, s, island);
    const StepResult result = advance_by_parts(team, s, options, watch);
    if (result == StepResult::failed) {
      once(team, [&] { add_findings(s); });
      return false;
    }
    if (result == StepResult::merged) {
      undo_merged(team, s, options);
    } else {
      end_island(team, s, options);
    }
  }
  end_islands(team, s, options);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
