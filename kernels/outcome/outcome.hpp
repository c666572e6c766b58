// SPDX-License-Identifier: Apache-2.0
// The stop rule, which ends a scene, and the success condition, which says whether its end counts as success.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/predicates.hpp"
#else
#include "kernels/planar/predicates.hpp"
#endif
#include "kernels/base/team.hpp"
#include "kernels/outcome/forces.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Durations are sums of steps: ten steps of 5 ms add up to slightly less than 50 ms.
constexpr double whole_steps = 1.0 - 1e-9;

// Values of the clock of a `held` predicate, and of one of a force throughout: not looked at yet, held ever since, let
// go.
constexpr double hold_unseen = 0.0, hold_kept = 1.0, hold_lost = 2.0;

// Whether the centre of mass of p.body is within p.value [m] of where it started.
PEGRASP_HD inline bool displacement_below(const SceneView& s, const Predicate& p) {
  const V d = position(s.pose, p.body) - position(s.initial_pose, p.body);
  return norm(d) <= p.value;
}

// Whether predicate k, which has a clock, has held for its duration up to now, and in the last step.
PEGRASP_HD inline bool lasted(const SceneView& s, int k) {
  return s.predicate_time[k] >= s.model->predicates[k].duration * whole_steps && s.predicate_time[k] > 0.0;
}

// Whether what is to hold the part overlaps it as the scene begins: such a scene ends there, without success.
PEGRASP_HD inline bool begins_in_collision(const SceneView& s) {
  return s.model->watched >= 0 && s.tally->outcome.start_overlap > s.model->watched_overlap;
}

PEGRASP_HD inline std::uint64_t lowest_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Whether leaf k of the success condition holds now.
PEGRASP_HD inline bool leaf_holds(const SceneView& s, int k) {
  const Predicate& p = s.model->predicates[k];
  switch (p.kind) {
    case PredicateKind::gap_below:
      return gap_below(s, p);
    case PredicateKind::pose_within:
      return p.duration > 0.0 ? s.predicate_time[k] >= p.duration * whole_steps : pose_within(s, p);
    case PredicateKind::held:
      return s.predicate_time[k] == hold_kept;
    case PredicateKind::contact_force:
      return p.count != 0 ? s.predicate_time[k] == hold_kept : lasted(s, k);
    case PredicateKind::touching:
    case PredicateKind::speed_below:
      return lasted(s, k);
    case PredicateKind::displacement_below:
      return displacement_below(s, p);
    case PredicateKind::negate:  // these combine others
    case PredicateKind::all:
    case PredicateKind::any:
      break;
  }
  return false;
}

// Whether the success condition holds now. It is a postfix program; the stack of truth values is a word of bits, since
// a condition has at most 64 predicates.
PEGRASP_HD_APART bool succeeded(const SceneView& s) {
  const ModelView& m = *s.model;
  if (begins_in_collision(s)) return false;
  std::uint64_t stack = 0;
  int depth = 0;
  for (int k = 0; k < m.predicate_count; ++k) {
    const Predicate& p = m.predicates[k];
    bool value = false;
    int consumed = 0;
    switch (p.kind) {
      case PredicateKind::negate:
        value = (stack & 1u) == 0;
        consumed = 1;
        break;
      case PredicateKind::all:
        value = (~stack & lowest_bits(p.count)) == 0;
        consumed = p.count;
        break;
      case PredicateKind::any:
        value = (stack & lowest_bits(p.count)) != 0;
        consumed = p.count;
        break;
      case PredicateKind::gap_below:
      case PredicateKind::pose_within:
      case PredicateKind::held:
      case PredicateKind::contact_force:
      case PredicateKind::touching:
      case PredicateKind::speed_below:
      case PredicateKind::displacement_below:
        value = leaf_holds(s, k);
        break;
    }
    stack = consumed >= 64 ? 0 : stack >> consumed;
    stack = (stack << 1) | (value ? 1u : 0u);
    depth += 1 - consumed;
  }
  return depth > 0 && (stack & 1u) != 0;
}

// The clock of predicate k as a scene begins.
PEGRASP_HD inline void begin_predicate(const SceneView& s, int k) {
  s.predicate_time[k] = 0.0;
  if (s.model->measures_margin != 0) s.predicate_margin[k] = 1e300;
}

// Whether no point of the body moves faster than `speed` [m/s]; absent bodies are still.
PEGRASP_HD inline bool body_still(const SceneView& s, int body, double speed) {
  return !s.present[body] || speed_bound(s, s.twist, body) <= speed;
}

// Whether the stop rule counts this body as moving. A body that has yet to appear counts as moving.
PEGRASP_HD inline bool moves(const SceneView& s, const StepOptions& options, int body) {
  return is_dynamic(s, body) && !(s.present[body] && body_still(s, body, options.still_speed));
}

// Whether the bodies of a predicate are present.
PEGRASP_HD inline bool watched(const SceneView& s, const Predicate& p) {
  return s.present[p.body] && (p.body_b < 0 || s.present[p.body_b]);
}

// Advances the clock of a `held` predicate after a step of h [s]; `first`: where the body was seen first.
PEGRASP_HD inline void watch_hold(const SceneView& s, const Predicate& p, double h, double& clock, double* first) {
  if (!watched(s, p)) return;
  if (clock == hold_unseen && s.tally->step * h >= p.since * whole_steps) {
    see_first(s, p, first);
    clock = hold_kept;
  }
  if (clock == hold_kept && !still_held(s, p, first)) clock = hold_lost;
}

// Advances the clock of a `contact_force` predicate after a step of h [s] with this force [N].
PEGRASP_HD inline void watch_force(const SceneView& s, const Predicate& p, double force, double h, double& clock) {
  const bool within = force >= p.value && force <= p.most;
  if (p.count == 0) {
    clock = within ? clock + h : 0.0;
  } else if (clock != hold_lost && s.tally->step * h >= p.since * whole_steps) {
    clock = within ? hold_kept : hold_lost;
  }
}

// The margin of predicate k after a step of h [s] and its clock: of the step, or the least so far.
PEGRASP_HD inline void keep_margin(const SceneView& s, int k, double h) {
  const Predicate& p = s.model->predicates[k];
  const double clock = s.predicate_time[k];
  double& margin = s.predicate_margin[k];
  switch (p.kind) {
    case PredicateKind::touching:
      margin = predicate_force(s, k, h);
      break;
    case PredicateKind::contact_force: {
      const double force = predicate_force(s, k, h), now = min2(force - p.value, p.most - force);
      if (p.count == 0) {
        margin = now;
      } else if (clock != hold_unseen && margin >= 0.0) {
        margin = min2(margin, now);
      }
      break;
    }
    case PredicateKind::held:
      if (clock != hold_unseen && margin >= 0.0 && watched(s, p)) {
        margin = min2(margin, hold_margin(s, p, s.predicate_pose + pose_size * k));
      }
      break;
    case PredicateKind::speed_below:
      margin = s.present[p.body] ? margin_mm * (p.value - speed_bound(s, s.twist, p.body)) : margin_mm * p.value;
      break;
    case PredicateKind::pose_within:
      if (p.duration > 0.0) margin = watched(s, p) ? pose_margin(s, p) : -1.0;
      break;
    case PredicateKind::gap_below:
    case PredicateKind::displacement_below:
    case PredicateKind::all:
    case PredicateKind::any:
    case PredicateKind::negate:
      break;
  }
}

// After a step of length h [s]: advances the clocks of all predicates, and adds its forces to the outcome where they
// are measured.
PEGRASP_HD inline void keep_predicate_clocks(const SceneView& s, double h) {
  const ModelView& m = *s.model;
  keep_measures(s, h);
  if (m.watched >= 0) watch_part(s, h, s.tally->step * h >= m.watched_since * whole_steps);
  for (int k = 0; k < m.predicate_count; ++k) {
    const Predicate& p = m.predicates[k];
    double& clock = s.predicate_time[k];
    switch (p.kind) {
      case PredicateKind::touching:
        clock = predicate_force(s, k, h) > 0.0 ? clock + h : 0.0;
        break;
      case PredicateKind::contact_force:
        watch_force(s, p, predicate_force(s, k, h), h, clock);
        break;
      case PredicateKind::held:
        watch_hold(s, p, h, clock, s.predicate_pose + pose_size * k);
        break;
      case PredicateKind::speed_below:
        clock = body_still(s, p.body, p.value) ? clock + h : 0.0;
        break;
      case PredicateKind::pose_within:
        if (p.duration > 0.0) clock = watched(s, p) && pose_within(s, p) ? clock + h : 0.0;
        break;
      case PredicateKind::gap_below:  // looked at when the scene is over
      case PredicateKind::displacement_below:
      case PredicateKind::all:
      case PredicateKind::any:
      case PredicateKind::negate:
        break;
    }
    if (m.measures_margin != 0) keep_margin(s, k, h);
  }
}

// Advances the clock of the stop rule; still: no body moves. Returns true when the scene has come to rest.
PEGRASP_HD inline bool keep_still_clock(SceneTally& t, const StepOptions& options, bool still) {
  t.still_for = still ? t.still_for + options.h : 0.0;
  return t.still_for >= options.still_time * whole_steps;
}

// After a whole step: advances the clocks of the predicates and ends the scene if it has come to rest.
template <class Team>
PEGRASP_HD_LARGE void apply_stop_rule(Team& team, SceneView& s, const StepOptions& options) {
  once(team, [&] {
    keep_predicate_clocks(s, options.h);
    if (!(options.still_time > 0.0)) return;
    bool still = true;
    for (int body = 0; body < s.model->body_count && still; ++body) still = !moves(s, options, body);
    if (keep_still_clock(*s.tally, options, still)) s.tally->outcome.stopped_still = 1;
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
