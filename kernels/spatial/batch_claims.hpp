// SPDX-License-Identifier: Apache-2.0
// The claims of bodies (kernels/spatial/claims.hpp) on the batched strategy in 3D, and the islands that they make.
#pragma once

#include "kernels/batch/island_members.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Calls f(body) for the dynamic bodies later in the order of claims whose claims meet that of the dynamic body at place
// `at`.
template <class F>
PEGRASP_HD inline void for_each_claim_met(const BatchView& b, int at, const F& f) {
  const int scene = at / b.bodies;
  const SceneView& s = b.scene[scene];
  const int body = b.claim_body[at];
  if (b.course[scene].regroup == 0 || b.step_island[scene * b.bodies + body] == no_island(b)) return;
  const double* claim = s.claim + box_size * body;
  for (int j = at + 1; j < (scene + 1) * b.bodies; ++j) {
    const int other = b.claim_body[j];
    if (s.claim[box_size * other] > claim[box_size / 2]) return;
    if (b.step_island[scene * b.bodies + other] == no_island(b)) continue;
    int slot = -1;
    if (!boxes_meet(claim, s.claim + box_size * other)) continue;
    if (may_touch(*s.model, min2(body, other), max2(body, other), slot)) f(other);
  }
}

// What connects bodies beside claims: the joints and couplings of one scene.
PEGRASP_HD inline int holds_a_scene(const BatchView& b) { return b.joints + b.couplings; }

// The two bodies, numbered over the batch, that joint or coupling k of the batch connects; false if it does not connect
// two moving bodies.
PEGRASP_HD inline bool hold_connects(const BatchView& b, int k, int& body_a, int& body_b) {
  const int scene = k / holds_a_scene(b);
  const int at = k % holds_a_scene(b);
  const ModelView& m = *b.model;
  if (b.course[scene].regroup == 0) return false;
  if (at < b.joints) {
    if (m.joint_body_a[at] < 0) return false;
    body_a = scene * b.bodies + m.joint_body_a[at];
    body_b = scene * b.bodies + m.joint_body_b[at];
  } else {
    body_a = scene * b.bodies + moved_by_joint(b.scene[scene], coupling_joint(m, at - b.joints, 0));
    body_b = scene * b.bodies + moved_by_joint(b.scene[scene], coupling_joint(m, at - b.joints, 1));
  }
  return b.step_island[body_a] < no_island(b) && b.step_island[body_b] < no_island(b);
}

// Unites islands of scenes that ask for it: where claims meet, joints or couplings connect bodies, or bodies were in
// one island before.
template <class Device, class Buffers>
void unite(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView c = b;
  const int bodies = b.scenes * b.bodies;
  const int holds = b.scenes * holds_a_scene(b);
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / c.bodies;
    c.claim_key[i] = 0;  // of scenes that have none yet
    if (c.course[scene].regroup != 0) c.claim_key[i] = ordered_bits(c.scene[scene].claim[box_size * (i % c.bodies)]);
    c.claim_body[i] = i % c.bodies;
  });
  device.sort_within(b.scenes, b.bodies, b.claim_key, b.claim_body);
  device.for_each(bodies + holds, [=] PEGRASP_HD(int i) {
    int count = 0;
    if (i < bodies) {
      for_each_claim_met(c, i, [&count](int) { ++count; });
      const int body = i / c.bodies * c.bodies + c.claim_body[i];
      count += c.step_island[body] < bodies && !is_head(c, body) ? 1 : 0;
    } else {
      int body_a, body_b;
      count = hold_connects(c, i - bodies, body_a, body_b) ? 1 : 0;
    }
    c.link_first[i] = count;
  });
  const int links = device.scan(b.link_first, bodies + holds);
  b.link_end = buffers.link_end.capacity(2 * links);
  b.link = buffers.link.capacity(2 * links);
  const BatchView d = b;
  device.for_each(bodies + holds, [=] PEGRASP_HD(int i) {
    int* end = d.link_end + 2 * d.link_first[i];
    const auto add = [&end](int body_a, int body_b) {
      *end++ = body_a;
      *end++ = body_b;
    };
    if (i < bodies) {
      const int scene = i / d.bodies;
      const int body = scene * d.bodies + d.claim_body[i];
      for_each_claim_met(d, i, [&](int other) { add(body, scene * d.bodies + other); });
      if (d.step_island[body] < bodies && !is_head(d, body)) add(body, d.step_island[body]);
    } else {
      int body_a, body_b;
      if (hold_connects(d, i - bodies, body_a, body_b)) add(body_a, body_b);
    }
  });
  device.group(d.link_end, 2 * links, bodies, d.link_of, d.link);
  // Every body takes over the least number around it, until none changes.
  int* from = b.island;
  int* to = b.island_next;
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    d.step_before[i] = d.step_island[i];
    from[i] = d.step_island[i];
  });
  bool changes = links > 0;
  while (changes) {
    device.for_each(bodies, [=] PEGRASP_HD(int i) {
      int least = from[i];
      for (int k = d.link_of[i]; k < d.link_of[i + 1]; ++k) least = min2(least, from[d.link_end[d.link[k] ^ 1]]);
      to[i] = least < bodies ? min2(least, from[least]) : least;
    });
    changes = device.any(bodies, [=] PEGRASP_HD(int i) { return to[i] != from[i]; });
    int* const last = from;
    from = to;
    to = last;
  }
  device.for_each(bodies, [=] PEGRASP_HD(int i) { d.step_island[i] = from[i]; });
  list_members(device, b, buffers);
}

// Sets Course::regroup, whether a scene's islands are found anew, from f(scene); returns whether any scene's are.
template <class Device, class F>
bool ask_to_regroup(Device& device, const BatchView& b, const F& f) {
  device.for_each(b.scenes, [=] PEGRASP_HD(int scene) { b.course[scene].regroup = f(scene) ? 1 : 0; });
  return device.any(b.scenes, [=] PEGRASP_HD(int scene) { return b.course[scene].regroup != 0; });
}

// The boxes of a body and of its parts, grown by its margin.
PEGRASP_HD inline void box_of_body(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  for (int part = m.body_first_part[body]; part < m.body_first_part[body + 1]; ++part) {
    part_box(s, part, s.box + box_size * part);
  }
  make_body_box(s, body);
}

// Claims boxes for the bodies of the steps that begin, and finds the islands.
template <class Device, class Buffers>
void claim_boxes(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView c = b;
  if (!ask_to_regroup(device, b, [=] PEGRASP_HD(int scene) { return c.course[scene].step_begun != 0; })) return;
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    const int scene = i / c.bodies;
    const int body = i % c.bodies;
    const SceneView& s = c.scene[scene];
    if (c.course[scene].regroup == 0) return;
    note_begin(s, body);
    first_margin(s, body, c.options);
    box_of_body(s, body);
    for (int k = box_size * body; k < box_size * (body + 1); ++k) s.claim[k] = s.body_box[k];
    c.step_island[i] = is_dynamic(s, body) && s.present[body] != 0 ? i : no_island(c);
  });
  if (b.joints > 0) {
    device.for_each(b.scenes * b.joints, [=] PEGRASP_HD(int i) {
      const SceneView& s = c.scene[i / c.joints];
      if (c.course[i / c.joints].regroup != 0) s.begin_turn[i % c.joints] = s.joint_turn[i % c.joints];
    });
  }
  unite(device, b, buffers);
}

// Moves a kinematic body to where it is `length` [s] after the step's beginning at time `begin` [s].
PEGRASP_HD inline void carry_kinematic(const SceneView& s, int body, double begin, double length) {
  go_back(s, body);
  if (!(length > 0.0)) return;
  prescribed_twist(s, body, begin, length, s.nu + dof * body);
  place_end(s, s.nu, body, length);
  commit_body(s, body, length);
}

// Widens the claims of bodies that left them. Islands that are united by that go back to the step's beginning.
template <class Device, class Buffers>
void keep_to_claims(Device& device, BatchView& b, Buffers& buffers) {
  if (b.by_islands == 0) return;
  const BatchView c = b;
  const auto bodies = [=] PEGRASP_HD(int scene) { return scene * c.bodies; };
  add_up(device, b, bodies, [=] PEGRASP_HD(int scene, int i, Partial& partial) {
    const SceneView& s = c.scene[scene];
    const int body = i - scene * c.bodies;
    if (!in_active_island(c, i) || c.step[c.step_island[i]].list == 0) return;
    box_of_body(s, body);
    const double* box = s.body_box + box_size * body;
    if (box_within(box, s.claim + box_size * body)) return;
    widen_box(s.claim + box_size * body, box);
    partial.most[0] = 1.0;
  });
  const auto left = [=] PEGRASP_HD(int scene) { return c.course[scene].active != 0 && c.total[scene].most[0] > 0.0; };
  if (!ask_to_regroup(device, b, left)) return;
  unite(device, b, buffers);
  const BatchView d = b;
  // Marks bodies whose island number changed, and through them the islands that have grown.
  device.for_each(b.scenes * b.bodies,
                  [=] PEGRASP_HD(int i) { d.live[i] = d.step_island[i] != d.step_before[i] ? 2 : d.live[i]; });
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    if (!is_head(d, i) || d.course[i / d.bodies].regroup == 0) return;
    bool grown = false;
    for (int k = d.step_first[i]; k < d.step_first[i + 1]; ++k) grown = grown || d.live[d.step_body[k]] == 2;
    if (grown) d.step[i] = island_at_the_start(d);
    d.step[i].merged = grown ? 1 : 0;
  });
  if (b.joints > 0) {
    device.for_each(b.scenes * b.joints, [=] PEGRASP_HD(int i) {
      const SceneView& s = d.scene[i / d.joints];
      const int joint = i % d.joints;
      const int body =
          i / d.joints * d.bodies + owner_of(s, d.model->joint_body_a[joint], d.model->joint_body_b[joint]);
      if (d.course[i / d.joints].regroup == 0 || d.step_island[body] == no_island(d)) return;
      if (d.step[d.step_island[body]].merged != 0) s.joint_turn[joint] = s.begin_turn[joint];
    });
  }
  device.for_each(b.scenes * b.bodies, [=] PEGRASP_HD(int i) {
    if (d.course[i / d.bodies].regroup == 0 || d.step_island[i] == no_island(d)) return;
    if (d.step[d.step_island[i]].merged == 0) return;
    go_back(d.scene[i / d.bodies], i % d.bodies);
    d.live[i] = 0;
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
