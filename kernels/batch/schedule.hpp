// SPDX-License-Identifier: Apache-2.0
// What a scene does in the next round, and what becomes of it after one: the control flow of run_scene.hpp, islands.hpp
// and step.hpp, cut into pieces so that thousands of scenes, and their islands, can each be at a different place of it.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/batch_energy.hpp"
#else
#include "kernels/planar/batch_energy.hpp"
#endif
#include "kernels/batch/step_islands.hpp"
#include "kernels/step/judge.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Ends a scene: its outcome is final.
PEGRASP_HD inline void close_scene(const BatchView& b, int scene) {
  const SceneView& s = b.scene[scene];
  b.course[scene].over = 1;
  b.result[scene] = s.tally->outcome;
  judge(s, b.result[scene]);
}

PEGRASP_HD inline int body_start(const BatchView& b, int scene) { return scene * b.bodies; }

// Whether a scene takes part in the round; begins a step where the last has ended.
PEGRASP_HD inline void begin_round(const BatchView& b, int scene) {
  Course& c = b.course[scene];
  SceneTally& t = *b.scene[scene].tally;
  c.active = c.step_begun = c.attempt_begun = c.list = c.regroup = c.step_ended = 0;
  if (c.over != 0) return;
  if ((t.step_status & status_single_precision) != 0) {
    t.outcome.status |= t.step_status;
    return close_scene(b, scene);
  }
  if (c.in_step == 0) {
    if (scene_over(b.scene[scene], b.options)) return close_scene(b, scene);
    if (t.step >= b.step_limit) return;
    begin_step(t);
    t.time0 = t.step * b.options.h;
    c.in_step = c.step_begun = 1;
  }
  c.active = 1;
}

template <class Device>
void begin_round(Device& device, const BatchView& b) {
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { begin_round(b, scene); });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const SceneView& s = b.scene[i / b.bodies];
    if (b.course[i / b.bodies].step_begun != 0) appear_body(s, i % b.bodies, s.tally->step * b.options.h);
  });
}

// Rank of a substep in the order of trial, from 0: earlier start first; at equal start the longer
// one.
PEGRASP_HD inline double turn_of_substep(const Substeps& substeps) {
  return 2.0 * substeps.whole * substeps.at + (substeps.whole - substeps.size);
}

// Goes on with the attempt of a scene or begins another. total: maxima over its islands: [0] 1 if one makes an attempt,
// [1] 1 if pairs are listed anew for it, [2] how early the earliest island is that has not reached the end of the step.
PEGRASP_HD inline void choose_attempt(const BatchView& b, int scene, const Partial& total) {
  Course& c = b.course[scene];
  if (c.active == 0) return;
  SceneTally& t = *b.scene[scene].tally;
  if (total.most[0] > 0.0) {
    ++t.pass;
    t.contacts_later = linearises_anew(b.options) ? 1 : 0;
    c.list = total.most[1] > 0.0 ? 1 : 0;
    return;
  }
  Substeps substeps = first_substep(b.options);
  if (total.most[2] > 0.0) {  // else no island moves: the step ends with this round
    const double turn = 2.0 * substeps.whole * substeps.whole - total.most[2];
    substeps.at = static_cast<int>(turn / (2.0 * substeps.whole));
    substeps.size = substeps.whole - static_cast<int>(turn - 2.0 * substeps.whole * substeps.at);
  }
  c.at = substeps.at;
  c.size = substeps.size;
  c.attempt_begun = c.list = 1;
  c.h = substeps.length(b.options.h);
  t.time0 = t.step * b.options.h + b.options.h * substeps.share(substeps.at);
  t.pass = t.contacts_later = t.astray = 0;
}

// Whether the island whose first body is i takes part in the round; begins its attempt where it is at the substep of
// its scene.
PEGRASP_HD inline void choose_island(const BatchView& b, int i) {
  const Course& c = b.course[i / b.bodies];
  StepIsland& island = b.step[i];
  island.active = island.ended = island.diverged = island.merged = 0;
  if (c.active == 0 || island.over != 0) return;
  if (c.attempt_begun != 0 && island.substeps.at == c.at && island.substeps.size == c.size) {
    island.in_attempt = island.list = 1;
    island.lost = 0;
    island.found = AttemptFindings{};
  }
  island.active = island.in_attempt;
}

// Chooses the attempts of all scenes and the islands and bodies that take part in the round.
template <class Device>
void schedule(Device& device, const BatchView& b) {
  const auto bodies = [=] PEGRASP_HD(int scene) { return body_start(b, scene); };
  add_up(device, b, bodies, [=] PEGRASP_HD(int, int i, Partial& partial) {
    if (!is_head(b, i) || b.step[i].over != 0) return;
    const StepIsland& island = b.step[i];
    if (island.in_attempt != 0) {
      partial.most[0] = 1.0;
      if (island.list != 0) partial.most[1] = 1.0;
    }
    const Substeps& substeps = island.substeps;
    partial.most[2] = max2(partial.most[2], 2.0 * substeps.whole * substeps.whole - turn_of_substep(substeps));
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { choose_attempt(b, scene, b.total[scene]); });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    if (is_head(b, i)) choose_island(b, i);
  });
  // Bodies that no island moves take part whenever their scene does.
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const bool live = b.step_island[i] < no_island(b) ? in_active_island(b, i) : b.course[i / b.bodies].active != 0;
    b.live[i] = live ? 1 : 0;
  });
}

// As in step_scene(): whether the step of the island goes on in single solves that are taken as they stand.
PEGRASP_HD inline bool hurries(const BatchView& b, int scene, const StepIsland& island) {
  return iterations_to_spend(*b.scene[scene].tally, b.options, island.iterations, island.penetration) <= 0 ||
         (island.record.status & status_infeasible) != 0;
}

// After the geometry was measured: decides whether the attempt of an island ends here. apart: largest distance over
// which a force acts [m].
PEGRASP_HD inline void find_end_of_attempt(const BatchView& b, int scene, StepIsland& island, double apart) {
  const SceneTally& t = *b.scene[scene].tally;
  // as in accepted() and step_scene()
  const bool anew = linearises_anew(b.options);
  const bool agreed = anew ? island.found.outran == 0 && stands(b.options, island.found.penetration, apart)
                           : stands(b.options, island.joint_error, 0.0);
  const int passes = hurries(b, scene, island) ? 1 : usual_passes(b.scene[scene], b.options);
  const int most = passes > 1 ? most_passes_of(b.scene[scene], b.options) : passes;
  const bool usual = t.pass + 1 < passes;
  const bool more = usual || (t.pass + 1 < most && worth_another_pass(island.found, b.options));
  // Claims are compared when a round begins: an island whose bodies left their margins in the last pass gets one more,
  // or they might end in another island.
  const bool unseen = b.by_islands != 0 && island.found.outran != 0 && t.pass + 1 <= most;
  const bool unsolved = usual && goes_on_unsolved(island.found.residual, island.found.infeasible, b.options);
  if (island.found.lands == 0 && (agreed ? unsolved : more || unseen)) {
    if (!(island.found.residual <= b.options.tolerance)) island.lost = 1;
    return;
  }
  island.ended = 1;
  island.agreed = agreed ? 1 : 0;
}

// Adds a substep that was taken to the record of the island.
PEGRASP_HD inline void record_substep(StepIsland& island) {
  IslandRecord& r = island.record;
  r.status |= island.assessment.status;
  r.residual = max_or_nan(r.residual, island.found.residual);
  r.depth = max2(r.depth, island.depth);
  r.work += island.work;
  r.last_contacts = island.contacts;
  r.contacts += island.contacts;
  island.contacts_most = max2(island.contacts_most, island.contacts);
  ++r.substeps;
}

// Decides what becomes of the attempt of an island that has ended. finite: all velocities and end poses are. gained:
// the step gained energy that nothing put in.
PEGRASP_HD inline void assess_island(const BatchView& b, int scene, StepIsland& island, bool finite, bool gained) {
  const bool can_halve = island.substeps.allowance(b.options).where(island.risk != 0) && !hurries(b, scene, island);
  island.assessment = assess_attempt(island.found, b.options, island.agreed != 0, can_halve, finite, gained);
  island.in_attempt = island.list = 0;
  // nothing to start the next attempt from
  island.diverged = finite && island.found.infeasible == 0 ? 0 : 1;
  if (island.assessment.result == StepResult::failed) {
    island.record.status |= island.assessment.status;
    island.failed = 1;
  }
  if (island.assessment.result == StepResult::done) record_substep(island);
  island.substeps.after(island.assessment.result);
  island.over = island.substeps.over() ? 1 : 0;
}

// Whether the attempt of the island ended in this round and its end pose is taken.
PEGRASP_HD inline bool takes_step(const StepIsland& island) {
  return island.active != 0 && island.ended != 0 && island.assessment.result == StepResult::done;
}

// Takes or rejects the attempts that ended, island by island.
template <class Device>
void assess_islands(Device& device, const BatchView& b) {
  add_up_islands_of_step(
      device, b,
      [=] PEGRASP_HD(int scene, int body, Partial& partial) {
        const StepIsland& island = b.step[b.step_island[scene * b.bodies + body]];
        if (island.ended == 0) return;
        for_each_own_block(b, scene * b.bodies + body,
                           [&](int k) { add_ended_block(b, scene, k, island.jointed != 0, partial); });
      },
      [=] PEGRASP_HD(int i, const Partial& total) { keep_block_sums(b.step[i], total); });
  add_up_islands_of_step(
      device, b,
      [=] PEGRASP_HD(int scene, int body, Partial& partial) {
        const StepIsland& island = b.step[b.step_island[scene * b.bodies + body]];
        if (island.ended != 0) add_ended_body(b, scene, body, partial);
      },
      [=] PEGRASP_HD(int i, const Partial& total) {
        StepIsland& island = b.step[i];
        if (island.ended == 0) return;
        island.work += total.sum[0];
        const int scene = i / b.bodies;
        const bool finite = total.most[0] == 0.0;
        const auto own = [&](int body) { return b.step_island[scene * b.bodies + body] == i; };
        const SceneView& s = b.scene[scene];
        const StepOptions options = attempt_options(b, scene);
        const bool lost = finite && ((island.lost != 0 && lost_its_way(s, options, island.found.residual, own)) ||
                                     (island.jointed != 0 && swings_too_far(s, options, b.options.h, own)));
        assess_island(b, scene, island, finite, gained_energy(b, island, total) || lost);
      });
}

// Holds still what gains energy in attempts that are taken unsolved.
template <class Device>
void hold_still(Device& device, const BatchView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    if (!is_head(b, i) || !takes_step(b.step[i]) || (b.step[i].assessment.status & unsolved_bits) == 0) return;
    const int scene = i / b.bodies;
    const SceneView& s = b.scene[scene];
    const auto own = [&](int body) { return b.step_island[scene * b.bodies + body] == i; };
    StepIsland& island = b.step[i];
    const bool no_motion = (island.assessment.status & status_infeasible) != 0;
    if (!hold_still(s, attempt_options(b, scene), island.found.residual, no_motion, own)) return;
    island.diverged = 1;
    island.record.work += gain_of_held(s, own) - island.work;
  });
}

// Counts the attempts of a scene that ended in this round. total: sums over its islands: [0] bodies of attempts that
// ended, [1] bodies of those that were rejected, [2] rejected attempts, [3] islands that have not reached the end of
// the step; maximum [0]: 1 if an island has failed.
PEGRASP_HD inline void count_attempts(const BatchView& b, int scene, const Partial& total) {
  Course& c = b.course[scene];
  if (c.active == 0) return;
  SceneTally& t = *b.scene[scene].tally;
  if (t.step_passes <= t.pass) t.step_passes = t.pass + 1;
  t.islands.bodies_tried += static_cast<std::int64_t>(total.sum[0]);
  t.islands.bodies_rejected += static_cast<std::int64_t>(total.sum[1]);
  t.outcome.substeps_rejected += static_cast<int>(total.sum[2]);
  if (total.most[0] > 0.0) {
    c.in_step = 0;
    t.step_status |= status_non_finite;
  } else if (total.sum[3] == 0.0) {
    c.in_step = 0;
    c.step_ended = 1;
  }
}

// Adds what the islands of a step that has ended, or failed, have counted to the scene. total: sums [0] work [J], [1]
// contacts, [2] substeps beyond the first, [3] contacts at the end, [4] most contacts; maxima [0] residual, [1] depth,
// [2] to [4] the status bits of a step. sum [5]: iterations of islands that are unresolved.
PEGRASP_HD inline void end_step(const BatchView& b, int scene, const Partial& total) {
  Course& c = b.course[scene];
  if (c.active == 0 || c.in_step != 0) return;
  SceneTally& t = *b.scene[scene].tally;
  if (c.step_ended != 0 || !has_islands) {  // as on the per-scene strategy
    t.explained_work += total.sum[0];
    t.outcome.contacts_sum += static_cast<std::int64_t>(total.sum[1]);
    t.outcome.substeps += c.step_ended + static_cast<std::int64_t>(total.sum[2]);
    t.last_contacts = static_cast<int>(total.sum[3]);
    t.outcome.contacts_max = max2(t.outcome.contacts_max, static_cast<int>(total.sum[4]));
  }
  t.step_residual = max_or_nan(t.step_residual, total.most[0]);
  t.step_depth = max2(t.step_depth, total.most[1]);
  if (total.most[2] > 0.0) t.step_status |= status_too_deep;
  if (total.most[3] > 0.0) t.step_status |= status_not_converged;
  if (total.most[4] > 0.0) {
    t.step_status |= status_infeasible;
    note_squeeze(t);
  }
  t.iterations_in_vain += static_cast<std::int64_t>(total.sum[5]);
  end_step(t, b.options, c.step_ended != 0);
  if (c.step_ended == 0) close_scene(b, scene);
}

// Counts attempts and ends the steps that all islands have finished.
template <class Device>
void end_steps(Device& device, const BatchView& b) {
  const auto bodies = [=] PEGRASP_HD(int scene) { return body_start(b, scene); };
  add_up(device, b, bodies, [=] PEGRASP_HD(int, int i, Partial& partial) {
    if (!is_head(b, i)) return;
    const StepIsland& island = b.step[i];
    if (island.active != 0 && island.ended != 0 && island.failed == 0) {
      const bool rejected = island.assessment.result == StepResult::rejected;
      partial.sum[0] += members(b, i);
      partial.sum[1] += rejected ? members(b, i) : 0;
      partial.sum[2] += rejected ? 1.0 : 0.0;
    }
    partial.sum[3] += island.over == 0 ? 1.0 : 0.0;
    if (island.failed != 0) partial.most[0] = 1.0;
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { count_attempts(b, scene, b.total[scene]); });
  add_up(device, b, bodies, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    if (b.course[scene].in_step != 0 || !is_head(b, i)) return;
    const IslandRecord& r = b.step[i].record;
    partial.sum[0] += r.work;
    partial.sum[1] += r.contacts;
    partial.sum[2] += r.substeps - (b.course[scene].step_ended != 0 ? 1 : 0);
    partial.sum[3] += r.last_contacts;
    partial.sum[4] += has_islands ? r.last_contacts : b.step[i].contacts_most;
    partial.most[0] = max_or_nan(partial.most[0], r.residual);
    partial.most[1] = max_or_nan(partial.most[1], r.depth);
    if ((r.status & status_too_deep) != 0) partial.most[2] = 1.0;
    if ((r.status & status_not_converged) != 0) partial.most[3] = 1.0;
    if ((r.status & status_infeasible) != 0) partial.most[4] = 1.0;
    if (r.status != 0) partial.sum[5] += static_cast<double>(b.step[i].iterations);
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { end_step(b, scene, b.total[scene]); });
}

// Adds the contact forces of attempts that are taken to the sums of their bodies.
template <class Device>
void note_forces(Device& device, const BatchView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int island = b.step_island[i];
    const int scene = i / b.bodies;
    const SceneView& s = b.scene[scene];
    const int body = i % b.bodies;
    if (island >= no_island(b) || !takes_step(b.step[island]) || !is_dynamic(s, body)) return;
    add_forces(s, body, b.course[scene].at == 0, [&](const auto& f) {
      for (int e = b.response.first[i]; e < b.response.first[i + 1]; ++e) {
        const Block& block = s.blocks[b.entry[e] / 2 - b.block_first[scene]];
        if (block.kind == block_contact && block.row_count > 0) f(block);
      }
    });
  });
}

// Takes or rejects the attempts that ended. Applies the stop rule to scenes whose step is done.
template <class Device>
void integrate_or_reject(Device& device, const BatchView& b) {
  assess_islands(device, b);
  hold_still(device, b);
  if (b.joints > 0) {
    device.for_each(b.scenes * b.joints, [=] PEGRASP_HD(int i) {
      const int scene = i / b.joints;
      const int joint = i % b.joints;
      const SceneView& s = b.scene[scene];
      const int owner = scene * b.bodies + owner_of(s, b.model->joint_body_a[joint], b.model->joint_body_b[joint]);
      const int island = b.step_island[owner];
      if (island < no_island(b) && takes_step(b.step[island])) commit_joint(s, joint, b.course[scene].h);
    });
  }
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int island = b.step_island[i];
    if (island < no_island(b) && takes_step(b.step[island])) {
      commit_body(b.scene[i / b.bodies], i % b.bodies, b.course[i / b.bodies].h);
    }
  });
  if (b.asks_for_forces != 0) note_forces(device, b);
  end_steps(device, b);
  if (b.by_islands != 0) {
    device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
      const SceneView& s = b.scene[i / b.bodies];
      if (b.course[i / b.bodies].step_ended == 0 || !is_kinematic(s, i % b.bodies)) return;
      carry_kinematic(s, i % b.bodies, (s.tally->step - 1) * b.options.h, b.options.h);
    });
  }
  const auto bodies = [=] PEGRASP_HD(int scene) { return body_start(b, scene); };
  add_up(device, b, bodies, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    if (b.course[scene].step_ended == 0 || !(b.options.still_time > 0.0)) return;
    if (moves(b.scene[scene], b.options, i - body_start(b, scene))) partial.most[0] = 1.0;
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    if (b.course[scene].step_ended == 0) return;
    const SceneView& s = b.scene[scene];
    keep_predicate_clocks(s, b.options.h);
    if (!(b.options.still_time > 0.0)) return;
    if (keep_still_clock(*s.tally, b.options, b.total[scene].most[0] == 0.0)) s.tally->outcome.stopped_still = 1;
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
