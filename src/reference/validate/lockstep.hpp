// SPDX-License-Identifier: Apache-2.0
// One trial of the product, and the reference at its side: every step is taken by both from the product's state.
#pragma once

#include <optional>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/validate/other_solutions.hpp"
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

class Lockstep {
 public:
  // enough: residual [m/s] up to which the product's answer to a step counts as a solution.
  Lockstep(const ValidateCase& job, std::size_t trial, double enough);
  Lockstep(const Lockstep&) = delete;  // the reference's solver writes to it
  Lockstep& operator=(const Lockstep&) = delete;
  // False once the trial has ended.
  bool step();
  const StepDifference& last() const { return last_; }
  const Simulation& fast() const { return fast_; }
  const ReferenceSimulation& other() const { return other_; }
  bool resolved() const { return fast_.last_status() == status_ok && other_.last_status() == status_ok; }
  double seconds_fast() const { return seconds_fast_; }
  double seconds_other() const { return seconds_other_; }

 private:
  struct Seen {
    StepProblem step;
    StepSolution solution;
  };
  SolvedStep solve(const StepProblem& step, const StepSolution* start);
  Shortfall judge(const ProductStep& product);

  const ValidateCase& job_;
  double enough_;
  SceneNumbers numbers_;
  std::optional<Seen> seen_;  // the rows of the reference's last pass
  int unexplained_ = 0;
  mcp::Workspace workspace_;
  Simulation fast_;
  ReferenceSimulation other_;
  StepDifference last_;
  int next_ = 0;
  SceneOutcome fast_before_, other_before_;  // what was added up before the last step
  double seconds_fast_ = 0.0, seconds_other_ = 0.0;
};

// Whether the trial's contacts are without friction, so that the velocities of a linearised step are unique.
bool without_friction(const ValidateCase& job, const Trial& trial);

// By linear interpolation; 0 of none.
double quantile(std::vector<double> values, double q);

}  // namespace pegrasp::reference
