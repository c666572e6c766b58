// SPDX-License-Identifier: Apache-2.0
// Each level of a refined map is a map of listed cells, with a journal of its own.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "src/map/journal.hpp"
#include "src/map/refine.hpp"

namespace pegrasp {
namespace {

// Whether the journal of a level is of these cells; another one is begun anew.
bool is_of_level(const std::filesystem::path& journal, const Problem& level, const Backend& backend,
                 Fallback fallback) {
  std::error_code ignored;
  if (!std::filesystem::exists(journal, ignored)) return false;
  try {
    return JournalReader(journal).origin().hash == problem_hash(level, backend.name(), fallback);
  } catch (const InputError&) {
    return false;
  }
}

SuccessMap run_level(const Problem& cells, Backend& backend, const MapOptions& options, int level) {
  MapOptions own = options;
  own.level = level;
  own.step_check = 0.0;
  // Their samples are not kept, and are not needed but for the intervals of some maps.
  own.counts_only = !cells.until.any() && cells.sampling != Sampling::sobol && !cells.rows;
  own.resume = options.resume && is_of_level(level_journal(options.out, level), cells, backend, options.fallback);
  try {
    return run_map(cells, backend, own);
  } catch (const Interrupted& stopped) {
    throw Interrupted("all cells of the map are done; " + std::string(stopped.what()) + " of level " +
                      std::to_string(level) + " of its refinement");
  }
}

std::vector<double> numbers_at(const std::vector<Axis>& axes, const CellPlace& place) {
  std::vector<double> out;
  for (std::size_t k = 0; k < axes.size(); ++k) out.push_back(number_at(axes[k], place[k]));
  return out;
}

}  // namespace

std::filesystem::path level_journal(const std::filesystem::path& out, int level) {
  return out / ("level-" + std::to_string(level) + ".journal");
}

void must_be_refinable(const Problem& problem) { refined_axes(problem); }

void refine_map(const Problem& problem, Backend& backend, const MapOptions& options, SuccessMap& map) {
  const auto begin = std::chrono::steady_clock::now();
  RefinePlan plan(problem, map, refined_axes(problem));
  const std::vector<Axis> axes = axes_of(problem);
  RefinedCells& refined = map.refined;
  refined.levels = problem.refine.levels;
  for (int level = 1; level <= refined.levels; ++level) {
    const std::vector<CellPlace> places = plan.next();
    if (places.empty()) continue;
    const int first = static_cast<int>(map.cells.size() + refined.cells.size());
    const SuccessMap added = run_level(listed_cells(problem, places, first), backend, options, level);
    for (std::size_t i = 0; i < places.size(); ++i) {
      refined.cells.push_back({level, numbers_at(axes, places[i]), added.cells[i]});
      refined.trials += static_cast<std::size_t>(added.cells[i].samples);
    }
    plan.take(added.cells);
  }
  refined.left = plan.left();
  refined.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  map.timing.total += refined.seconds;
}

}  // namespace pegrasp
