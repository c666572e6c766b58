// SPDX-License-Identifier: Apache-2.0
// How much of a map hangs on its step: some of its trials are simulated again at half the step, and once more from a
// cold start of the solver. This is what says which trials, and what came of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pegrasp/interval.hpp"

namespace pegrasp {

constexpr double usual_step_check = 0.02;  // share of the trials, as pegrasp map has it
constexpr std::size_t fewest_reruns = 200;

// How many of a map's trials are simulated again for a share in (0, 1]: that share, rounded up, and at least
// fewest_reruns where there are as many. 0 for a share of 0.
std::size_t rerun_count(double share, std::size_t trials);

// Which trials these are: the trials are cut into `reruns` runs of nearly equal length, and the seed draws one of each.
// They increase with k = 0 .. reruns - 1 and depend on nothing but these numbers. trials: of the whole map.
std::size_t rerun_trial(std::size_t k, std::size_t reruns, std::size_t trials, std::uint64_t seed);

// One trial that was simulated again: StatusBits and the outcome (1: success), each time.
struct RerunOutcome {
  std::uint32_t status = 0;
  std::int32_t success = 0;
  bool operator==(const RerunOutcome&) const = default;
};
struct Rerun {
  RerunOutcome first;  // in the map; status_not_converged where the backend did not resolve it, whatever a fallback did
  RerunOutcome half;   // at half the step
  RerunOutcome cold;   // at the map's step, without warm start; as `first` where the map has none either
  bool operator==(const Rerun&) const = default;
};

// What changes when trials are simulated in another way. Only trials that are resolved both times are compared.
struct OutcomeChanges {
  long long compared = 0;
  long long gained = 0;      // failed in the map, succeeded again
  long long lost = 0;        // succeeded in the map, failed again
  long long unresolved = 0;  // resolved in the map, not again
  long long flips() const { return gained + lost; }
};

// The same by cell.
struct CheckedCell {
  int reruns = 0;
  int gained = 0, lost = 0;  // at half the step
  int unresolved = 0;        // in the map or at half the step
  int cold_flips = 0;
};

// A trial whose outcome changed. Outcomes: 1 success, 0 failure, -1 unresolved.
struct FlippedTrial {
  std::size_t trial = 0;
  int first = 0, half = 0, cold = 0;
};

struct StepCheck {
  std::size_t reruns = 0;    // trials that were simulated again
  long long unresolved = 0;  // of these, unresolved in the map: nothing to compare with
  double half_step = 0.0;    // [s]
  OutcomeChanges half;
  std::optional<OutcomeChanges> cold;  // none where the problem starts cold anyhow
  // Success rate at half the step minus that at the map's step, over the trials compared, and its 95 % interval; NaN
  // and -1 to 1 without any.
  double bias = 0.0;
  Interval bias_interval{-1.0, 1.0};
  double sampling_error = 0.0;        // half the width of Wilson's interval of the map's success rate
  std::vector<CheckedCell> cells;     // of the map
  std::vector<FlippedTrial> flipped;  // by either change, in the order of their numbers

  // What a map's user is warned of: that its step moves the success rate by more than its samples leave open. Of an
  // error that falls in proportion to the step, half the step shows half. What is less than its own standard error, the
  // root of the flips, counts as chance.
  bool exceeds_sampling_error() const {
    const auto net = static_cast<double>(half.gained - half.lost);
    return 2.0 * (bias < 0.0 ? -bias : bias) > sampling_error && net * net >= static_cast<double>(half.flips());
  }
  // Whether the trials compared suffice to tell the bias from none.
  bool is_significant() const { return bias_interval.low > 0.0 || bias_interval.high < 0.0; }
};

}  // namespace pegrasp
