// SPDX-License-Identifier: Apache-2.0
// One planar trial of the product with the reference simulator beside it.
#pragma once

#include <optional>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/validate/lockstep.hpp"
#include "src/reference/validate/other_solutions.hpp"

namespace pegrasp::reference {

class PlanarLockstep final : public LockstepFrame<PlanarSimulation> {
 public:
  // enough: residual [m/s] up to which the product's answer to a step counts as a solution.
  PlanarLockstep(const ValidateCase& job, std::size_t trial, double enough);
  // Takes the next step with both. Returns false once the trial has ended.
  bool step();

 private:
  struct LastPass {
    StepProblem step;
    StepSolution solution;
  };
  SolvedStep solve(const StepProblem& step, const StepSolution* start);
  Shortfall assess(const ProductStep& product);

  double enough_;
  PlanarNumbers numbers_;
  std::optional<LastPass> last_pass_;  // of the reference simulator's step
  int unexplained_ = 0;                // steps without a tie that are no solutions
  mcp::Workspace workspace_;
};

// Whether the trial's contacts are without friction. Then the velocities of a linearised step are unique.
bool without_friction(const ValidateCase& job, const Trial& trial);

// The quantile q (0 to 1) by linear interpolation; 0 for no values.
double quantile(std::vector<double> values, double q);

}  // namespace pegrasp::reference
