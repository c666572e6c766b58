// SPDX-License-Identifier: Apache-2.0
#include "src/map/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "src/machine/memory.hpp"
#include "src/map/grasp_results.hpp"
#include "src/map/map_options.hpp"
#include "src/map/totals.hpp"
#include "src/map/until.hpp"

namespace pegrasp {
namespace {

// All samples are held in memory until they are written; beside them a chunk's copy for the journal.
constexpr double share = 1.2;

void must_fit_in_memory(std::size_t samples, const JournalShape& shape) {
  const double bytes = share * static_cast<double>(samples) * static_cast<double>(sample_bytes(shape));
  if (bytes < available_memory()) return;
  throw InputError("map.samples: " + std::to_string(samples) + " samples in all need " +
                   std::to_string(static_cast<long long>(bytes / 1e9)) +
                   " GB, more than there is memory; ask for fewer, for parts (--shard), which pegrasp merge joins, or "
                   "for --counts-only");
}

JournalShape shape_of(const Problem& problem, const SuccessMap& map) {
  return {samples_of(problem), map.sampled.size(), map.poses()};
}

// For as many items, empty ones.
template <class T>
void make_capacity(std::vector<T>& items, std::size_t count) {
  items.reserve(count);
  want_huge_pages(items.data(), count * sizeof(T));
  items.resize(count);
}

}  // namespace

std::size_t samples_of(const Problem& problem) {
  return static_cast<std::size_t>(problem.cells()) * static_cast<std::size_t>(problem.samples);
}

SampleRange shard_range(const Shard& shard, std::size_t total) {
  const auto start = [&](int i) {  // without a product that might not fit
    const auto parts = static_cast<std::size_t>(shard.count), k = static_cast<std::size_t>(i);
    return total / parts * k + total % parts * k / parts;
  };
  return {start(shard.index - 1), start(shard.index) - start(shard.index - 1)};
}

SampleRange shard_range(const Shard& shard, const Problem& problem) { return shard_range(shard, problem, false); }

SampleRange shard_range(const Shard& shard, const Problem& problem, bool counts_only) {
  const bool whole_cells = problem.until.any() || (counts_only && problem.grasps.given());
  if (!whole_cells) return shard_range(shard, samples_of(problem));
  const auto a_cell = static_cast<std::size_t>(problem.samples);
  const SampleRange cells = shard_range(shard, static_cast<std::size_t>(problem.cells()));
  return {cells.first * a_cell, cells.count * a_cell};
}

SuccessMap empty_map(const Problem& problem, const SampleRange& range) {
  SuccessMap map;
  map.axes = axes_of(problem);
  map.columns = static_cast<int>(problem.grid.x.size());
  map.rows = static_cast<int>(problem.grid.y.size());
  map.samples = problem.samples;
  map.replicates = problem.sampling == Sampling::sobol ? sobol_replicates : 0;
  map.held = range;
  map.sampled = sampled_columns(problem);
  map.x_name = problem.grid.x_name;
  map.y_name = problem.grid.y_name;
  for (const BodySpec& body : problem.scene.bodies) map.body_names.push_back(body.name);
  map.pose_columns = problem.scene.spatial
                         ? std::vector<std::string>{"x_m", "y_m", "z_m", "qw_1", "qx_1", "qy_1", "qz_1"}
                         : std::vector<std::string>{"x_m", "y_m", "theta_rad"};
  if (problem.until.any()) return map;
  must_fit_in_memory(range.count, shape_of(problem, map));
  make_capacity(map.values, range.count * map.sampled.size());
  make_capacity(map.outcomes, range.count);
  make_capacity(map.final_poses, range.count * map.poses());
  make_capacity(map.redrawn, range.count);
  make_capacity(map.by_reference, range.count);
  return map;
}

JournalOrigin origin_of(const Problem& problem, const SuccessMap& map) {
  return {problem_hash(problem, map.backend, map.fallback),
          shape_of(problem, map),
          map.held,
          map.fallback,
          map.backend,
          map.device,
          problem.resolved_toml,
          {map.reruns, map.held_reruns},
          map.counts_only ? counts_bytes(problem, map.held) : 0};
}

CellCounter::CellCounter(const Problem& problem, const SuccessMap& map)
    : problem_(problem),
      cells_(static_cast<std::size_t>(problem.cells())),
      starts_(map.starts),
      until_(problem.until),
      budget_(problem.samples),
      penetration_tolerance_(map.penetration_tolerance),
      grasps_(problem.grasps.given()),
      forces_(problem.scene.measure_forces),
      watch_(problem.scene.watch),
      h_(problem.options.h),
      replicates_(cells_.size(), map.replicates) {
  for (std::size_t g = 0; problem.group_count() > 1 && g < problem.group_count(); ++g) {
    const Problem& own = problem.of_group(g);
    tolerances_.push_back(derive_options(own.options, typical_scene(own), own.arithmetic).penetration_tolerance);
  }
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const Grid& grid = problem.grid;
    cells_[c].x = grid.x[problem.listed ? c : c % grid.x.size()];
    cells_[c].y = grid.y[problem.listed ? c : c / grid.x.size() % grid.y.size()];
    cells_[c].samples = starts_.empty() ? map.samples : static_cast<int>(starts_[c + 1] - starts_[c]);
  }
}

std::size_t CellCounter::cell_of(std::size_t row) const {
  if (starts_.empty()) return row / static_cast<std::size_t>(budget_);
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
}

// Trials of several groups may have tolerances of their own.
void CellCounter::add_totals(const SampleBlock& block) {
  if (tolerances_.empty()) return add_samples(totals_, block, penetration_tolerance_);
  const auto tolerance_of = [&](std::size_t i) {
    const std::size_t row = block.range.first + i, cell = cell_of(row);
    const std::size_t begin = starts_.empty() ? cell * static_cast<std::size_t>(budget_) : starts_[cell];
    return tolerances_[problem_.group_of(static_cast<int>(cell), static_cast<int>(row - begin))];
  };
  for (std::size_t i = 0; i < block.outcomes.size();) {
    std::size_t end = i + 1;
    while (end < block.outcomes.size() && tolerance_of(end) == tolerance_of(i)) ++end;
    SampleBlock some;
    some.range = {block.range.first + i, end - i};
    some.outcomes = block.outcomes.subspan(i, end - i);
    some.redrawn = block.redrawn.subspan(i, end - i);
    some.by_reference = block.by_reference.subspan(i, end - i);
    add_samples(totals_, some, tolerance_of(i));
    i = end;
  }
}

void CellCounter::add(const SampleBlock& block) {
  for (std::size_t i = 0; i < block.outcomes.size(); ++i) {
    const std::size_t row = block.range.first + i;
    MapCell& cell = cells_[cell_of(row)];
    const SceneOutcome& outcome = block.outcomes[i];
    if (replicates_.any()) replicates_.add(cell_of(row), row % static_cast<std::size_t>(budget_), outcome);
    if (outcome.status != status_ok) {
      ++cell.unresolved;
    } else {
      cell.successes += outcome.success;
      // fmax and fmin take the number where the other is NaN
      cell.grip_force_max = std::fmax(cell.grip_force_max, outcome.grip_force_max);
      cell.slip_margin_min = std::fmin(cell.slip_margin_min, outcome.slip_margin_min);
      cell.slip_margin_end = std::fmin(cell.slip_margin_end, outcome.slip_margin_end);
      if (!grasps_) continue;
      const GraspFailure failure = grasp_failure(outcome, watch_, h_);
      add_to_grasp(cell.grasp, outcome, failure);
      ++totals_.grasp_failures[static_cast<std::size_t>(failure)];
    }
  }
  add_totals(block);
}

void CellCounter::finish(SuccessMap& map) {
  for (MapCell& cell : cells_) {
    const int resolved = cell.samples - cell.unresolved;
    cell.p = resolved > 0 ? static_cast<double>(cell.successes) / resolved : std::numeric_limits<double>::quiet_NaN();
    const auto number = static_cast<std::size_t>(&cell - cells_.data());
    const Interval interval = replicates_.any() ? replicates_.interval(number, budget_)
                              : until_.any()
                                  ? interval_until(cell.successes, cell.unresolved, cell.samples)
                                  : Interval{wilson_interval(cell.successes, cell.samples).low,
                                             wilson_interval(cell.successes + cell.unresolved, cell.samples).high};
    cell.ci_low = interval.low;
    cell.ci_high = interval.high;
    if (until_.any()) cell.end = end_of(until_, budget_, cell.successes, cell.unresolved, cell.samples);
    if (grasps_) finish_grasp(cell.grasp);
  }
  map.cells = std::move(cells_);
  map.totals = totals_;
}

void count_cells(const Problem& problem, SuccessMap& map) {
  CellCounter counter(problem, map);
  for_each_block(map, [&counter](const SampleBlock& block) { counter.add(block); });
  counter.finish(map);
}

}  // namespace pegrasp
