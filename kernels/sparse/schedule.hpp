// SPDX-License-Identifier: Apache-2.0
// What a scene does in the next round, and what becomes of it after one: the flow of control of run_scene.hpp and step.hpp, cut
// up so that thousands of scenes can each be at another place of it.
#pragma once

#include "sparse/sparse_view.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline void close_scene(const SparseView& b, int scene) {
  const SceneView& s = b.scene[scene];
  b.course[scene].over = 1;
  b.result[scene] = s.tally->outcome;
  b.result[scene].success = (s.tally->outcome.status & fatal_bits) == 0 && succeeded(s) ? 1 : 0;
}

PEGRASP_HD inline void schedule_scene(const SparseView& b, int scene) {
  Course& c = b.course[scene];
  SceneTally& t = *b.scene[scene].tally;
  c.active = c.step_begun = c.attempt_begun = c.list = c.ended = c.step_ended = 0;
  if (c.over != 0) return;
  if (c.in_step == 0) {
    if (scene_over(b.scene[scene], b.options)) return close_scene(b, scene);
    if (t.step >= b.step_limit) return;
    begin_step(t);
    c.substeps = first_substep(b.options);
    c.in_step = c.step_begun = 1;
    c.in_attempt = 0;
  }
  c.active = 1;
  if (c.in_attempt == 0) {
    c.in_attempt = c.attempt_begun = c.list = 1;
    c.h = c.substeps.length(b.options.h);
    t.time0 = t.step * b.options.h + b.options.h * c.substeps.share(c.substeps.at);
    t.pass = t.contacts_later = t.outran = t.astray = 0;
  } else {
    ++t.pass;
    t.contacts_later = linearises_anew(b.options) ? 1 : 0;
    c.list = t.outran;
  }
}

template <class Device>
void schedule(Device& device, const SparseView& b) {
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { schedule_scene(b, scene); });
}

// After the geometry was looked at: does the attempt end here? `total`: penetration, depth and force at a distance, and how many
// pairs could go through each other.
PEGRASP_HD inline void weigh_scene(const SparseView& b, int scene, const Partial& total) {
  Course& c = b.course[scene];
  if (c.active == 0) return;
  SceneTally& t = *b.scene[scene].tally;
  t.penetration = max_or_nan(total.most[0], c.joint_error);
  t.depth = total.most[1];
  if (total.sum[0] > 0.0) t.risk = 1;
  if (t.step_passes <= t.pass) t.step_passes = t.pass + 1;
  // as in accepted() and step_scene()
  const bool anew = linearises_anew(b.options);
  const bool agreed =
      anew ? t.outran == 0 && stands(b.options, t.penetration, total.most[2]) : stands(b.options, c.joint_error, 0.0);
  const int passes = usual_passes(b.scene[scene], b.options);
  const int most = has_islands && anew && passes > 1 ? most_passes * passes : passes;
  const bool more = t.pass + 1 < passes || (t.pass + 1 < most && worth_another_pass(t, b.options));
  if (!agreed && more) return;
  c.ended = 1;
  c.verdict = {agreed ? StepResult::done : StepResult::rejected, 0u};  // until the motion was looked at
}

// `finite`: all velocities and end poses of the attempt are. `gained`: energy that nobody put in.
PEGRASP_HD inline void rule_scene(const SparseView& b, int scene, bool finite, bool gained) {
  Course& c = b.course[scene];
  if (c.active == 0 || c.ended == 0) return;
  SceneTally& t = *b.scene[scene].tally;
  const bool agreed = c.verdict.result == StepResult::done;
  const RoomToHalve room = c.substeps.room();
  c.verdict = judge_attempt(t, b.options, agreed, t.risk != 0 ? room.at_risk : room.plain, finite, gained);
  c.in_attempt = 0;
  if (!finite) t.warm_h = 0.0;  // nothing to start the next attempt from
  if (c.verdict.result == StepResult::failed) t.step_status |= c.verdict.status;
  ++t.islands.bodies_tried;  // all of them, each time: the share is that of attempts
  if (c.verdict.result == StepResult::rejected) {
    ++t.islands.bodies_rejected;
    ++t.outcome.substeps_rejected;
  }
  if (c.verdict.result == StepResult::done) record_substep(t, c.verdict.status, c.work);
  c.substeps.after(c.verdict.result);
  const bool failed = c.verdict.result == StepResult::failed;
  if (!failed && !c.substeps.over()) return;
  end_step(t, b.options, !failed);
  c.in_step = 0;
  c.step_ended = failed ? 0 : 1;
  if (failed) close_scene(b, scene);
}

PEGRASP_HD inline bool takes_step(const Course& c) {
  return c.active != 0 && c.ended != 0 && c.verdict.result == StepResult::done;
}

PEGRASP_HD inline int body_start(const SparseView& b, int scene) { return scene * b.bodies; }

// Work and energy of the attempts that ended, block by block and body by body; in the plane no energy is looked at.
PEGRASP_HD inline void weigh_ended_block(const SparseView& b, int scene, int k, Partial& partial) {
  if (b.course[scene].ended == 0) return;
  const SceneView& s = b.scene[scene];
  const int local = k - b.block_first[scene];
#if defined(PEGRASP_SPATIAL)
  EnergyBalance sum;
  weigh_block(s, local, velocity_slack(b.options, b.course[scene].h), sum);
  partial.sum[0] += sum.servos;  // before pushes: the work that was done
  if (local < s.tally->contact_count) weigh_push(s, local, b.course[scene].h, sum);
  partial.sum[1] += sum.work;
  partial.sum[2] += sum.servos;
  partial.sum[3] += sum.slack;
#else
  add_block_work(s, local, s.twist, partial.sum[0]);
#endif
}

PEGRASP_HD inline void weigh_ended_body(const SparseView& b, int scene, int body, Partial& partial) {
  if (b.course[scene].ended == 0) return;
  const SceneView& s = b.scene[scene];
  add_body_work(s, body, partial.sum[0]);
  if (!finite_body(s, body)) partial.most[0] = 1.0;
#if defined(PEGRASP_SPATIAL)
  EnergyBalance sum;
  if (!weigh_body(s, body, b.course[scene].h, sum)) partial.most[1] = 1.0;
  partial.sum[1] += sum.free;
  partial.sum[2] += sum.solved;
  partial.sum[3] += sum.gain;
  partial.sum[4] += sum.lift;
#endif
}

// After the blocks: keeps their sums.
PEGRASP_HD inline void keep_block_sums(const SparseView& b, int scene) {
  Course& c = b.course[scene];
  const Partial& total = b.total[scene];
  c.work = total.sum[0];
#if defined(PEGRASP_SPATIAL)
  c.balance.work = total.sum[1];
  c.balance.servos = total.sum[2];
  c.balance.slack = total.sum[3];
#endif
}

// After the bodies: gains_energy() from sums.
PEGRASP_HD inline bool gained_energy(const SparseView& b, int scene) {
#if defined(PEGRASP_SPATIAL)
  EnergyBalance& balance = b.course[scene].balance;
  const Partial& total = b.total[scene];
  if (total.most[1] > 0.0) return true;
  if (b.options.contact != ContactModel::peg) return false;
  balance.free = total.sum[1];
  balance.solved = total.sum[2];
  balance.gain = total.sum[3];
  balance.lift = total.sum[4];
  return out_of_balance(b.scene[scene], balance);
#else
  (void)b;
  (void)scene;
  return false;
#endif
}

// Takes the attempts that ended or refuses them; steps that are done are judged.
template <class Device>
void integrate_or_reject(Device& device, const SparseView& b) {
  const auto bodies = [=] PEGRASP_HD(int scene) { return body_start(b, scene); };
  const auto blocks = [=] PEGRASP_HD(int scene) { return b.block_first[scene]; };
  add_up(device, b, blocks,
         [=] PEGRASP_HD(int scene, int k, Partial& partial) { weigh_ended_block(b, scene, k, partial); });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { keep_block_sums(b, scene); });
  add_up(device, b, bodies, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    weigh_ended_body(b, scene, i - body_start(b, scene), partial);
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    b.course[scene].work += b.total[scene].sum[0];
    rule_scene(b, scene, b.total[scene].most[0] == 0.0, gained_energy(b, scene));
  });
  if (b.joints > 0) {
    device.for_each(b.scenes * b.joints, [=] PEGRASP_HD(int i) {
      const int joint = i % b.joints;
      if (takes_step(b.course[i / b.joints])) commit_joint(b.scene[i / b.joints], joint, b.course[i / b.joints].h);
    });
  }
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    if (takes_step(b.course[i / b.bodies])) commit_body(b.scene[i / b.bodies], i % b.bodies);
  });
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
