// SPDX-License-Identifier: Apache-2.0
// Compares single steps over all trials and sums up what differs.
#include "src/reference/validate/planar_lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "pegrasp/map.hpp"
#include "src/reference/batch.hpp"
#include "src/reference/validate/spatial_lockstep.hpp"
#include "src/reference/validate/worst.hpp"

namespace pegrasp::reference {
namespace {

constexpr std::size_t most_listed = 10;
// Status bits that end a trial at once.
constexpr std::uint32_t fatal_bits = status_capacity | status_non_finite;

// The sums of one trial.
struct TrialSteps {
  std::vector<double> differences;
  std::vector<double> residuals;                 // of the assessed steps
  std::vector<double> unique;                    // those whose velocities are unique
  std::vector<double> frictionless_differences;  // of trials without friction: not left open, at the same linearisation
  bool frictionless = false;
  std::vector<StepDifference> worst;
  std::int64_t steps = 0, ties = 0, otherwise = 0;
  std::int64_t assessed = 0, found_otherwise = 0, unexplained = 0, open_ties = 0, open_passes = 0, sank = 0;
  SideTally fast, other;
};

// Orders steps by what fails: by the residual where it counts, and then by the difference of velocities.
bool larger(const StepDifference& a, const StepDifference& b) {
  const double residual_a = a.tie || a.left_open ? 0.0 : a.residual_fast;
  const double residual_b = b.tie || b.left_open ? 0.0 : b.residual_fast;
  return residual_a != residual_b ? residual_a > residual_b : a.velocity > b.velocity;
}

void keep_worst(std::vector<StepDifference>& worst) {
  std::stable_sort(worst.begin(), worst.end(), larger);
  if (worst.size() > most_listed) worst.resize(most_listed);
}

template <class Pair>
TrialSteps look_at(const ValidateCase& job, const ValidateTolerances& tolerances, std::size_t trial,
                   const std::atomic<bool>* stop) {
  TrialSteps out;
  out.frictionless = without_friction(job, job.trials[trial]);
  Pair pair(job, trial, tolerances.step_residual);
  pair.heed(stop);
  while (!(stop != nullptr && stop->load(std::memory_order_relaxed)) && pair.step()) {
    ++out.steps;
    out.ties += pair.last().tie ? 1 : 0;
    out.otherwise += !pair.last().tie && !pair.last().same_linearisation() ? 1 : 0;
    out.fast.unresolved += pair.fast().last_status() != status_ok ? 1 : 0;
    out.other.unresolved += pair.other().last_status() != status_ok ? 1 : 0;
    out.fast.penetration_max = worst(out.fast.penetration_max, pair.fast().last_penetration());
    out.other.penetration_max = worst(out.other.penetration_max, pair.other().last_penetration());
    if (pair.fast().last_status() == status_ok) {
      out.fast.reported_residual_max = worst(out.fast.reported_residual_max, pair.fast().last_residual());
    }
    if (pair.other().last_status() == status_ok) {
      out.other.residual_max = worst(out.other.residual_max, pair.other().last_residual());
      out.other.mcp_residual_max = worst(out.other.mcp_residual_max, pair.other().last_mcp_residual());
    }
    out.other.mcp_short += pair.other().last_mcp_status() != mcp::Status::solved ? 1 : 0;
    out.sank += pair.last().sank ? 1 : 0;
    if (!pair.resolved()) continue;
    const StepDifference& last = pair.last();
    out.differences.push_back(last.velocity);
    if (out.frictionless && !last.left_open && last.at_last) {
      out.frictionless_differences.push_back(last.velocity);
      if (last.same_linearisation()) out.unique.push_back(last.velocity);
    }
    out.found_otherwise += last.both_found ? 1 : 0;
    if (last.left_open) {
      ++out.open_passes;
    } else if (last.tie && !(last.residual_fast <= tolerances.step_residual)) {
      ++out.open_ties;
    } else {
      ++out.assessed;
      out.residuals.push_back(last.residual_fast);
      out.unexplained += last.residual_fast <= tolerances.step_residual ? 0 : 1;
      out.fast.residual_max = worst(out.fast.residual_max, last.residual_fast);
      out.fast.mcp_residual_max = worst(out.fast.mcp_residual_max, last.complementarity_fast);
    }
    out.worst.push_back(last);
    if (out.worst.size() >= 4 * most_listed) keep_worst(out.worst);
  }
  keep_worst(out.worst);
  const SceneOutcome fast = pair.fast().outcome();
  const SceneOutcome other = pair.other().outcome();
  // A fault ends a trial within a step, which was not counted above.
  out.fast.unresolved += (fast.status & fatal_bits) != 0 ? 1 : 0;
  out.other.unresolved += (other.status & fatal_bits) != 0 ? 1 : 0;
  out.fast.iterations = fast.iterations;
  out.fast.solves = fast.solves;
  out.other.iterations = other.iterations;
  out.other.solves = other.solves;
  out.fast.seconds = pair.seconds_fast();
  out.other.seconds = pair.seconds_other();
  return out;
}

void add(SideTally& sum, const SideTally& more) {
  sum.residual_max = worst(sum.residual_max, more.residual_max);
  sum.reported_residual_max = worst(sum.reported_residual_max, more.reported_residual_max);
  sum.mcp_residual_max = worst(sum.mcp_residual_max, more.mcp_residual_max);
  sum.penetration_max = worst(sum.penetration_max, more.penetration_max);
  sum.iterations += more.iterations;
  sum.solves += more.solves;
  sum.mcp_short += more.mcp_short;
  sum.unresolved += more.unresolved;
  sum.seconds += more.seconds;
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  if (values[low] == values[high]) return values[low];  // also where both are infinite
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

bool without_friction(const ValidateCase& job, const Trial& trial) {
  const AnyScene other = job.other();
  const ParameterLayout& layout = other.layout();
  for (int slot = 0; slot < layout.friction_count; ++slot) {
    if (trial.parameters[static_cast<std::size_t>(layout.friction(slot))] > 0.0) return false;
  }
  return true;
}

StepComparison compare_steps(const ValidateCase& job, const ValidateTolerances& tolerances, const Watch& watch) {
  std::vector<TrialSteps> all(job.trials.size());
  const auto progress = [&](std::size_t done) {
    if (watch.progress) watch.progress(done, all.size());
  };
  if (!for_each_index(
          all.size(), watch.threads, watch.stop,
          [&](std::size_t i) {
            const ValidateCase& one = job.of(i);
            const std::size_t place = job.place_of(i);
            all[i] = job.spatial_scene ? look_at<SpatialLockstep>(one, tolerances, place, watch.stop)
                                       : look_at<PlanarLockstep>(one, tolerances, place, watch.stop);
            for (StepDifference& difference : all[i].worst) difference.trial = i;
          },
          progress)) {
    throw Interrupted("stopped while steps were compared");
  }
  StepComparison out;
  std::vector<double> every, frictionless, unique, residuals;
  for (const TrialSteps& trial : all) {
    out.steps += trial.steps;
    out.ties += trial.ties;
    out.otherwise += trial.otherwise;
    out.assessed += trial.assessed;
    out.found_otherwise += trial.found_otherwise;
    out.unexplained += trial.unexplained;
    out.open_ties += trial.open_ties;
    out.open_passes += trial.open_passes;
    out.sank += trial.sank;
    every.insert(every.end(), trial.differences.begin(), trial.differences.end());
    frictionless.insert(frictionless.end(), trial.frictionless_differences.begin(),
                        trial.frictionless_differences.end());
    residuals.insert(residuals.end(), trial.residuals.begin(), trial.residuals.end());
    unique.insert(unique.end(), trial.unique.begin(), trial.unique.end());
    out.worst.insert(out.worst.end(), trial.worst.begin(), trial.worst.end());
    add(out.fast, trial.fast);
    add(out.other, trial.other);
  }
  keep_worst(out.worst);
  out.compared = static_cast<std::int64_t>(every.size());
  out.unique_steps = static_cast<std::int64_t>(unique.size());
  out.frictionless_steps = static_cast<std::int64_t>(frictionless.size());
  const auto within = std::count_if(every.begin(), every.end(), [&](double d) { return d <= tolerances.velocity; });
  out.within = every.empty() ? 0.0 : static_cast<double>(within) / static_cast<double>(every.size());
  out.residual_99 = quantile(residuals, 0.99);
  out.largest = quantile(every, 1.0);
  out.quantile_99 = quantile(every, 0.99);
  out.frictionless_quantile_99 = quantile(frictionless, 0.99);
  out.unique_largest = quantile(unique, 1.0);
  return out;
}

}  // namespace pegrasp::reference
