// SPDX-License-Identifier: Apache-2.0
// The natural-map residual of a step (docs/explanation/solvers.md), for the rows of the reference simulator: max |r| D~
// [m/s]
//   r = p - proj_K(p - w / D~),   w the velocity of a row at nu = nu_free + M^-1 J' p,
//   D~ = sum over the row's bodies of (rows on that body) J M^-1 J' + C;  rows that share a disc share the largest D~.
// It is zero at solutions only, whichever solver found them.
#pragma once

#include <span>

#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// nu_free, the velocity without constraint impulses.
Vector free_velocity(const StepProblem& step);

// nu_free + M^-1 J' p for the impulses of `solution`.
Vector velocity_of_impulses(const StepProblem& step, const StepSolution& solution);

// body_of: (v) body of each coordinate. The residual is that of the impulses of `solution`; its velocity is ignored.
// The step must have no disjunctions. NaN if any value is NaN.
double natural_map_residual(const StepProblem& step, const StepSolution& solution, std::span<const int> body_of);
// The same at given velocities, whether or not the impulses lead to them.
double natural_map_residual(const StepProblem& step, const StepSolution& solution, const Vector& velocity,
                            std::span<const int> body_of);

}  // namespace pegrasp::reference
