// SPDX-License-Identifier: Apache-2.0
// A round of the batched strategy, as a table of contents: for every scene that goes on, one linearisation of its step
// and the solve of it. The phases are those of step.hpp, each done for all scenes before the next. Scenes begin and end
// their steps independently of each other.
//
// Device is where the loops run (host_device.hpp, cuda_device.cuh). It has these functions:
//   for_each(n, f)            calls f(i), 0 <= i < n, in any order
//   any(n, f)                 whether f(i) holds for any i
//   scan(x, n)                replaces x by its n + 1 exclusive sums and returns the last
//   sort, sort_within, group  stable; group lists items by their group
//   multiply                  y = b + A x
//   narrowed(list, items, f)  the items for which f(i) holds; a device may keep others too
//   repeat(body, n, f)        does body while any f(i) holds after it
//   solve_islands(b)          solves islands by Newton's method before AJ does; a CPU alone has it
//   record(f, whole)          does f, and may launch it as one graph: f must neither wait for the device nor allocate
#pragma once

#include "kernels/batch/islands.hpp"
#include "kernels/batch/near_pairs.hpp"
#include "kernels/batch/rows.hpp"
#include "kernels/batch/schedule.hpp"
#include "kernels/batch/solve.hpp"
#include "kernels/batch/step_islands.hpp"
#include "kernels/batch/warm_lists.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Begins every scene. The fixed pointers of the views are set. joint_owner: one entry per joint of the batch.
template <class Device>
void begin_scenes(Device& device, const BatchView& b, int* joint_owner) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) { begin_body(b.scene[i / b.bodies], i % b.bodies); });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = b.scene[scene];
    const ModelView& m = *b.model;
    for (int i = 0; i < 2 * m.support_count; ++i) s.support_impulse[i] = 0.0;
    for (int i = 0; i < motor_rows_most * m.actuator_count; ++i) s.actuator_impulse[i] = 0.0;
    for (int i = 0; i < m.joint_count; ++i) begin_joint(s, i);
    for (int i = 0; i < 2 * m.coupling_count; ++i) s.coupling_impulse[i] = 0.0;
    for (int i = 0; i < m.predicate_count; ++i) begin_predicate(s, i);
    for (int body = 0; body < m.body_count; ++body) clear_forces(s, body);
    begin_tally(s);
    b.course[scene] = Course{};
    b.pair_first[scene] = b.block_first[scene] = b.kept_first[scene] = 0;
    if (scene == b.scenes - 1) b.pair_first[b.scenes] = b.block_first[b.scenes] = b.kept_first[b.scenes] = 0;
  });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    appear_body(b.scene[i / b.bodies], i % b.bodies, 0.0);
    b.step[i] = StepIsland{};
    b.step_island[i] = no_island(b);
    b.live[i] = 0;
    b.owned_first[i] = 0;
    if (i == no_island(b) - 1) b.owned_first[i + 1] = 0;
  });
  device.for_each(b.scenes * b.joints, [=] PEGRASP_HD(int i) {
    const int scene = i / b.joints;
    const int joint = i % b.joints;
    joint_owner[i] =
        scene * b.bodies + owner_of(b.scene[scene], b.model->joint_body_a[joint], b.model->joint_body_b[joint]);
  });
  device.group(joint_owner, b.scenes * b.joints, b.scenes * b.bodies, b.owned_joint_first, b.owned_joint);
}

// Margins of the bodies in attempts that begin. All attempts of a scene begin at one time, to which its kinematic
// bodies are moved.
template <class Device>
void find_margins(Device& device, const BatchView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    const int body = i % b.bodies;
    const SceneView& s = b.scene[scene];
    const Course& c = b.course[scene];
    if (c.attempt_begun == 0 || b.live[i] == 0) return;
    if (b.by_islands != 0 && is_kinematic(s, body)) {
      const double begin = s.tally->step * b.options.h;
      carry_kinematic(s, body, begin, s.tally->time0 - begin);
    }
    first_margin(s, body, attempt_options(b, scene));
  });
}

// The free motion of bodies in attempts that begin.
template <class Device>
void predict(Device& device, const BatchView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    if (b.course[scene].attempt_begun != 0 && b.live[i] != 0)
      predict_body(b.scene[scene], i % b.bodies, b.course[scene].h);
  });
}

// Sets the inertia and the free spin of bodies that joints hold taut, in attempts that are going on. Impulses are kept
// for whole steps.
template <class Device>
void hold_taut(Device& device, const BatchView& b) {
  if (b.joints == 0) return;
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    if (b.course[scene].active == 0) return;
    SerialTeam team;
    SceneView& s = b.scene[scene];
    hold_taut(team, s, b.course[scene].h, b.options.h, [&](int joint) {
      return b.live[scene * b.bodies + owner_of(s, b.model->joint_body_a[joint], b.model->joint_body_b[joint])] != 0;
    });
  });
}

// Measures the bodies of every island after the solve: whether they left their margins, how far joints end from where
// the step was to take them and how far apart they began, and the residual of the solve. Bodies that left their margins
// get wider ones.
template <class Device>
void look_at_bodies(Device& device, const BatchView& b) {
  add_up_islands_of_step(
      device, b,
      [=] PEGRASP_HD(int scene, int body, Partial& partial) {
        const SceneView& s = b.scene[scene];
        const int i = scene * b.bodies + body;
        const StepOptions options = attempt_options(b, scene);
        partial.most[0] = max_or_nan(0.0, motion_margin(s, s.nu, body, options) - s.margin[body]);
        if (b.owned_joint_first[i + 1] > b.owned_joint_first[i]) partial.sum[0] += 1.0;
        for (int k = b.owned_joint_first[i]; k < b.owned_joint_first[i + 1]; ++k) {
          const int joint = b.owned_joint[k] - scene * b.joints;
          if (!joint_present(s, joint)) continue;
          partial.most[1] = max_or_nan(partial.most[1], hold_error(s, joint, options, b.options.h));
          partial.most[2] = max_or_nan(partial.most[2], joint_apart_by(s, joint));
        }
        const IslandCourse& course = b.island_course[b.island[i]];
        partial.most[3] = course.residual;
        partial.most[4] = course.probe == probe_proved ? 1.0 : 0.0;
        if (b.island[i] == i) partial.sum[1] += course.iteration;
      },
      [=] PEGRASP_HD(int i, const Partial& total) {
        StepIsland& island = b.step[i];
        const bool outran = linearises_anew(b.options) && total.most[0] > b.options.detect_distance;
        island.found.outran = island.list = outran ? 1 : 0;
        island.jointed = total.sum[0] > 0.0 ? 1 : 0;
        island.joint_error = total.most[1];
        island.found.joints_open = total.most[2];
        island.found.residual = total.most[3];
        island.found.infeasible = island.suspect = total.most[4] > 0.0 ? 1 : 0;
        island.iterations += static_cast<std::int64_t>(total.sum[1]);
      });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    const int body = i % b.bodies;
    const SceneView& s = b.scene[scene];
    if (!in_active_island(b, i) || b.step[b.step_island[i]].found.outran == 0) return;
    s.margin[body] = max2(s.margin[body], motion_margin(s, s.nu, body, attempt_options(b, scene)));
  });
}

// Whether bodies land at a contact of the pair. The per-scene strategy asks before it solves.
PEGRASP_HD inline bool pair_lands(const BatchView& b, int scene, const NearPair& pair) {
  const SceneView& s = b.scene[scene];
  if (!asks_for_landings(s, b.options)) return false;
  for (int k = pair.first_contact; k < pair.first_contact + pair.contact_count; ++k) {
    if (lands(s, k, attempt_options(b, scene))) return true;
  }
  return false;
}

// Whether the geometry at the end pose agrees with the linearisation, island by island. pairs: number of near pairs.
template <class Device>
void accepted(Device& device, const BatchView& b, int pairs) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    if (b.live[i] != 0) place_end(b.scene[scene], b.scene[scene].nu, i % b.bodies, b.course[scene].h);
  });
  look_at_bodies(device, b);
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(b.pair_first, b.scenes, i);
    b.pair_end[i] = {0.0, 0.0, 0.0};
    if (!pair_live(b, scene, b.pairs[i]) || !b.pairs[i].near_contact) return;
    b.pair_end[i] = end_of_pair(b.scene[scene], b.pairs[i], attempt_options(b, scene));
  });
  add_up_islands_of_step(
      device, b,
      [=] PEGRASP_HD(int scene, int body, Partial& partial) {
        const int i = scene * b.bodies + body;
        for (int k = b.owned_first[i]; k < b.owned_first[i + 1]; ++k) {
          const int pair = b.owned_pair[k];
          partial.most[0] = max_or_nan(partial.most[0], b.pair_end[pair].penetration);
          partial.most[1] = max_or_nan(partial.most[1], b.pair_end[pair].depth);
          partial.most[2] = max_or_nan(partial.most[2], b.pair_end[pair].apart);
          if (b.pairs[pair].near_contact && at_risk(b.pairs[pair])) partial.most[3] = 1.0;
          if (pair_lands(b, scene, b.pairs[pair])) partial.most[4] = 1.0;
        }
      },
      [=] PEGRASP_HD(int i, const Partial& total) {
        StepIsland& island = b.step[i];
        island.found.penetration = island.penetration = max_or_nan(total.most[0], island.joint_error);
        island.depth = total.most[1];
        if (total.most[3] > 0.0) island.risk = 1;
        const bool may_halve = island.substeps.allowance(b.options).landing && !hurries(b, i / b.bodies, island);
        island.found.lands = total.most[4] > 0.0 && may_halve ? 1 : 0;
        find_end_of_attempt(b, i / b.bodies, island, total.most[2]);
      });
}

// Makes one round. Returns false when no scene has anything left to do.
template <class Device, class Buffers>
bool next_round(Device& device, BatchView& b, Buffers& buffers) {
  merge_warm(device, b, buffers);
  begin_round(device, b);
  const BatchView begun = b;
  if (!device.any(b.scenes, [=] PEGRASP_HD(int scene) { return begun.course[scene].active != 0; })) return false;
  find_step_islands(device, b, buffers);
  schedule(device, b);
  find_margins(device, b);
  keep_to_claims(device, b, buffers);
  list_near_pairs(device, b, buffers);
  predict(device, b);
  hold_taut(device, b);
  make_contacts(device, b, buffers);
  make_blocks(device, b, buffers);
  assemble(device, b, buffers);
  find_islands(device, b, buffers);
  const int pairs = buffers.pair_total;
  const int blocks = buffers.block_total;
  WarmContact* const fresh = buffers.fresh.capacity(blocks);
  b.fresh = fresh;
  const BatchView assembled = b;
  device.record(
      [&] {
        solve(device, assembled, blocks);
        keep_warm(device, assembled, blocks, fresh);
        accepted(device, assembled, pairs);
        integrate_or_reject(device, assembled);
      },
      pairs > 0 && blocks > 0);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
