// SPDX-License-Identifier: Apache-2.0
// A last resort. Bodies that friction wedges between others, by a cone wider than the wedge, cannot be driven apart by
// what they overlap, however little it is: impulses grow without end, and no step of any length has a solution. Overlap
// that is accepted need not come apart: what an answer leaves of a contact's row is taken off what the row asks for,
// and the step is solved for that. The pair of parts is allowed as much from then on, as long as it carries force and
// by no more than it overlaps.
#pragma once

#include "kernels/contact/linearisation.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Friction moves with what is taken, so that it is taken in turns: Newton, and where that fails AJ, so long in the
// first and twice as long in each further one.
constexpr int jammed_turns = 8;
constexpr int jammed_turns_of_large_scenes = 5;
constexpr int jammed_iterations = 500;

// At the smallest substep. A solve that has not ended after fewer iterations may only have been cut short.
PEGRASP_HD inline bool may_be_jammed(const StepOptions& options, bool smallest) {
  constexpr int least_iterations = 1000;
  return smallest && linearises_anew(options) && options.max_iterations >= least_iterations;
}

// What the row of contact c, of velocity w, is allowed in one of so many turns [m/s]: no contact ends deeper by it than
// the penetration tolerance.
PEGRASP_HD inline Real spare(Contact& c, Real w, int turns, const StepOptions& options, double h) {
  const double capacity = options.penetration_tolerance - c.allowed_overlap;
  const double left = min2(min2(options.penetration_tolerance / turns, capacity), -h * static_cast<double>(w));
  if (!(left > 0.0)) return 0;
  c.allowed_overlap += left;
  return static_cast<Real>(left / h);
}

// By (s.p, s.v).
template <class Team>
PEGRASP_HD_APART void take_what_is_left(Team& team, SceneView& s, const StepOptions& options) {
  for_each(team, s.tally->contact_count, [&](int k) {
    Row& row = s.rows[s.blocks[k].first_row];
    row.bias += spare(s.contacts[k], row_velocity(row, s.v), jammed_turns, options, options.h);
  });
  once(team, [&] { s.tally->spares = 1; });
}

// What was not solved spares nothing later.
template <class Team>
PEGRASP_HD void spare_nothing(Team& team, SceneView& s) {
  for_each(team, s.tally->contact_count, [&](int k) { s.contacts[k].allowed_overlap = 0.0; });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
