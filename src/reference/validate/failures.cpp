// SPDX-License-Identifier: Apache-2.0
// The list of what is outside the tolerances, in words.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// How many of `count` may be wrong where `share` of them has to be right. One always may.
std::size_t allowed(std::size_t count, double share) {
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(std::floor((1.0 - share) * static_cast<double>(count) + 1e-9)));
}

void check_residual(const char* who, double residual, double tolerance, std::vector<std::string>& out) {
  if (residual <= tolerance) return;
  out.push_back(std::string("residual of ") + who + ": " + short_number(residual) + " m/s is above " +
                short_number(tolerance));
}

void check_unresolved(const std::string& who, const char* what, std::size_t unresolved, std::size_t all, double share,
                      std::vector<std::string>& out) {
  if (unresolved <= allowed(all, share)) return;
  out.push_back(who + " leaves " + std::to_string(unresolved) + " of " + std::to_string(all) + ' ' + what +
                " unresolved, more than " + short_number(100.0 * (1.0 - share)) + " %");
}

}  // namespace

ValidateTolerances tolerances_for(const StepOptions& options) {
  ValidateTolerances out;
  out.step_residual = std::max(out.residual, residual_of_velocities * options.tolerance);
  out.step_residual_99 = std::max(out.residual, residual_of_velocities_99 * options.tolerance);
  out.residual = std::max(out.residual, options.tolerance);
  return out;
}

ValidateTolerances tolerances_for(const ValidateCase& job) {
  ValidateTolerances out = tolerances_for(job.options);
  if (job.spatial_scene) {
    out.velocity = std::max(out.velocity, out.step_residual_99);
  } else {
    out.assessed_passes = out.assessed;
  }
  return out;
}

std::vector<std::string> failures(const StepComparison& steps, const ValidateTolerances& tolerances) {
  std::vector<std::string> out;
  if (steps.compared == 0) out.push_back("nothing was compared: no step was resolved by both sides");
  if (steps.compared > 0 && steps.assessed == 0) out.push_back("nothing was checked: every step was left open");
  const auto compared = static_cast<std::size_t>(steps.compared);
  if (static_cast<std::size_t>(steps.open_ties) > allowed(compared, tolerances.assessed)) {
    out.push_back("ties of features leave " + std::to_string(steps.open_ties) + " of " + std::to_string(compared) +
                  " steps open, more than " + short_number(100.0 * (1.0 - tolerances.assessed)) + " %");
  }
  if (static_cast<std::size_t>(steps.open_passes) > allowed(compared, tolerances.assessed_passes)) {
    out.push_back("substeps and further linearisations leave " + std::to_string(steps.open_passes) + " of " +
                  std::to_string(compared) + " steps open, more than " +
                  short_number(100.0 * (1.0 - tolerances.assessed_passes)) + " %");
  }
  if (steps.sank > 0) {
    out.push_back(
        std::to_string(steps.sank) + " of " + std::to_string(steps.steps) +
        " steps were accepted by the product although, measured by the reference simulator, bodies overlap by "
        "more than the penetration tolerance");
  }
  const auto count = static_cast<std::size_t>(steps.steps);
  check_unresolved("the product", "steps", static_cast<std::size_t>(steps.fast.unresolved), count,
                   tolerances.product_resolved, out);
  check_unresolved("the reference simulator", "steps", static_cast<std::size_t>(steps.other.unresolved), count,
                   tolerances.reference_resolved, out);
  if (steps.unexplained > 0) {
    out.push_back(
        std::to_string(steps.unexplained) + " of " + std::to_string(steps.assessed) +
        " steps: the product's velocities are no solution of the reference simulator's equations, residual up to " +
        short_number(steps.fast.residual_max) + " m/s, above " + short_number(tolerances.step_residual));
  }
  check_residual("99 % of the product's steps, in the reference simulator's equations", steps.residual_99,
                 tolerances.step_residual_99, out);
  check_residual("the product's steps, by its own account", steps.fast.reported_residual_max, tolerances.residual, out);
  check_residual("the reference simulator's steps", steps.other.residual_max, tolerances.residual, out);
  if (!(steps.frictionless_quantile_99 <= tolerances.velocity)) {
    out.push_back("velocities of steps without friction: 99 % of them differ by up to " +
                  short_number(steps.frictionless_quantile_99) + " m/s, which is above " +
                  short_number(tolerances.velocity));
  }
  if (!(steps.unique_largest <= tolerances.unique_velocity)) {
    out.push_back("unique velocities differ by up to " + short_number(steps.unique_largest) + " m/s, which is above " +
                  short_number(tolerances.unique_velocity));
  }
  return out;
}

std::vector<std::string> failures(const TrajectoryComparison& trajectories, const ValidateTolerances& tolerances,
                                  bool against_reference) {
  std::vector<std::string> out;
  if (trajectories.both_resolved == 0) {
    out.push_back("nothing was compared: no trial was resolved by both sides");
  }
  check_residual("the product's trajectories", trajectories.fast.residual_max, tolerances.residual, out);
  check_residual("the other side's trajectories", trajectories.other.residual_max, tolerances.residual, out);
  const std::size_t different = trajectories.disagreements.size();
  if (different > allowed(trajectories.both_resolved, tolerances.agreement)) {
    out.push_back("outcomes: " + std::to_string(different) + " of " + std::to_string(trajectories.both_resolved) +
                  " differ, more than " + short_number(100.0 * (1.0 - tolerances.agreement)) + " %");
  }
  if (trajectories.same_bits_promised && trajectories.identical < trajectories.trials) {
    out.push_back("bits: " + std::to_string(trajectories.trials - trajectories.identical) + " of " +
                  std::to_string(trajectories.trials) + " trials differ, although both sides are in strict arithmetic");
  }
  check_unresolved("the product", "trials", trajectories.unresolved_fast.size(), trajectories.trials,
                   tolerances.product_resolved, out);
  if (against_reference) {
    check_unresolved("the reference simulator", "trials", trajectories.unresolved_other.size(), trajectories.trials,
                     tolerances.reference_resolved, out);
  }
  return out;
}

}  // namespace pegrasp::reference
