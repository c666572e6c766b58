// SPDX-License-Identifier: Apache-2.0
// One trial of the product in 3D, and the reference at its side: every step is taken by both from the product's state, and the product's
// velocities are judged by the rows of the reference's first pass. Later rows are made where the passes of either side led: what the product
// linearised more than once counts where, island by island, rows of one of the reference's passes confirm it, and is left open otherwise, as
// what it took in substeps is.
#pragma once

#include <vector>

#include "src/reference/spatial/simulation.hpp"
#include "src/reference/validate/step_assessment.hpp"
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

class SpatialLockstep {
 public:
  // enough: residual [m/s] up to which the product's answer to a step counts as a solution.
  SpatialLockstep(const ValidateCase& job, std::size_t trial, double enough);
  SpatialLockstep(const SpatialLockstep&) = delete;  // the reference's solver writes to it
  SpatialLockstep& operator=(const SpatialLockstep&) = delete;
  // False once the trial has ended.
  bool step();
  const StepDifference& last() const { return last_; }
  const Simulation& fast() const { return fast_; }
  const spatial::SpatialSimulation& other() const { return other_; }
  bool resolved() const { return fast_.last_status() == status_ok && other_.last_status() == status_ok; }
  double seconds_fast() const { return seconds_fast_; }
  double seconds_other() const { return seconds_other_; }

 private:
  SolvedStep solve(const StepProblem& step, const StepSolution* start);
  std::vector<spatial::Twist6> velocity_within(const spatial::SpatialState& before) const;
  double apart() const;
  bool sank(const std::vector<SpatialPose>& before) const;
  // What the reference's rows leave of the product's velocities [m/s]: those of its first pass; of its passes over the whole step, for each
  // island those of the pass that suits it best.
  struct ByPasses {
    double residual;
    bool at_last;  // the rows of the last pass, over the whole step, confirm every island
  };
  ByPasses by_first_pass(const spatial::SpatialState& before) const;
  ByPasses by_all_passes(const spatial::SpatialState& before) const;
  bool in_substeps() const;  // the reference's step
  class Claim;

  const ValidateCase& job_;
  double sure_;  // [m/s] residual up to which later rows confirm a step
  spatial::SpatialNumbers numbers_;
  StepSolver solver_;
  struct Pass {
    StepProblem rows;
    StepSolution own;  // the reference's answer to them
  };
  std::vector<Pass> passes_;  // of the reference's step, over all substeps
  Simulation fast_;
  spatial::SpatialSimulation other_;
  StepDifference last_;
  int next_ = 0;
  SceneOutcome fast_before_, other_before_;  // what was added up before the last step
  double seconds_fast_ = 0.0, seconds_other_ = 0.0;
};

// What the rows leave of velocities (in the rows' coordinates, in which the mass is the identity): the larger of the momentum that no impulses
// of theirs explain and of the natural map. Tried are the impulses `own`, then those of the convex problem that belongs to the velocities'
// slip (space/cone_problem.hpp). `speed`: [m/s] of a difference of velocities, at the fastest point.
Shortfall judge_velocities(const StepProblem& step, const Vector& claimed, const StepSolution& own,
                           std::span<const int> body_of, double enough,
                           const std::function<double(const Vector&)>& speed);

}  // namespace pegrasp::reference
