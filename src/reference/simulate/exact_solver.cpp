// SPDX-License-Identifier: Apache-2.0
// The reference's solver of a step: an MCP in the form that states Coulomb's law exactly.
#include "reference/simulate/attempt.hpp"

namespace pegrasp::reference {

SolvedStep solve_exactly(const StepProblem& step, const StepSolution* start) {
  Formulation formulation;
  formulation.form = step.supports.empty() ? Form::mixed : Form::quadratic;
  return solve_step(step, formulation, {}, start);
}

}  // namespace pegrasp::reference
