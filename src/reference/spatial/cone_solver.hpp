// SPDX-License-Identifier: Apache-2.0
// Solves Coulomb's law on discs, up to rounding. Single contacts are solved in turn, each exactly, until a semismooth
// Newton method on the natural map of all contacts takes over (Alart and Curnier 1991). The quadratic form of the MCP
// solver has no gradient where a contact carries nothing, and the four contacts of a face can share their load in many
// ways; the MCP solver often fails there.
#pragma once

#include "src/reference/spatial/cone_problem.hpp"

namespace pegrasp::reference::spatial {

struct ConeSolution {
  Vector impulses;        // of the problem's rows
  double residual = 0.0;  // [m/s] largest of the natural map times its scale
  int sweeps = 0, newton_steps = 0;
};

// start: impulses near the solution, or an empty vector. Ends at a residual of `enough` [m/s], at a residual of `fair`
// that a further proximal point does not halve, or with the best point found.
ConeSolution solve_cones(const ConeProblem& problem, const Vector& start, double enough, double fair = 0.0);

}  // namespace pegrasp::reference::spatial
