// SPDX-License-Identifier: Apache-2.0
// The solver of one step problem, and the one that the reference simulator uses in 2D: an MCP that states Coulomb's law
// exactly. Without support points the law is linear in 2D; with them it takes the quadratic form.
#pragma once

#include <functional>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

// Solves a step problem. `start` is a guess of the solution, or null.
using StepSolver = std::function<SolvedStep(const StepProblem& step, const StepSolution* start)>;

// Solves the step with the MCP solver. workspace: may be null, see mcp::solve().
SolvedStep solve_exactly(const StepProblem& step, const StepSolution* start, mcp::Workspace* workspace = nullptr);
// The same as a StepSolver with a workspace of its own, which copies of the solver share. Use one per scene.
StepSolver exact_solver();
// The natural residual, at the given velocities and impulses, of the MCP that solve_exactly() solves, in the scaled
// units of that MCP (exact_solver.cpp). Infinite where a velocity or an impulse is not a number.
double complementarity_residual(const StepProblem& step, const StepSolution& solution);

}  // namespace pegrasp::reference
