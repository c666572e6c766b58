// SPDX-License-Identifier: Apache-2.0
// A last resort for bodies that friction has jammed. Bodies that friction wedges between others, with a cone wider than
// the wedge, cannot be driven apart by their overlap, however small it is: impulses grow without end, and no step of
// any length has a solution. An accepted overlap need not come apart. So what an answer leaves of a contact's row is
// taken off what the row asks for, and the step is solved for that. The pair of parts is allowed that overlap from then
// on, as long as it carries force, and never more than it overlaps.
#pragma once

#include "kernels/contact/linearisation.hpp"
#include "kernels/scene/shell.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Friction changes with what is allowed, so that it is allowed in turns. Each turn solves by Newton, and where that
// fails by AJ, which gets so many iterations in the first turn and twice as many in each further one.
constexpr int jammed_turns = 8;
constexpr int jammed_turns_of_large_scenes = 5;
constexpr int jammed_iterations = 500;

// Whether a solve that failed may be jammed: at the smallest substep, and not merely cut short after few iterations.
PEGRASP_HD inline bool may_be_jammed(const StepOptions& options, bool smallest) {
  constexpr int least_iterations = 1000;
  return smallest && linearises_anew(options) && options.max_iterations >= least_iterations;
}

// Allows contact c a share of what its row is short of, and returns it as a velocity [m/s]. w: velocity of the row.
// turns: number of turns in all. No contact ends deeper by it than the penetration tolerance.
PEGRASP_HD inline Real allow_overlap(Contact& c, Real w, int turns, const StepOptions& options, double h) {
  const double capacity = options.penetration_tolerance - c.allowed_overlap;
  const double left = min2(min2(options.penetration_tolerance / turns, capacity), -h * static_cast<double>(w));
  if (!(left > 0.0)) return 0;
  c.allowed_overlap += left;
  return static_cast<Real>(left / h);
}

// Allows every contact what the answer (s.p, s.v) has left of its row.
template <class Team>
PEGRASP_HD_APART void take_what_is_left(Team& team, SceneView& s, const StepOptions& options) {
  for_each(team, s.tally->contact_count, [&](int k) {
    Row& row = s.rows[s.blocks[k].first_row];
    if (s.contacts[k].shell == contact_soft) return;
    row.bias += allow_overlap(s.contacts[k], row_velocity(row, s.v), jammed_turns, options, options.h);
  });
  once(team, [&] { s.tally->overlap_allowed = 1; });
}

// A solve that failed in the end allows no overlap later.
template <class Team>
PEGRASP_HD void allow_no_overlap(Team& team, SceneView& s) {
  for_each(team, s.tally->contact_count, [&](int k) { s.contacts[k].allowed_overlap = 0.0; });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
