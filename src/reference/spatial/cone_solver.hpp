// SPDX-License-Identifier: Apache-2.0
// Coulomb's law on discs, solved to rounding: contacts one after the other, each exactly, until a semismooth Newton method on the natural map
// of all of them takes over (Alart and Curnier 1991). The MCP solver's quadratic form has no gradient where a contact carries nothing, and
// the four contacts of a face share what they carry in many ways: there it ends short, or far.
#pragma once

#include "src/reference/spatial/cone_problem.hpp"

namespace pegrasp::reference::spatial {

struct ConeSolution {
  Vector impulses;        // of the problem's rows
  double residual = 0.0;  // [m/s] largest of the natural map times its scale
  int sweeps = 0, newton_steps = 0;
};

// start: impulses nearby, or of no size. Ends at a residual of `enough` [m/s], at one of `fair` that a further proximal point does not halve,
// or with the best that was found.
ConeSolution solve_cones(const ConeProblem& problem, const Vector& start, double enough, double fair = 0.0);

}  // namespace pegrasp::reference::spatial
