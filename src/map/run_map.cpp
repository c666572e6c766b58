// SPDX-License-Identifier: Apache-2.0
// draw -> simulate -> simulate again what is unresolved, if asked for -> journal, chunk by chunk; then the cells.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <system_error>

#include "map/fallback.hpp"
#include "map/journal.hpp"
#include "pegrasp/map.hpp"
#include "results/atomic_file.hpp"

namespace pegrasp {
namespace {

// Samples a chunk: long enough to keep many cores or a device busy, short enough for a lively progress bar and for little
// to be lost by an interruption. On the CPU a chunk grows or shrinks until it takes about as long as these bounds say.
constexpr std::size_t first_chunk_cpu = 128;
constexpr std::size_t least_chunk = 16;
constexpr std::size_t chunk_device = 65536;
constexpr double chunk_seconds_low = 0.2;
constexpr double chunk_seconds_high = 0.8;
// Simulated seconds of wall time between forced writes of the journal to the disk.
constexpr double seconds_between_syncs = 1.0;

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void make_folder(const std::filesystem::path& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error || !std::filesystem::is_directory(out)) {
    throw InputError(out.string() + ": cannot make the output folder: " +
                     (error ? error.message() : "a file of that name is in the way") + "; choose another --out");
  }
}

constexpr std::array written{"map.h5", "problem.toml", "map.csv", "summary.json", "map.png"};

// A folder that has the name of a result would be found only when everything is simulated.
void must_be_free(const std::filesystem::path& out) {
  for (const char* name : written) {
    std::error_code ignored;
    if (std::filesystem::is_directory(std::filesystem::symlink_status(out / name, ignored))) {
      throw InputError((out / name).string() + ": a folder is in the way; remove it or choose another --out");
    }
  }
}

// All samples are held in memory until they are written.
void must_fit_in_memory(const Problem& problem, std::size_t values, std::size_t poses) {
  const double bytes = static_cast<double>(problem.grid.cells()) * problem.samples *
                       static_cast<double>(sizeof(SceneOutcome) + sizeof(int) + sizeof(double) * (values + poses));
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  if (memory <= 0.0 || 1.5 * bytes < memory) return;  // the results file is put together in memory too
  throw InputError("map.samples: " + std::to_string(problem.samples) + " a cell need " +
                   std::to_string(static_cast<long long>(bytes / 1e9)) +
                   " GB, more than this machine's memory holds; ask for fewer, or for several seeds one after another");
}

SuccessMap empty_map(const Problem& problem, const Backend& backend) {
  SuccessMap map;
  map.columns = static_cast<int>(problem.grid.x.size());
  map.rows = static_cast<int>(problem.grid.y.size());
  map.samples = problem.samples;
  map.sampled = sampled_columns(problem);
  for (const BodySpec& body : problem.scene.bodies) map.body_names.push_back(body.name);
  map.pose_columns = {"x_m", "y_m", "theta_rad"};
  must_fit_in_memory(problem, map.sampled.size(), map.body_names.size() * map.pose_columns.size());
  const std::size_t total = static_cast<std::size_t>(problem.grid.cells()) * static_cast<std::size_t>(problem.samples);
  map.values.resize(total * map.sampled.size());
  map.outcomes.resize(total);
  map.final_poses.resize(total * map.body_names.size() * map.pose_columns.size());
  map.redrawn.resize(total);
  map.by_reference.resize(total);
  map.backend = backend.name();
  map.device = backend.device();
  return map;
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

}  // namespace

SuccessMap run_map(const Problem& problem, Backend& backend, const MapOptions& options) {
  Stopwatch whole;
  const std::shared_ptr<const Model> model = compile_model(problem.scene);
  const StepOptions step = derive_options(problem.options, problem.scene);
  const std::unique_ptr<ReferenceFallback> fallback =
      options.fallback == Fallback::reference
          ? std::make_unique<ReferenceFallback>(problem.scene, step, options.threads)
          : nullptr;
  SuccessMap map = empty_map(problem, backend);
  map.fallback = options.fallback;
  map.tolerance = step.tolerance;
  map.penetration_tolerance = step.penetration_tolerance;
  make_folder(options.out);
  must_be_free(options.out);
  const std::vector<double> base = scene_parameters(problem.scene);
  const std::size_t total = map.outcomes.size();
  const std::size_t poses = map.body_names.size() * map.pose_columns.size();
  const std::size_t columns = map.sampled.size();
  map.journal =
      std::make_shared<Journal>(journal_path(options.out), problem_hash(problem, backend.name(), options.fallback),
                                JournalShape{total, columns, poses}, options.resume, map);
  Journal& journal = *map.journal;
  if (journal.locked()) remove_unfinished(options.out, {written.begin(), written.end()});
  map.resumed = journal.done();

  const bool by_time = options.chunk == 0 && backend.name() == "cpu";
  std::size_t chunk = options.chunk > 0 ? options.chunk : by_time ? first_chunk_cpu : chunk_device;
  std::vector<double> parameters;
  double unsynced = 0.0;
  if (options.progress) options.progress(journal.done(), total);
  for (std::size_t first = journal.done(); first < total; first = journal.done()) {
    const std::size_t count = std::min(chunk, total - first);
    parameters.resize(count * base.size());
    Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = first + i;
      const int cell = static_cast<int>(row / static_cast<std::size_t>(map.samples));
      const int sample = static_cast<int>(row % static_cast<std::size_t>(map.samples));
      map.redrawn[row] = draw_sample(problem, base, cell, sample, {parameters.data() + i * base.size(), base.size()},
                                     {map.values.data() + row * columns, columns});
    }
    map.timing.sampling += watch.lap();
    bool finished =
        backend.run(*model, step, {parameters.data(), count * base.size()}, {map.outcomes.data() + first, count},
                    {map.final_poses.data() + first * poses, count * poses}, options.stop);
    const double simulated = watch.lap();
    map.timing.simulating += simulated;
    if (finished && fallback) finished = fallback->run(parameters, map, first, count, options.stop);
    const double again = watch.lap();
    map.timing.fallback += again;
    if (by_time && simulated + again < chunk_seconds_low) chunk = std::min(2 * chunk, chunk_device);
    if (by_time && simulated + again > chunk_seconds_high) chunk = std::max(chunk / 2, least_chunk);
    if (!finished || (options.stop && options.stop->load())) {
      if (finished) journal.append(map, first, count);
      journal.sync();
      throw Interrupted("stopped after " + std::to_string(journal.done()) + " of " + std::to_string(total) +
                        " samples");
    }
    journal.append(map, first, count);
    unsynced += simulated + again;
    if (unsynced > seconds_between_syncs || first + count == total) {
      journal.sync();
      unsynced = 0.0;
    }
    map.timing.journal += watch.lap();
    if (options.progress) options.progress(journal.done(), total);
  }
  count_cells(problem, map);
  map.timing.total = whole.lap();
  return map;
}

}  // namespace pegrasp
