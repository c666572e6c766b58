// SPDX-License-Identifier: Apache-2.0
// Claims in 3D. Every body claims a box for the whole step: the box that its margin says it cannot leave. Bodies whose
// claims meet, and bodies that a joint or a coupling connects, belong to one island. Islands are stepped one after the
// other, each in as many substeps as it needs (kernels/step/islands.hpp). A body that leaves its claim gets a wider
// one; where that meets the claim of a body of another island, the two islands become one, which starts the step again.
// Bodies that are not dynamic couple none.
#pragma once

#include "kernels/broad_phase/boxes.hpp"
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The candidate pairs of bodies: those whose claims meet.
PEGRASP_HD inline int candidate_count(const SceneView& s) { return s.tally->islands.claim_pair_count; }
PEGRASP_HD inline int candidate(const SceneView& s, int i) { return s.claim_pair[i]; }
PEGRASP_HD inline bool may_meet(const SceneView& s, int a, int b) { return is_own(s, a) || is_own(s, b); }

// Lists the pairs of bodies whose claims meet.
template <class Team>
PEGRASP_HD void list_claims(Team& team, SceneView& s) {
  const ModelView& m = *s.model;
  for_each(team, m.body_pair_count, [&](int k) {
    const int a = m.body_pair_a[k];
    const int b = m.body_pair_b[k];
    const bool meet = s.present[a] && s.present[b] && boxes_meet(s.claim + box_size * a, s.claim + box_size * b);
    s.pair_flag[k] = meet ? 1 : 0;
  });
  once(team, [&] {
    int count = 0;
    for (int k = 0; k < m.body_pair_count; ++k) {
      if (s.pair_flag[k]) s.claim_pair[count++] = k;
    }
    s.tally->islands.claim_pair_count = count;
  });
}

// Unites the islands of two bodies into one, which keeps the smaller number. Returns whether they were two.
PEGRASP_HD inline bool unite(const SceneView& s, int a, int b) {
  const int one = s.island_of[a];
  const int other = s.island_of[b];
  if (one < 0 || other < 0 || one == other) return false;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (s.island_of[body] == max2(one, other)) s.island_of[body] = min2(one, other);
  }
  return true;
}

// Unites islands of bodies whose claims meet; returns whether any were united.
PEGRASP_HD inline bool unite_by_claims(const SceneView& s) {
  bool united = false;
  for (int i = 0; i < candidate_count(s); ++i) {
    const int k = candidate(s, i);
    if (unite(s, s.model->body_pair_a[k], s.model->body_pair_b[k])) united = true;
  }
  return united;
}

// Widens the claims of active bodies that have left theirs.
template <class Team>
PEGRASP_HD void keep_to_claims(Team& team, SceneView& s) {
  double left = 0.0;
  for (int i = team.rank(); i < active_count(s); i += team.size()) {
    const int body = active_body(s, i);
    const double* box = s.body_box + box_size * body;
    if (!s.present[body] || box_within(box, s.claim + box_size * body)) continue;
    widen_box(s.claim + box_size * body, box);
    left = 1.0;
  }
  left = team.max(left);
  team.sync();
  if (!(left > 0.0)) return;
  list_claims(team, s);
  once(team, [&] {
    if (unite_by_claims(s)) s.tally->islands.merged = 1;
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
