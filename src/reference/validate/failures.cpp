// SPDX-License-Identifier: Apache-2.0
// What is outside the tolerances, in words.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reference/validate/validate.hpp"

namespace pegrasp::reference {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// How many of `count` may be wrong at this share: one always may.
std::size_t allowed(std::size_t count, double share) {
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(std::floor((1.0 - share) * static_cast<double>(count) + 1e-9)));
}

void judge_residual(const char* who, double residual, double tolerance, std::vector<std::string>& out) {
  if (residual <= tolerance) return;
  out.push_back(std::string("residual of ") + who + ": " + short_number(residual) + " m/s is above " +
                short_number(tolerance));
}

}  // namespace

std::vector<std::string> failures(const StepComparison& steps, const ValidateTolerances& tolerances) {
  std::vector<std::string> out;
  judge_residual("the product's steps", steps.fast.residual_max, tolerances.residual, out);
  judge_residual("the reference's steps", steps.other.residual_max, tolerances.residual, out);
  if (!(steps.frictionless_quantile_99 <= tolerances.velocity)) {
    out.push_back("velocities of steps without friction: 99 % differ by up to " +
                  short_number(steps.frictionless_quantile_99) + " m/s, which is above " +
                  short_number(tolerances.velocity));
  }
  if (!(steps.unique_largest <= tolerances.unique_velocity)) {
    out.push_back("velocities that are unique: they differ by up to " + short_number(steps.unique_largest) +
                  " m/s, which is above " + short_number(tolerances.unique_velocity));
  }
  return out;
}

std::vector<std::string> failures(const TrajectoryComparison& trajectories, const ValidateTolerances& tolerances,
                                  bool against_reference) {
  std::vector<std::string> out;
  judge_residual("the product's trajectories", trajectories.fast.residual_max, tolerances.residual, out);
  judge_residual("the other side's trajectories", trajectories.other.residual_max, tolerances.residual, out);
  const std::size_t different = trajectories.disagreements.size();
  if (different > allowed(trajectories.both_resolved, tolerances.agreement)) {
    out.push_back("outcomes: " + std::to_string(different) + " of " + std::to_string(trajectories.both_resolved) +
                  " differ, more than " + short_number(100.0 * (1.0 - tolerances.agreement)) + " %");
  }
  if (against_reference &&
      trajectories.unresolved_other.size() > allowed(trajectories.trials, tolerances.reference_resolved)) {
    out.push_back("the reference leaves " + std::to_string(trajectories.unresolved_other.size()) + " of " +
                  std::to_string(trajectories.trials) + " trials unresolved, more than " +
                  short_number(100.0 * (1.0 - tolerances.reference_resolved)) + " %");
  }
  return out;
}

}  // namespace pegrasp::reference
