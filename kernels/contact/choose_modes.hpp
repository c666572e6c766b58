// SPDX-License-Identifier: Apache-2.0
// Contact model `peg`: chooses one separating feature per near pair of convex parts (docs/explanation/pair-modes.md),
// and measures the gaps at the end pose that decide whether a linearisation is accepted.
#pragma once

#include "kernels/broad_phase/find_pairs.hpp"
#include "kernels/contact/flush.hpp"
#include "kernels/contact/linearisation.hpp"
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/modes.hpp"
#else
#include "kernels/planar/modes.hpp"
#endif
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/pass_through.hpp"
#else
#include "kernels/planar/pass_through.hpp"
#endif
#include "kernels/base/team.hpp"
#include "kernels/scene/access.hpp"
#include "kernels/scene/shell.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether a pair that overlaps at the end came to that through a sibling part. s: separation [m] by the best facet that
// may carry force; internal_edge: by the best that may not. If it did, the contacts of the sibling undo the overlap; a
// contact of this pair would push it out on some far side. In a corner between siblings the two separations are of one
// size, and only this pair's contact can help. Of parts with compliant shells separations are those of the cores.
PEGRASP_HD inline bool came_through_sibling(double s, double internal_edge, const StepOptions& options) {
  constexpr double much_deeper = 3.0;
  return s < much_deeper * internal_edge && s < -options.penetration_tolerance;
}

// Whether a facet at an internal edge keeps the parts apart. In 2D it does if it separates them; in 3D only if it
// separates them by more than any other facet plus the penetration tolerance: there an edge at an internal edge often
// lies on a face and separates by as much as the face, up to what solves leave.
PEGRASP_HD inline bool kept_by_internal_edge(double s, double internal_edge, const StepOptions& options) {
  return internal_edge >= 0.0 && (!is_spatial || internal_edge > s + options.penetration_tolerance);
}

// Values of NearPair::keep_mode of a pair that could pass through each other; 0 for others. Its mode is chosen along
// the motion. In 3D the path of the last solve decides (kernels/spatial/pass_through.hpp): if it did not lead through,
// the next mode is that of the end pose, as for other pairs. Else a mode chosen along a motion that the solve then
// changes would be chosen again and again. In 2D that holds for pairs
// that the last solve turns far, or that an earlier one led through: for others facets tell the way.
constexpr int chosen_along_motion = 1;
constexpr int did_not_go_through = 2;
constexpr int went_through = 3;

// Whether the parts of a pair turn so far against each other that facets at the start and at the end say little of the
// way between.
PEGRASP_HD inline bool turns_far(const SceneView& s, const NearPair& pair, double h) {
  constexpr double far = 0.3;  // [rad]
  return h * relative_turn_rate(s.nu, pair.body_a, pair.body_b) > far;
}

// Whether steps may be divided beyond the usual smallest substep for the pair.
PEGRASP_HD inline bool at_risk(const NearPair& pair) {
  return is_spatial ? pair.keep_mode != 0 : pair.keep_mode >= did_not_go_through;
}

// A solve that failed may throw a body past a corner of another. At the end pose the facet behind that corner separates
// the two, and the next solve would be content to push the body round to it. So after a solve a facet counts only if it
// is violated at the start by no more than `reject_depth` and the way of the free motion: further round a corner no
// body gets within the step. Where no facet counts, all do.
PEGRASP_HD inline double way_of(const SceneView& s, const double* nu, const NearPair& pair, double h) {
  return h * (speed_bound(s, nu, pair.body_a) + speed_bound(s, nu, pair.body_b));
}
PEGRASP_HD inline double most_violated(const SceneView& s, const NearPair& pair, const StepOptions& options) {
  if (!remembers_motion(*s.model)) return 1e300;  // the free motion tells nothing of the way
  return options.reject_depth + shell_thickness(*s.model, pair) + way_of(s, s.free_twist, pair, options.h);
}

// The best facet that counts, or `mode` if there is none. along_motion: the one that is violated latest; else that
// which separates most at the end pose.
PEGRASP_HD_APART int best_that_counts(const SceneView& s, const NearPair& pair, int mode, bool along_motion,
                                      double most) {
  // First whether the mode itself counts, then which of all is best: one scan in a loop, lest the device hold the code
  // and the spilled registers of two.
  int found = mode_none;
  for (int all = 0; all < 2 && found != mode; ++all) {
    CountingScan best(all != 0 && along_motion, -most, all != 0 ? mode_none : mode);
    best.guarded = along_motion && pair.keep_mode != 0;
    scan_latest(part_view(s, pair.part_a), part_view(s, pair.part_b), start_frame(s, pair.body_a),
                start_frame(s, pair.body_b), end_frame(s, pair.body_a), end_frame(s, pair.body_b), pair.eps, best);
    found = best.found();
  }
  return found == mode_none ? mode : found;
}

// The mode chosen at an end pose, or the best that counts in its place. s_end: its separation there [m].
PEGRASP_HD inline int mode_that_counts(const SceneView& s, const NearPair& pair, int mode, double s_end,
                                       const StepOptions& options) {
  if (mode == mode_none || !linearises_anew(options)) return mode;
  const double most = most_violated(s, pair, options);
  // It cannot have been violated by more at the start.
  if (!(s_end - way_of(s, s.nu, pair, options.h) < -most)) return mode;
  return best_that_counts(s, pair, mode, false, most);
}

// A body that rests on others does not fall as its free motion does, which may so lead it to a facet that it never
// comes to: a block that slides over a gap to the wall of the gap, though it reaches the far bank above that. A solve
// then finds that the wall stops it, and at its end pose nothing says otherwise. So where the parts would stay apart if
// both bodies went on as in the last step, the facet that separates most there is chosen. It must not be violated at
// the start: after a blow that motion says little, and the row of a facet round a corner would throw the body there.
PEGRASP_HD_APART int expected_mode(const SceneView& s, const NearPair& pair, const StepOptions& options) {
  const double least = -options.penetration_tolerance - shell_thickness(*s.model, pair);
  CountingScan best(false, least);
  scan_latest(part_view(s, pair.part_a), part_view(s, pair.part_b), start_frame(s, pair.body_a),
              start_frame(s, pair.body_b), expected_frame(s, pair.body_a, options.h),
              expected_frame(s, pair.body_b, options.h), pair.eps, best);
  return best.end_mode != mode_none && best.end_s1 >= least ? best.end_mode : pair.mode;
}

// Whether the free motion leads the parts to a facet from which they are apart, and says more of them than how they
// moved in the last step.
PEGRASP_HD inline bool comes_to_facet(const SceneView& s, const NearPair& pair, const LatestMode& latest,
                                      const StepOptions& options) {
  return s.tally->pass == 0 && pair.keep_mode == 0 && latest.mode != mode_none && linearises_anew(options) &&
         remembers_motion(*s.model) && latest.s0 > options.penetration_tolerance && latest.s1 < 0.0;
}

// Whether a few facets show that the pair is out of reach at the start, so that no contact is made (near_contact). Most
// pairs whose boxes meet are, and a scan of all facets at both poses would take many times as long.
PEGRASP_HD inline bool shown_out_of_reach(const SceneView& s, const NearPair& pair, const PartView& a,
                                          const PartView& b, const StepOptions& options) {
  return !is_spatial && linearises_anew(options) &&
         separated_by(a, b, start_frame(s, pair.body_a), start_frame(s, pair.body_b),
                      pair.eps + options.penetration_tolerance);
}

// Chooses the mode of a pair along the free motion: the feature that is violated latest. first: the pair was listed
// since modes were last chosen.
PEGRASP_HD inline void choose_mode(const SceneView& s, NearPair& pair, bool first, const StepOptions& options) {
  const ModelView& m = *s.model;
  const PartView a = part_view(s, pair.part_a);
  const PartView b = part_view(s, pair.part_b);
  if (shown_out_of_reach(s, pair, a, b, options)) {
    pair.mode = pair.end_mode = mode_none;
    pair.keep_mode = 0;
    pair.near_contact = 0;
    return;
  }
  const double thinnest = min2(m.part_inradius[pair.part_a], m.part_inradius[pair.part_b]);
  const bool was_through = !first && pair.keep_mode == went_through;
  pair.keep_mode = pair.eps - 2.0 * options.detect_distance > thinnest ? chosen_along_motion : 0;
  if (was_through && pair.keep_mode != 0) pair.keep_mode = went_through;
  const double give = shell_thickness(m, pair);
  const LatestMode latest =
      latest_mode(a, b, start_frame(s, pair.body_a), start_frame(s, pair.body_b), end_frame(s, pair.body_a),
                  end_frame(s, pair.body_b), pair.keep_mode != 0, pair.eps, give);
  const int at_end = pair.end_mode;  // of the last pass, if it is not the first
  pair.mode = latest.mode;
  if (s.tally->pass > 0 && latest.mode != mode_none && linearises_anew(options)) {
    const double most = most_violated(s, pair, options);
    if (latest.s0 < -most) {
      pair.mode = best_that_counts(s, pair, latest.mode, true, most);
      // A union that turns over a flat surface comes from one of its parts on to the next, and neither has that facet
      // at the start and at the end. Where so none counts, and a facet at an internal edge says that the parts were
      // apart, that at the end pose carries.
      const bool none = pair.mode == latest.mode && latest.internal_edge0 >= -most;
      if (none && !first && at_end != mode_none) pair.mode = at_end;
    }
  }
  if (comes_to_facet(s, pair, latest, options)) pair.mode = expected_mode(s, pair, options);
  pair.end_mode = pair.mode;
  pair.s0_max = max2(latest.s0_max, latest.internal_edge0);
  pair.s_end = max2(latest.s1, latest.internal_edge1);
  pair.ahead = looks_ahead(options) && pair.keep_mode == 0 && pair.s0_max <= options.detect_distance ? 1 : 0;
  pair.near_contact = pair.s0_max <= pair.eps ? 1 : 0;
  if (first) {
    pair.apart = kept_apart;
    pair.last_mode = mode_none;
  }
  if (pair.apart == kept_apart && !kept_by_internal_edge(latest.s1, latest.internal_edge1, options) &&
      !came_through_sibling(latest.s1 + give, latest.internal_edge1 + give, options)) {
    pair.apart = gets_contacts;
  }
  pair.target = min2(0.0 - give, pair.s0_max + options.recovery_speed * options.h);
  if (pair.near_contact && latest.s1 < 0.0 && linearises_anew(options)) keep_off_flush_edges(s, pair, options);
}

// The separation of a pair at its end pose. Apart, as two phases ask for it.
PEGRASP_HD_APART Separation separation_at_end(const SceneView& s, const NearPair& pair) {
  return best_separation(part_view(s, pair.part_a), part_view(s, pair.part_b), end_frame(s, pair.body_a),
                         end_frame(s, pair.body_b), pair.eps);
}

// Where the end mode is not known yet: nothing asks for it unless there is another pass.
constexpr int mode_later = -2;

// The best facet at the end pose, in place of mode_later.
PEGRASP_HD inline int mode_at_end(const SceneView& s, const NearPair& pair, const StepOptions& options) {
  const Separation end = separation_at_end(s, pair);
  return mode_that_counts(s, pair, end.mode, end.s, options);
}

// The mode of a pass. Pass 0: along the free motion. Later passes: the feature that separates most at the end pose of
// the last solve, which accepted() has stored; pairs that could pass through each other choose along the motion again.
PEGRASP_HD inline void mode_of_pass(const SceneView& s, NearPair& pair, bool first, const StepOptions& options) {
  if (first || s.tally->pass == 0) pair.rims = 0;
  if (first || (linearises_anew(options) && pair.keep_mode != 0 && pair.keep_mode != did_not_go_through)) {
    choose_mode(s, pair, first, options);
  } else if (linearises_anew(options)) {
    if (pair.end_mode == mode_later) pair.end_mode = mode_at_end(s, pair, options);
    pair.mode = pair.end_mode;
  }
}

// Passes may alternate between two modes for ever. So a mode that another pass has left comes back only if it left the
// pair better than the present one; else the present mode is linearised again. violation: what the present mode has
// left [m].
PEGRASP_HD inline void keep_better_mode(NearPair& pair, double violation) {
  if (pair.end_mode == pair.mode) return;
  if (pair.end_mode == pair.last_mode && violation < static_cast<double>(pair.last_violation)) {
    pair.end_mode = pair.mode;
    return;
  }
  pair.last_mode = pair.mode;
  pair.last_violation = static_cast<float>(violation);
}

// Chooses the modes of all near pairs for the pass at hand.
template <class Team>
PEGRASP_HD_APART void choose_modes(Team& team, SceneView& s, const StepOptions& options) {
  const bool first = s.tally->pairs_fresh != 0;
  for_each(team, s.tally->pair_count, [&](int k) { mode_of_pass(s, s.pairs[k], first, options); });
  if constexpr (is_spatial) {
    if (s.tally->pass == 0 && looks_ahead(options)) {
      for_each_active(team, s, [&](int body) { look_ahead(s, body, options.h); });
    }
  }
  once(team, [&] { s.tally->pairs_fresh = 0; });
}

// Whether any contact of the pair carries a force; of one with a shell, at its core.
PEGRASP_HD inline bool carries(const SceneView& s, const NearPair& pair) {
  for (int i = pair.first_contact; i < pair.first_contact + pair.contact_count; ++i) {
    if (s.contacts[i].shell != contact_soft && s.p[s.blocks[i].first_row] > 0) return true;
  }
  return false;
}

// Whether the pair's mode shows that it ends open. Without a force between its parts that is all that is asked of most
// steps: how far open, and the facet for the next pass, are not measured then.
PEGRASP_HD inline bool shown_open(const SceneView& s, NearPair& pair, const StepOptions& options) {
  if (is_spatial || pair.mode == mode_none || pair.keep_mode != 0 || !linearises_anew(options)) return false;
  if (carries(s, pair) || shell_thickness(*s.model, pair) > 0.0) return false;
  pair.s_end = separation_by(part_view(s, pair.part_a), part_view(s, pair.part_b), end_frame(s, pair.body_a),
                             end_frame(s, pair.body_b), pair.mode);
  if (!(pair.s_end > options.penetration_tolerance)) return false;
  pair.end_mode = mode_later;
  return true;
}

// Measures the separation of a near pair at the end pose: what the step leaves, and the facet for the next pass. A pair
// that came through a sibling gets no contacts.
PEGRASP_HD inline void measure_end(const SceneView& s, NearPair& pair, const StepOptions& options) {
  if (!pair.near_contact || shown_open(s, pair, options)) return;
  const Separation end = separation_at_end(s, pair);
  pair.s_end = separation(end);
  if (pair.keep_mode != 0 && (is_spatial || linearises_anew(options))) {
    // The parts may have gone through each other since the start.
    const double on_the_way = way_separation(s, pair, options.h, carries(s, pair));
    if (on_the_way < pair.s_end) {
      pair.keep_mode = is_spatial ? chosen_along_motion : went_through;
    } else if (is_spatial || pair.keep_mode == went_through || turns_far(s, pair, options.h)) {
      pair.keep_mode = did_not_go_through;
    }
    pair.s_end = min2(pair.s_end, on_the_way);
  }
  pair.end_mode =
      end.s < 0.0 && linearises_anew(options) ? mode_off_flush_edge(s, pair, end.mode, false, options) : end.mode;
  pair.end_mode = mode_that_counts(s, pair, pair.end_mode, end.s, options);
  const double give = shell_thickness(*s.model, pair);
  if (came_through_sibling(end.s + give, end.internal_edge + give, options)) {
    pair.apart = kept_apart;
  } else if (pair.s_end < 0.0) {
    pair.apart = keeps_contacts;
  } else if (is_spatial && pair.apart == gets_contacts && kept_by_internal_edge(end.s, end.internal_edge, options)) {
    pair.apart = kept_apart;
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
