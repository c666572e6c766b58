// SPDX-License-Identifier: Apache-2.0
// Chooses among the solutions of a step with disjunctions. A vertex that passes a corner is for a moment behind a side
// that it never touches, and a stop at that side satisfies every row, too. Which of the two a pivoting method comes to
// depends on its rounding; so the contacts that the motion needs are found first, and the whole step starts there.
#pragma once

#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

// Solves a step of which several motions may be solutions, among them stops at facets that the bodies pass by:
// finds the one nearest to `expected` (v), the velocity at the end that the last step would lead one to expect.
// Disjunctions enter where the solution without them violates them, first as the one contact that is in front where
// the expected motion ends. What is found solves the step as it is written, or it is solved without a start.
SolvedStep solve_near(const StepProblem& step, const Vector& expected, const Formulation& formulation,
                      const mcp::Options& options = {}, mcp::Workspace* workspace = nullptr);

// Whether a solution, found in whatever way, solves the step as it is formulated, up to a natural residual.
bool solves(const FormulatedStep& formulated, const StepSolution& solution, double residual);

}  // namespace pegrasp::reference
