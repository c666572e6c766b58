// SPDX-License-Identifier: Apache-2.0
#include "map/cells.hpp"

#include <limits>
#include <string>

#include "backend/memory.hpp"

namespace pegrasp {
namespace {

// All samples are held in memory until they are written, and beside them a whole map's results file, nine tenths of them: twice the
// samples, by scripts/measure_scale.py, and what its columns are made of and a copy of the last chunk. A part has its samples alone and a chunk.
constexpr double whole_share = 2.4, part_share = 1.2;

void must_fit_in_memory(std::size_t samples, const JournalShape& shape) {
  const double share = samples == shape.samples ? whole_share : part_share;
  const double bytes = share * static_cast<double>(samples) * static_cast<double>(sample_bytes(shape));
  if (bytes < available_memory()) return;
  throw InputError("map.samples: " + std::to_string(samples) + " samples in all need " +
                   std::to_string(static_cast<long long>(bytes / 1e9)) +
                   " GB, more than there is memory; ask for fewer, for several seeds one after another or "
                   "for parts (--shard); parts are joined where there is more memory");
}

JournalShape shape_of(const Problem& problem, const SuccessMap& map) {
  return {samples_of(problem), map.sampled.size(), map.poses()};
}

// For as many items, empty ones.
template <class T>
void make_room(std::vector<T>& items, std::size_t count) {
  items.reserve(count);
  want_huge_pages(items.data(), count * sizeof(T));
  items.resize(count);
}

}  // namespace

std::size_t samples_of(const Problem& problem) {
  return static_cast<std::size_t>(problem.grid.cells()) * static_cast<std::size_t>(problem.samples);
}

SampleRange shard_range(const Shard& shard, std::size_t total) {
  const auto start = [&](int i) {  // without a product that might not fit
    const auto parts = static_cast<std::size_t>(shard.count), k = static_cast<std::size_t>(i);
    return total / parts * k + total % parts * k / parts;
  };
  return {start(shard.index - 1), start(shard.index) - start(shard.index - 1)};
}

SuccessMap empty_map(const Problem& problem, const SampleRange& range) {
  SuccessMap map;
  map.columns = static_cast<int>(problem.grid.x.size());
  map.rows = static_cast<int>(problem.grid.y.size());
  map.samples = problem.samples;
  map.held = range;
  map.sampled = sampled_columns(problem);
  map.x_name = problem.grid.x_name;
  map.y_name = problem.grid.y_name;
  for (const BodySpec& body : problem.scene.bodies) map.body_names.push_back(body.name);
  map.pose_columns = problem.scene.spatial
                         ? std::vector<std::string>{"x_m", "y_m", "z_m", "qw_1", "qx_1", "qy_1", "qz_1"}
                         : std::vector<std::string>{"x_m", "y_m", "theta_rad"};
  must_fit_in_memory(range.count, shape_of(problem, map));
  make_room(map.values, range.count * map.sampled.size());
  make_room(map.outcomes, range.count);
  make_room(map.final_poses, range.count * map.poses());
  make_room(map.redrawn, range.count);
  make_room(map.by_reference, range.count);
  return map;
}

JournalOrigin origin_of(const Problem& problem, const SuccessMap& map) {
  return {problem_hash(problem, map.backend, map.fallback),
          shape_of(problem, map),
          map.held,
          map.fallback,
          map.backend,
          map.device,
          problem.resolved_toml};
}

void count_cells(const Problem& problem, SuccessMap& map) {
  map.cells.assign(static_cast<std::size_t>(problem.grid.cells()), MapCell{});
  for (std::size_t c = 0; c < map.cells.size(); ++c) {
    MapCell& cell = map.cells[c];
    cell.x = problem.grid.x[c % problem.grid.x.size()];
    cell.y = problem.grid.y[c / problem.grid.x.size()];
    cell.samples = map.samples;
    for (std::size_t k = 0; k < static_cast<std::size_t>(map.samples); ++k) {
      const SceneOutcome& outcome = map.outcomes[c * static_cast<std::size_t>(map.samples) + k];
      if (outcome.status != status_ok) {
        ++cell.unresolved;
      } else {
        cell.successes += outcome.success;
      }
    }
    const int resolved = cell.samples - cell.unresolved;
    cell.p = resolved > 0 ? static_cast<double>(cell.successes) / resolved : std::numeric_limits<double>::quiet_NaN();
    cell.ci_low = wilson_interval(cell.successes, cell.samples).low;
    cell.ci_high = wilson_interval(cell.successes + cell.unresolved, cell.samples).high;
  }
}

}  // namespace pegrasp
