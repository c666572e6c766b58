// SPDX-License-Identifier: Apache-2.0
// A last resort. Bodies that friction wedges between others, by a cone wider than the wedge, cannot be driven apart by what they overlap,
// however little it is: impulses grow without end, and no step of any length has a solution. Overlap that is accepted need not
// come apart: what an answer leaves of a contact's row is taken off what the row asks for, and the step is solved for that.
#pragma once

#include "contact/linearisation.hpp"
#include "solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Friction moves with what is taken, so that it is taken in turns: Newton, and where that fails AJ, so long in the first and twice as long in each
// further one.
constexpr int wedged_turns = 6;
constexpr int wedged_iterations = 500;

// A solve that has not ended after fewer iterations may only have been cut short. `halved`: the attempt is at less than the step.
PEGRASP_HD inline bool may_be_wedged(const StepOptions& options, bool halved) {
  constexpr int least_iterations = 1000;
  return halved && linearises_anew(options) && options.max_iterations >= least_iterations;
}

// What a row of velocity w [m/s] may be spared in a turn: no contact ends deeper by all of them than the penetration tolerance.
PEGRASP_HD inline Real spared(Real w, const StepOptions& options, double h) {
  const Real most = static_cast<Real>(options.penetration_tolerance / (wedged_turns * h));
  return w < 0 ? min2(-w, most) : Real(0);
}

// By (s.p, s.v).
template <class Team>
PEGRASP_HD_APART void take_what_is_left(Team& team, SceneView& s, const StepOptions& options) {
  for_each(team, s.tally->contact_count, [&](int k) {
    Row& row = s.rows[s.blocks[k].first_row];
    row.bias += spared(row_velocity(row, s.v), options, options.h);
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
