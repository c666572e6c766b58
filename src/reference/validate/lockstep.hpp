// SPDX-License-Identifier: Apache-2.0
// One trial of the product, and the reference at its side: every step is taken by both from the product's state.
#pragma once

#include "reference/simulate/reference_simulation.hpp"
#include "reference/validate/validate.hpp"

namespace pegrasp::reference {

class Lockstep {
 public:
  Lockstep(const ValidateCase& job, std::size_t trial);
  // False once the trial has ended.
  bool step();
  const StepDifference& last() const { return last_; }
  const Simulation& fast() const { return fast_; }
  const ReferenceSimulation& other() const { return other_; }
  bool resolved() const { return fast_.last_status() == status_ok && other_.last_status() == status_ok; }
  double seconds_fast() const { return seconds_fast_; }
  double seconds_other() const { return seconds_other_; }

 private:
  const ValidateCase& job_;
  Simulation fast_;
  ReferenceSimulation other_;
  StepDifference last_;
  int next_ = 0;
  SceneOutcome fast_before_, other_before_;  // what was added up before the last step
  double seconds_fast_ = 0.0, seconds_other_ = 0.0;
};

// Whether the trial's contacts are without friction, so that the velocities of a linearised step are unique.
bool without_friction(const ValidateCase& job, const Trial& trial);

// Velocities [m/s] this near the product's count as the product's answer: far nearer than the one that is asked about.
double found_again(const StepDifference& step);

// By linear interpolation; 0 of none.
double quantile(std::vector<double> values, double q);

}  // namespace pegrasp::reference
