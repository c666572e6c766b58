// SPDX-License-Identifier: Apache-2.0
// Steps within which bodies that were apart come together. When they do is not resolved within a step: up to its end a
// body keeps its speed along the surface on which it lands, or its friction holds it before it is hit. So such a step
// is halved around that time (StepOptions::landing_halvings), before it is solved.
#pragma once

#include "kernels/contact/make_rows.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The gap [m] of a contact that stops bodies: with the core under a compliant shell, which itself stops nothing.
PEGRASP_HD inline double stopping_gap(const SceneView& s, const Contact& c) {
  if (c.shell == contact_soft) return 1e300;
  return c.shell == contact_core ? c.gap + shell_thickness(*s.model, s.pairs[c.pair]) : c.gap;
}

// Whether the bodies of contact k, whose gap is open where the attempt begins, come together within it in the free
// motion: from no other contact that is closed, and by more than the detection distance, for slow ones leave little.
// One that comes at the very end, where rounding would decide, is left to the next attempt. Rows are those of the first
// pass.
PEGRASP_HD inline bool lands(const SceneView& s, int k, const StepOptions& options) {
  const Contact& c = s.contacts[k];
  const double closed = closed_tolerances * options.penetration_tolerance;
  const double gap = stopping_gap(s, c);
  if (!(gap > closed) || gap > 1e299) return false;
  const Row& row = s.rows[s.blocks[k].first_row];
  double speed = 0.0;
  for (int i = 0; i < dof; ++i) {
    speed += static_cast<double>(row.ja[i]) * s.free_twist[dof * row.body_a + i] +
             static_cast<double>(row.jb[i]) * s.free_twist[dof * row.body_b + i];
  }
  const double way = -options.h * speed;
  if (!(way > gap + closed && way > options.detect_distance)) return false;
  for (int i = 0; i < s.tally->contact_count; ++i) {
    const Contact& other = s.contacts[i];
    if (other.body_a == c.body_a && other.body_b == c.body_b && stopping_gap(s, other) <= closed) return false;
  }
  return true;
}

// Whether bodies land is asked in the first pass, which is linearised at the start pose.
PEGRASP_HD inline bool asks_for_landings(const SceneView& s, const StepOptions& options) {
  return s.tally->pass == 0 && options.landing_halvings > 0 && linearises_anew(options) && !looks_ahead(options);
}

// Whether any do in the attempt at hand.
template <class Team>
PEGRASP_HD bool any_lands(Team& team, const SceneView& s, const StepOptions& options) {
  double found = 0.0;
  for (int k = team.rank(); k < s.tally->contact_count; k += team.size()) {
    if (lands(s, k, options)) found = 1.0;
  }
  return team.max(found) > 0.0;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
