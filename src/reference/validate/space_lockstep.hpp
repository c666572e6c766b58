// SPDX-License-Identifier: Apache-2.0
// One trial of the product in space, and the reference at its side: every step is taken by both from the product's state, and the product's
// velocities are judged by the rows of the reference's first pass. What the product linearised more than once, or took in substeps, is left
// open: those rows were made where its own passes led.
#pragma once

#include <optional>

#include "reference/space/space_simulation.hpp"
#include "reference/validate/step_judge.hpp"
#include "reference/validate/validate.hpp"

namespace pegrasp::reference {

class SpaceLockstep {
 public:
  // enough: residual [m/s] up to which the product's answer to a step counts as a solution.
  SpaceLockstep(const ValidateCase& job, std::size_t trial, double enough);
  SpaceLockstep(const SpaceLockstep&) = delete;  // the reference's solver writes to it
  SpaceLockstep& operator=(const SpaceLockstep&) = delete;
  // False once the trial has ended.
  bool step();
  const StepDifference& last() const { return last_; }
  const Simulation& fast() const { return fast_; }
  const space::SpaceSimulation& other() const { return other_; }
  bool resolved() const { return fast_.last_status() == status_ok && other_.last_status() == status_ok; }
  double seconds_fast() const { return seconds_fast_; }
  double seconds_other() const { return seconds_other_; }

 private:
  SolvedStep solve(const StepProblem& step, const StepSolution* start);
  std::vector<space::Twist6> velocity_within(const space::SpaceState& before) const;
  double apart() const;
  Shortfall judge(const space::SpaceState& before) const;

  const ValidateCase& job_;
  double enough_;
  space::SpaceNumbers numbers_;
  StepSolver solver_;
  std::optional<StepProblem> rows_;  // of the reference's first pass over the whole step
  StepSolution own_;                 // its answer to them
  Simulation fast_;
  space::SpaceSimulation other_;
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
