// SPDX-License-Identifier: Apache-2.0
// A round of the sparse road, as a table of contents: for every scene that goes on, one linearisation of its step and the solve
// of it. The phases are those of step.hpp, each done for all scenes before the next; scenes begin and end their steps
// independently of each other.
//
// Device: where the loops run (host_device.hpp, cuda_device.cuh). for_each(n, f) calls f(i), 0 <= i < n, in any order;
// scan(x, n) makes exclusive sums, n + 1 of them, and returns the last; sort and sort_within are stable, as is group, which
// lists items by their group; multiply is y = b + A x; repeat(body, n, f) does body while any f(i) holds after it;
// record(f, whole) does f, which must not wait for the device nor make room, and may launch it as one graph.
#pragma once

#include "sparse/islands.hpp"
#include "sparse/near_pairs.hpp"
#include "sparse/rows.hpp"
#include "sparse/schedule.hpp"
#include "sparse/solve.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Begins every scene. The views' fixed pointers are set.
template <class Device>
void begin_scenes(Device& device, const SparseView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) { begin_body(b.scene[i / b.bodies], i % b.bodies); });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = b.scene[scene];
    const ModelView& m = *b.model;
    for (int i = 0; i < 2 * m.support_count; ++i) s.support_impulse[i] = 0.0;
    for (int i = 0; i < m.actuator_count; ++i) s.actuator_impulse[i] = 0.0;
    for (int i = 0; i < m.joint_count; ++i) begin_joint(s, i);
    for (int i = 0; i < m.predicate_count; ++i) s.predicate_time[i] = 0.0;
    begin_tally(s);
    b.course[scene] = Course{};
    b.pair_first[scene] = 0;
    if (scene == b.scenes - 1) b.pair_first[b.scenes] = 0;
  });
  device.for_each(b.scenes * b.bodies,
                  [=] PEGRASP_HD(int i) { appear_body(b.scene[i / b.bodies], i % b.bodies, 0.0); });
}

template <class Device>
void find_margins(Device& device, const SparseView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    const int body = i % b.bodies;
    const SceneView& s = b.scene[scene];
    if (b.course[scene].step_begun != 0) appear_body(s, body, s.tally->step * b.options.h);
    if (b.course[scene].attempt_begun != 0) first_margin(s, body, attempt_options(b, scene));
  });
}

template <class Device>
void predict(Device& device, const SparseView& b) {
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    if (b.course[scene].attempt_begun != 0) predict_body(b.scene[scene], i % b.bodies, b.course[scene].h);
  });
}

// How far joints end from where the step was to take them, and how far apart they began it.
template <class Device>
void look_at_joints(Device& device, const SparseView& b) {
  if (b.joints == 0) return;
  const auto joints = [=] PEGRASP_HD(int scene) { return scene * b.joints; };
  add_up(device, b, joints, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    const SceneView& s = b.scene[scene];
    const int joint = i - scene * b.joints;
    if (!joint_present(s, joint)) return;
    partial.most[0] = max_or_nan(partial.most[0], joint_error(s, joint, attempt_options(b, scene)));
    partial.most[1] = max_or_nan(partial.most[1], joint_apart_by(s, joint));
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    if (b.course[scene].active == 0) return;
    b.course[scene].joint_error = b.total[scene].most[0];
    b.scene[scene].tally->joints_open = b.total[scene].most[1];
  });
}

// Does the geometry at the end pose agree with the linearisation? Bodies that outran their margins get wider ones.
template <class Device>
void accepted(Device& device, const SparseView& b, int pairs) {
  const auto bodies = [=] PEGRASP_HD(int scene) { return body_start(b, scene); };
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    const SceneView& s = b.scene[scene];
    if (b.course[scene].active != 0) place_end(s, s.nu, i % b.bodies, b.course[scene].h);
  });
  add_up(device, b, bodies, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    const SceneView& s = b.scene[scene];
    const int body = i - body_start(b, scene);
    const double excess = motion_margin(s, s.nu, body, attempt_options(b, scene)) - s.margin[body];
    partial.most[0] = max_or_nan(partial.most[0], excess);
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) {
    if (b.course[scene].active == 0 || b.options.contact != ContactModel::peg) return;
    b.scene[scene].tally->outran = b.total[scene].most[0] > b.options.detect_distance ? 1 : 0;
  });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / b.bodies;
    const SceneView& s = b.scene[scene];
    if (b.course[scene].active == 0 || s.tally->outran == 0) return;
    double& margin = s.margin[i % b.bodies];
    margin = max2(margin, motion_margin(s, s.nu, i % b.bodies, attempt_options(b, scene)));
  });
  look_at_joints(device, b);
  device.for_each(pairs, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(b.pair_first, b.scenes, i);
    b.pair_end[i] = {0.0, 0.0, 0.0};
    if (b.pairs[i].near_contact) b.pair_end[i] = end_of_pair(b.scene[scene], b.pairs[i], attempt_options(b, scene));
  });
  const auto first = [=] PEGRASP_HD(int scene) { return b.pair_first[scene]; };
  add_up(device, b, first, [=] PEGRASP_HD(int, int i, Partial& partial) {
    partial.most[0] = max_or_nan(partial.most[0], b.pair_end[i].penetration);
    partial.most[1] = max_or_nan(partial.most[1], b.pair_end[i].depth);
    partial.most[2] = max_or_nan(partial.most[2], b.pair_end[i].apart);
    if (b.pairs[i].near_contact && b.pairs[i].keep_mode) partial.sum[0] += 1.0;
  });
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { weigh_scene(b, scene, b.total[scene]); });
}

// False when no scene has anything left to do.
template <class Device, class Buffers>
bool next_round(Device& device, SparseView& b, Buffers& buffers) {
  schedule(device, b);
  const SparseView scheduled = b;
  if (!device.any(b.scenes, [=] PEGRASP_HD(int scene) { return scheduled.course[scene].active != 0; })) return false;
  find_margins(device, b);
  list_near_pairs(device, b, buffers);
  predict(device, b);
  make_contacts(device, b, buffers);
  make_blocks(device, b, buffers);
  assemble(device, b, buffers);
  find_islands(device, b, buffers);
  const int pairs = buffers.pair_total;
  const int blocks = buffers.block_total;
  WarmContact* const warm = buffers.warm[buffers.warm_turn = 1 - buffers.warm_turn].room(blocks);
  const SparseView assembled = b;
  device.record(
      [&] {
        solve(device, assembled, blocks);
        keep_warm(device, assembled, blocks, warm);
        accepted(device, assembled, pairs);
        integrate_or_reject(device, assembled);
      },
      pairs > 0 && blocks > 0);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
