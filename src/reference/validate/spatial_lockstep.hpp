// SPDX-License-Identifier: Apache-2.0
// One spatial trial of the product with the reference simulator beside it.
//
// The product's velocities are assessed by the rows of the reference simulator's first pass. Later passes linearise
// where the passes of each side led. A step that the product linearised more than once is therefore assessed only if,
// island by island, the rows of one of the reference simulator's passes confirm it. Otherwise it is left open, and so
// is a step that the product took in substeps.
#pragma once

#include <functional>
#include <vector>

#include "src/reference/spatial/simulation.hpp"
#include "src/reference/validate/lockstep.hpp"
#include "src/reference/validate/step_assessment.hpp"

namespace pegrasp::reference {

class SpatialLockstep final : public LockstepFrame<spatial::SpatialSimulation> {
 public:
  // enough: residual [m/s] up to which the product's answer to a step counts as a solution.
  SpatialLockstep(const ValidateCase& job, std::size_t trial, double enough);
  // Takes the next step with both. Returns false once the trial has ended.
  bool step();

 private:
  SolvedStep solve(const StepProblem& step, const StepSolution* start);
  std::vector<spatial::Twist6> velocity_within(const spatial::SpatialState& before) const;
  double apart() const;
  bool sank(const std::vector<SpatialPose>& before) const;
  // What the reference simulator's rows leave of the product's velocities [m/s]: the rows of its first pass, or of its
  // last one where those alone hold; or, of all its passes over the whole step, for each island those of the pass that
  // leaves least.
  struct ByPasses {
    double residual;
    bool at_last;            // the rows of the last pass, over the whole step, confirm every island
    bool otherwise = false;  // and those of the first one do not
  };
  ByPasses by_first_pass(const spatial::SpatialState& before) const;
  ByPasses by_all_passes(const spatial::SpatialState& before) const;
  bool in_substeps() const;  // whether the reference simulator took the step in substeps
  class Claim;

  double sure_;  // [m/s] residual up to which later rows confirm a step
  spatial::SpatialNumbers numbers_;
  StepSolver solver_;
  struct Pass {
    StepProblem rows;
    StepSolution own;  // the reference simulator's answer to them
  };
  std::vector<Pass> passes_;  // of the reference simulator's step, over all substeps
};

// What the rows leave of velocities, given in the rows' coordinates, in which the mass is the identity. It is the
// larger of the momentum that no impulses of the rows explain and the natural map. The impulses `own` are tried first,
// then those of the convex problem that belongs to the velocities' slip (spatial/cone_problem.hpp). `speed` turns a
// difference of velocities into the speed of its fastest point [m/s].
Shortfall assess_velocities(const StepProblem& step, const Vector& claimed, const StepSolution& own,
                            std::span<const int> body_of, double enough,
                            const std::function<double(const Vector&)>& speed);

}  // namespace pegrasp::reference
