// SPDX-License-Identifier: Apache-2.0
// How far a success condition is from changing: at least 0 where it holds, below 0 where it does not, and continuous
// where what it looks at is. `all` is the least of its margins, `any` the largest, `negate` the opposite. So a rare
// failure can be approached by trials that only just succeed.
#pragma once

#include "kernels/outcome/outcome.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A margin that has the sign of what holds: 0 itself is success, and its opposite must not be.
PEGRASP_HD inline double signed_margin(double margin, bool holds) {
  constexpr double least = 1e-9;
  if (holds) return max2(margin, 0.0);
  return margin < 0.0 ? margin : -least;
}

// Of a predicate whose clock must reach its duration: also for how long beyond that, or how much is missing [ms].
PEGRASP_HD inline double lasting_margin(const SceneView& s, int k) {
  const double beyond = s.predicate_time[k] - s.model->predicates[k].duration * whole_steps;
  return min2(s.predicate_margin[k], margin_ms * beyond);
}

// Of a leaf that must hold from a time on.
PEGRASP_HD inline double throughout_margin(const SceneView& s, int k) {
  if (s.predicate_time[k] != hold_unseen) return s.predicate_margin[k];
  return margin_ms * (s.tally->outcome.time - s.model->predicates[k].since);
}

PEGRASP_HD inline double leaf_margin(const SceneView& s, int k) {
  const Predicate& p = s.model->predicates[k];
  switch (p.kind) {
    case PredicateKind::gap_below:
      return gap_margin(s, p);
    case PredicateKind::pose_within:
      return p.duration > 0.0 ? lasting_margin(s, k) : pose_margin(s, p);
    case PredicateKind::held:
      return throughout_margin(s, k);
    case PredicateKind::contact_force:
      return p.count != 0 ? throughout_margin(s, k) : lasting_margin(s, k);
    case PredicateKind::touching:
    case PredicateKind::speed_below:
      return lasting_margin(s, k);
    case PredicateKind::displacement_below:
      return margin_mm * (p.value - norm(position(s.pose, p.body) - position(s.initial_pose, p.body)));
    case PredicateKind::negate:
    case PredicateKind::all:
    case PredicateKind::any:
      break;
  }
  return 0.0;
}

// The margin that takes the place of the last `count` of a stack: the least of them, or the largest.
PEGRASP_HD inline double combined_margin(const double* last, int count, bool least) {
  double margin = least ? 1e300 : -1e300;
  for (int i = 0; i < count; ++i) margin = least ? min2(margin, last[i]) : max2(margin, last[i]);
  return margin;
}

// The margin of the success condition now; 0 where it is not measured. A condition has at most 64 predicates.
PEGRASP_HD_APART double margin_of_success(const SceneView& s) {
  const ModelView& m = *s.model;
  if (m.measures_margin == 0) return 0.0;
  const double overlap = s.tally->outcome.start_overlap;
  if (begins_in_collision(s)) return signed_margin(margin_mm * (m.watched_overlap - overlap), false);
  double stack[most_predicates];
  int depth = 0;
  for (int k = 0; k < m.predicate_count; ++k) {
    const Predicate& p = m.predicates[k];
    switch (p.kind) {
      case PredicateKind::negate:
        stack[depth - 1] = signed_margin(-stack[depth - 1], stack[depth - 1] < 0.0);
        break;
      case PredicateKind::all:
        depth -= p.count;
        stack[depth] = combined_margin(stack + depth, p.count, true);
        ++depth;
        break;
      case PredicateKind::any:
        depth -= p.count;
        stack[depth] = combined_margin(stack + depth, p.count, false);
        ++depth;
        break;
      case PredicateKind::gap_below:
      case PredicateKind::pose_within:
      case PredicateKind::held:
      case PredicateKind::contact_force:
      case PredicateKind::touching:
      case PredicateKind::speed_below:
      case PredicateKind::displacement_below:
        stack[depth++] = signed_margin(leaf_margin(s, k), leaf_holds(s, k));
        break;
    }
  }
  return depth > 0 ? stack[depth - 1] : -1.0;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
