// SPDX-License-Identifier: Apache-2.0
#include "src/map/step_check.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "src/map/cells.hpp"
#include "src/map/shared_options.hpp"

namespace pegrasp {
namespace {

// 1 success, 0 failure, -1 unresolved.
int outcome_of(const RerunOutcome& outcome) { return outcome.status == status_ok ? outcome.success : -1; }

// Counts one change of outcome; `first` is resolved.
void count(int first, int again, OutcomeChanges& changes) {
  if (again < 0) {
    ++changes.unresolved;
    return;
  }
  ++changes.compared;
  changes.gained += again > first ? 1 : 0;
  changes.lost += again < first ? 1 : 0;
}

}  // namespace

StepCheckCounter::StepCheckCounter(const Problem& problem, std::size_t reruns)
    : reruns_(reruns), trials_(samples_of(problem)), samples_(problem.samples), seed_(problem.seed) {
  if (reruns > 0) check_.cells.resize(static_cast<std::size_t>(problem.cells()));
}

void StepCheckCounter::add(std::size_t k, std::span<const Rerun> reruns) {
  for (std::size_t i = 0; i < reruns.size(); ++i) add(rerun_trial(k + i, reruns_, trials_, seed_), reruns[i]);
}

void StepCheckCounter::add(std::size_t trial, const Rerun& rerun) {
  const int first = outcome_of(rerun.first), half = outcome_of(rerun.half), cold = outcome_of(rerun.cold);
  CheckedCell& cell = check_.cells[trial / static_cast<std::size_t>(samples_)];
  ++check_.reruns;
  ++cell.reruns;
  cell.unresolved += first < 0 || half < 0 ? 1 : 0;
  if (first < 0) {
    ++check_.unresolved;
    return;
  }
  count(first, half, check_.half);
  count(first, cold, cold_);
  cell.gained += half > first ? 1 : 0;
  cell.lost += half >= 0 && half < first ? 1 : 0;
  const bool cold_flip = cold >= 0 && cold != first;
  cell.cold_flips += cold_flip ? 1 : 0;
  if ((half >= 0 && half != first) || cold_flip) check_.flipped.push_back({trial, first, half, cold});
}

void StepCheckCounter::finish(const Problem& problem, SuccessMap& map) {
  map.step_check.reset();
  if (reruns_ == 0) return;
  const OutcomeChanges& half = check_.half;
  check_.half_step = 0.5 * SharedOptions(problem, map).h;
  if (problem.options.warm_start) check_.cold = cold_;
  check_.bias = half.compared > 0 ? static_cast<double>(half.gained - half.lost) / static_cast<double>(half.compared)
                                  : std::numeric_limits<double>::quiet_NaN();
  check_.bias_interval = change_interval(half.gained, half.lost, half.compared);
  const MapTotals totals = map_totals(map);
  const Interval rate = wilson_interval(totals.successes, static_cast<std::int64_t>(totals.trials) - totals.unresolved);
  check_.sampling_error = 0.5 * (rate.high - rate.low);
  map.step_check = std::move(check_);
}

std::string step_check_warning(const StepCheck& check) {
  if (!check.exceeds_sampling_error()) return {};
  const bool sure = check.is_significant();
  std::array<char, 240> text{};
  std::snprintf(text.data(), text.size(),
                "the step %s too long for so many samples: half of it changes the success rate by %+.4f, about half of "
                "the step's error; the sampling error is %.4f",
                sure ? "is" : "may be", check.bias, check.sampling_error);
  if (sure) return std::string(text.data()) + "; shorten --h";
  return std::string(text.data()) + "; a larger --step-check is more precise, for few outcomes changed";
}

}  // namespace pegrasp
