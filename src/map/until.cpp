// SPDX-License-Identifier: Apache-2.0
#include "src/map/until.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "src/map/cells.hpp"

namespace pegrasp {
namespace {

// A cell's first samples, and by how much it grows: an eighth, so that a cell takes at most an eighth more samples than
// it needs, and few rounds.
constexpr int first_samples = 16;
constexpr int growth = 8;

int samples_of_next_round(int samples, int budget) {
  return std::min(std::max(first_samples, samples / growth), budget - samples);
}

// Reorders rows of an array, `width` numbers each: row i of the result was row order[i].
template <class T>
void reorder(std::vector<T>& items, const std::vector<std::size_t>& order, std::size_t width) {
  std::vector<T> sorted(order.size() * width);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(items.begin() + static_cast<std::ptrdiff_t>(order[i] * width), width,
                sorted.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  items = std::move(sorted);
}

// Fewest samples, up to `most`, that meet the rule where all succeed, and where all fail; 0: none do. No cell ends with
// fewer on its side of a threshold, and none is narrower.
int fewest_samples(const Until& until, int most) {
  const auto suffice = [&](int n) {
    return end_of(until, most + 1, n, 0, n) != CellEnd::fixed && end_of(until, most + 1, 0, 0, n) != CellEnd::fixed;
  };
  if (!suffice(most)) return 0;
  int low = 0, high = most;
  while (low + 1 < high) {
    const int middle = low + (high - low) / 2;
    (suffice(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Interval interval_until(int successes, int unresolved, int samples) {
  return {anytime_interval(successes, samples).low, anytime_interval(successes + unresolved, samples).high};
}

CellEnd end_of(const Until& until, int budget, int successes, int unresolved, int samples) {
  const Interval interval = interval_until(successes, unresolved, samples);
  if (until.decided > 0.0 && interval.low >= until.decided) return CellEnd::above;
  if (until.decided > 0.0 && interval.high <= until.decided) return CellEnd::below;
  if (until.half_width > 0.0 && interval.high - interval.low <= 2.0 * until.half_width) return CellEnd::narrow;
  return samples >= budget ? CellEnd::budget : CellEnd::fixed;
}

void must_be_reachable(const Problem& problem) {
  if (fewest_samples(problem.until, problem.samples) > 0) return;
  constexpr int most = 100'000'000;
  const int needed = fewest_samples(problem.until, most);
  throw InputError("map.until: " + std::to_string(problem.samples) + " samples cannot meet it, even if all succeed; " +
                   (needed > 0
                        ? "give --samples (map.samples) of " + std::to_string(needed) + " or, better, ten times that"
                        : "ask for less"));
}

UntilPlan::UntilPlan(const Problem& problem, const SampleRange& range)
    : until_(problem.until), budget_(problem.samples) {
  const auto a_cell = static_cast<std::size_t>(problem.samples);
  first_cell_ = range.first / a_cell;
  for (std::size_t c = first_cell_; c < range.end() / a_cell; ++c) open_.push_back({c});
  place_.resize(open_.size());
  plan_round();
}

void UntilPlan::plan_round() {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Cell& cell = open_[i];
    place_[cell.number - first_cell_] = static_cast<int>(i);
    const int more = samples_of_next_round(cell.samples, budget_);
    const std::size_t first = cell.number * static_cast<std::size_t>(budget_) + static_cast<std::size_t>(cell.samples);
    for (int k = 0; k < more; ++k) numbers_.push_back(first + static_cast<std::size_t>(k));
  }
}

void UntilPlan::count(std::span<const SceneOutcome> outcomes) {
  for (const SceneOutcome& outcome : outcomes) {
    const std::size_t number = numbers_[counted_++] / static_cast<std::size_t>(budget_);
    Cell& cell = open_[static_cast<std::size_t>(place_[number - first_cell_])];
    ++cell.samples;
    if (outcome.status != status_ok)
      ++cell.unresolved;
    else
      cell.successes += outcome.success;
    if (!done()) continue;
    std::erase_if(open_, [this](const Cell& c) {
      return end_of(until_, budget_, c.successes, c.unresolved, c.samples) != CellEnd::fixed;
    });
    plan_round();
  }
}

TrialPlace place_of(const SuccessMap& map, std::size_t row) {
  if (map.starts.empty()) {
    const auto a_cell = static_cast<std::size_t>(map.samples);
    return {row / a_cell, row % a_cell};
  }
  const auto after = std::upper_bound(map.starts.begin(), map.starts.end(), row);
  const auto cell = static_cast<std::size_t>(after - map.starts.begin()) - 1;
  return {cell, row - map.starts[cell]};
}

void finish_until(const Problem& problem, const std::vector<std::size_t>& numbers, SuccessMap& map) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  reorder(map.values, order, map.sampled.size());
  reorder(map.outcomes, order, 1);
  reorder(map.final_poses, order, map.poses());
  reorder(map.redrawn, order, 1);
  reorder(map.by_reference, order, 1);
  map.held = {0, numbers.size()};
  const auto a_cell = static_cast<std::size_t>(problem.samples);
  map.starts.assign(static_cast<std::size_t>(problem.cells()) + 1, 0);
  for (const std::size_t number : numbers) ++map.starts[number / a_cell + 1];
  std::partial_sum(map.starts.begin(), map.starts.end(), map.starts.begin());
  count_cells(problem, map);
}

}  // namespace pegrasp
