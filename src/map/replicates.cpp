// SPDX-License-Identifier: Apache-2.0
#include "src/map/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pegrasp/problem.hpp"

namespace pegrasp {
namespace {

// 97.5 % point of Student's distribution with so many degrees of freedom, for the number of replicates that there is.
constexpr double student = 2.131449545559323;
static_assert(sobol_replicates == 16, "student is of 15 degrees of freedom");

}  // namespace

// The variance between replicates is estimated from counts, whole numbers. Where it is small they are all equal, though
// the probability lies between two counts: a count that takes either has a variance of up to 1/4. With this added, the
// interval of no failure in N trials begins at 1 - 4.26 / N, a little below Wilson's.
Interval replicate_interval(std::span<const int> counts, int points) {
  const auto number = static_cast<double>(counts.size());
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / number;
  double squares = 0.0;
  for (const int count : counts) squares += (count - mean) * (count - mean);
  const double half = student * std::sqrt((squares / (number - 1.0) + 0.25) / number);
  return {std::max(0.0, (mean - half) / points), std::min(1.0, (mean + half) / points)};
}

ReplicateCounter::ReplicateCounter(std::size_t cells, int replicates)
    : replicates_(replicates),
      successes_(cells * static_cast<std::size_t>(replicates)),
      possible_(cells * static_cast<std::size_t>(replicates)) {}

void ReplicateCounter::add(std::size_t cell, std::size_t sample, const SceneOutcome& outcome) {
  const auto count = static_cast<std::size_t>(replicates_);
  const std::size_t at = cell * count + sample % count;
  const bool resolved = outcome.status == status_ok;
  successes_[at] += resolved ? outcome.success : 0;
  possible_[at] += resolved ? outcome.success : 1;
}

Interval ReplicateCounter::interval(std::size_t cell, int samples) const {
  const auto count = static_cast<std::size_t>(replicates_);
  const int points = samples / replicates_;
  return {replicate_interval(std::span(successes_).subspan(cell * count, count), points).low,
          replicate_interval(std::span(possible_).subspan(cell * count, count), points).high};
}

}  // namespace pegrasp
