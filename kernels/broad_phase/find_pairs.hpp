// SPDX-License-Identifier: Apache-2.0
// Broad phase: finds the pairs of convex parts that could touch within the step.
//
// Every body gets a margin: the farthest that any of its points can move in the step, plus the detection distance.
// Parts are near if their boxes, grown by the margins of their bodies, overlap. The margin follows from velocities and
// is never tuned (thesis eq. 5.1). When a solve makes a body faster than its margin allows for, the body has left its
// margin, and accepted() lists the pairs again.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/reach.hpp"
#else
#include "kernels/planar/reach.hpp"
#endif
#include "kernels/broad_phase/boxes.hpp"
#include "kernels/broad_phase/claims.hpp"
#include "kernels/integrate/predict.hpp"
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The margin [m] of a body with velocities nu.
PEGRASP_HD inline double motion_margin(const SceneView& s, const double* nu, int body, const StepOptions& options) {
  return options.detect_distance + options.h * (speed_bound(s, nu, body) + endless_swing(s, nu, body));
}

// Appends the near pairs of parts of a pair of bodies.
PEGRASP_HD inline void append_pairs(const SceneView& s, int body_pair) {
  const ModelView& m = *s.model;
  const int a = m.body_pair_a[body_pair];
  const int b = m.body_pair_b[body_pair];
  SceneTally& t = *s.tally;
  for (int k = m.body_pair_first_part[body_pair]; k < m.body_pair_first_part[body_pair + 1]; ++k) {
    const int part_a = m.part_pair_a[k];
    const int part_b = m.part_pair_b[k];
    if (!boxes_meet(s.box + box_size * part_a, s.box + box_size * part_b)) continue;
    if (!parts_may_touch(s, part_a, part_b)) continue;
    if (t.pair_count < s.capacity.pairs) {
      NearPair& pair = s.pairs[t.pair_count];
      pair.part_a = part_a;
      pair.part_b = part_b;
      pair.body_a = a;
      pair.body_b = b;
      pair.slot = body_pair;
      pair.eps = s.margin[a] + s.margin[b];
    }
    ++t.pair_count;
  }
}

// The box of a body, from those of its parts; empty where the body is absent.
PEGRASP_HD inline void make_body_box(const SceneView& s, int body) {
  double* box = s.body_box + box_size * body;
  empty_box(box);
  if (!s.present[body]) return;
  for (int part = s.model->body_first_part[body]; part < s.model->body_first_part[body + 1]; ++part) {
    widen_box(box, s.box + box_size * part);
  }
}

// Makes the boxes of the active bodies and of their parts, grown by their margins.
template <class Team>
PEGRASP_HD void make_boxes(Team& team, SceneView& s) {
  const ModelView& m = *s.model;
  for_each(team, m.part_count, [&](int part) {
    if (is_active(s, m.part_body[part])) part_box(s, part, s.box + box_size * part);
  });
  for_each_active(team, s, [&](int body) { make_body_box(s, body); });
}

// Lists the near pairs of every part, in their order.
PEGRASP_HD inline void list_pairs_of_parts(const SceneView& s) {
  const int parts = s.model->part_count;
  const int pairs = s.tally->pair_count;
  int* const first = s.part_first_pair;
  for (int i = 0; i <= parts; ++i) first[i] = 0;
  for (int k = 0; k < pairs; ++k) {
    ++first[s.pairs[k].part_a];
    ++first[s.pairs[k].part_b];
  }
  // The end of each part's entries; each entry then moves it to their beginning.
  for (int i = 1; i <= parts; ++i) first[i] += first[i - 1];
  for (int k = pairs - 1; k >= 0; --k) {
    s.pair_of_part[--first[s.pairs[k].part_b]] = k;
    s.pair_of_part[--first[s.pairs[k].part_a]] = k;
  }
}

// Lists the near pairs in s.pairs, in the order of the model. More than the workspace holds set the capacity bit and
// the demand.
template <class Team>
PEGRASP_HD void list_pairs(Team& team, SceneView& s) {
  const ModelView& m = *s.model;
  const int candidates = candidate_count(s);
  for_each(team, candidates, [&](int i) {
    const int a = m.body_pair_a[candidate(s, i)];
    const int b = m.body_pair_b[candidate(s, i)];
    const bool at_hand = may_meet(s, a, b) && boxes_meet(s.body_box + box_size * a, s.body_box + box_size * b);
    s.pair_flag[i] = at_hand ? 1 : 0;
  });
  once(team, [&] {
    s.tally->pair_count = 0;
    s.tally->pairs_fresh = 1;
    for (int i = 0; i < candidates; ++i) {
      if (s.pair_flag[i]) append_pairs(s, candidate(s, i));
    }
    if (s.tally->pair_count > s.capacity.pairs) {
      s.tally->step_status |= status_capacity;
      s.tally->outcome.contacts_demand = max2(s.tally->outcome.contacts_demand, 2 * s.tally->pair_count);
      s.tally->pair_count = 0;
    }
    list_pairs_of_parts(s);
  });
}

// The margin of a body at the start of an attempt.
PEGRASP_HD inline void first_margin(const SceneView& s, int body, const StepOptions& options) {
  double* nu = s.nu + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = s.twist[dof * body + i];
  if (s.model->body_kind[body] == static_cast<int>(BodyKind::kinematic)) {
    prescribed_twist(s, body, s.tally->time0, options.h, nu);
  }
  s.margin[body] = motion_margin(s, s.nu, body, options) + options.h * driven_speed(s, body, options.h);
}

// Margins, boxes and near pairs of an attempt.
template <class Team>
PEGRASP_HD_APART void find_pairs(Team& team, SceneView& s, const StepOptions& options) {
  for_each_active(team, s, [&](int body) { first_margin(s, body, options); });
  make_boxes(team, s);
  keep_to_claims(team, s);
  list_pairs(team, s);
}

// Whether a body has left its margin by the solved velocities; if so, margins grow and the pairs are listed again.
template <class Team>
PEGRASP_HD bool refresh_pairs(Team& team, SceneView& s, const StepOptions& options) {
  double excess = -1.0;
  for (int i = team.rank(); i < active_count(s); i += team.size()) {
    const int body = active_body(s, i);
    excess = max_or_nan(excess, motion_margin(s, s.nu, body, options) - s.margin[body]);
  }
  excess = team.max(excess);
  team.sync();
  if (!(excess > options.detect_distance)) return false;
  for_each_active(team, s,
                  [&](int body) { s.margin[body] = max2(s.margin[body], motion_margin(s, s.nu, body, options)); });
  make_boxes(team, s);
  keep_to_claims(team, s);
  list_pairs(team, s);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
