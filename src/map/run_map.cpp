// SPDX-License-Identifier: Apache-2.0
// draw and simulate -> simulate again what is unresolved, if asked for -> journal, chunk by chunk; then those that the
// step check simulates again, to the journal, too; then the cells.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <system_error>

#include "pegrasp/map.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/map/begin_map.hpp"
#include "src/map/cell_groups.hpp"
#include "src/map/cells.hpp"
#include "src/map/chunk_size.hpp"
#include "src/map/journal.hpp"
#include "src/map/journal_writer.hpp"
#include "src/map/refine.hpp"
#include "src/map/reruns.hpp"
#include "src/map/step_check.hpp"
#include "src/map/until.hpp"

namespace pegrasp {
namespace {

// Seconds of wall time, of simulating, between forced writes of the journal to the disk.
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

constexpr std::array written{"map.h5",    "problem.toml", "map.csv",      "summary.json", "map.png",
                             "grasps.h5", "grasps.csv",   "rows_out.csv", "refined.csv"};

// A folder that has the name of a result would be found only when everything is simulated.
void must_be_free(const std::filesystem::path& out) {
  for (const char* name : written) {
    std::error_code ignored;
    if (std::filesystem::is_directory(std::filesystem::symlink_status(out / name, ignored))) {
      throw InputError((out / name).string() + ": a folder is in the way; remove it or choose another --out");
    }
  }
}

}  // namespace

SuccessMap begin_map(const Problem& problem, const Backend& backend, const StepOptions& step,
                     const MapOptions& options) {
  const bool part = options.shard.count > 1;
  const SampleRange range = shard_range(options.shard, problem, options.counts_only);
  SuccessMap map = empty_map(problem, options.counts_only ? SampleRange{} : range);
  map.held = range;
  map.counts_only = options.counts_only;
  map.backend = backend.name();
  map.device = backend.device();
  map.fallback = options.fallback;
  map.strategy = step.strategy;
  map.solver = step.solver;
  map.tolerance = step.tolerance;
  map.penetration_tolerance = step.penetration_tolerance;
  const std::size_t trials = samples_of(problem);
  map.reruns = rerun_count(options.step_check, trials);
  map.held_reruns = reruns_within(range, map.reruns, trials, problem.seed);
  map.rerun.resize(map.held_reruns.count);
  make_folder(options.out);
  if (!part) must_be_free(options.out);
  map.journal = std::make_shared<Journal>(
      options.level > 0 ? level_journal(options.out, options.level) : journal_path(options.out, options.shard),
      origin_of(problem, map), options.resume, map);
  if (!part && map.journal->locked()) remove_unfinished(options.out, {written.begin(), written.end()});
  map.resumed = map.journal->done() - range.first;
  return map;
}

namespace {

// Simulates what the step check simulates again, from where the journal ends, and records it. The journal holds all
// samples. tell(n): of these n more runs are done.
void run_reruns(RerunJob& job, SuccessMap& map, const ChunkRule& rule, const MapOptions& options,
                const std::function<void(std::size_t)>& tell) {
  Journal& journal = *map.journal;
  const SampleRange& range = map.held_reruns;
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  for (std::size_t k = journal.reruns_done(); k < range.end(); k = journal.reruns_done()) {
    const std::size_t count = std::min(chunk, range.end() - k);
    Stopwatch watch;
    const bool finished = job.run(map, k, count);
    const double simulated = watch.lap();
    map.timing.step_check += simulated;
    if (options.chunk == 0 && count == chunk) chunk = next_chunk(chunk, simulated, rule);
    if (finished) journal.append_reruns(map, k, count);
    const std::size_t done = journal.reruns_done() - range.first;
    const bool stopped = !finished || (options.stop && options.stop->load());
    if (stopped || done == range.count || simulated > chunk_seconds_low) journal.sync();
    map.timing.journal += watch.lap();
    if (stopped) {
      throw Interrupted("stopped after all " + std::to_string(map.held.count) + " samples and " + std::to_string(done) +
                        " of " + std::to_string(range.count) + " that the step check simulates again");
    }
    tell(job.times() * done);
  }
}

// Of a map that is no part of another: cells, and what the step check found.
void count_all(const Problem& problem, SuccessMap& map) {
  count_cells(problem, map);
  StepCheckCounter counter(problem, map.reruns);
  counter.add(0, map.rerun);
  counter.finish(problem, map);
}

}  // namespace

namespace {

SuccessMap run_cells(const Problem& problem, Backend& backend, const MapOptions& options) {
  Stopwatch whole;
  CellGroups groups(problem, options);
  const StepOptions& step = groups.first_step();
  if (options.counts_only) return run_counts(problem, backend, groups, options);
  if (problem.until.any()) return run_until(problem, backend, groups, options);
  SuccessMap map = begin_map(problem, backend, step, options);
  const bool part = options.shard.count > 1;
  const SampleRange range = map.held;
  Journal& journal = *map.journal;
  const ChunkRule rule = chunk_rule(runs_on_device(backend, problem), step.strategy, problem.scene.bodies.size());
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  double unsynced = 0.0;
  std::optional<RerunJob> reruns;
  if (map.reruns > 0) reruns.emplace(problem, backend, groups);
  const std::size_t runs = range.count + (reruns ? reruns->times() * map.held_reruns.count : 0);
  const auto tell = [&](std::size_t done) {
    if (options.progress) options.progress(done - range.first, runs);
  };
  const auto number_of = [&range](std::size_t row) { return range.first + row; };
  JournalWriter writer(journal, map);
  std::size_t first = journal.done();
  tell(first);
  while (first < range.end()) {
    const std::size_t count = std::min(chunk, range.end() - first);
    const std::size_t at = first - range.first;  // where the chunk begins in the map's arrays
    const bool finished = groups.run(backend, map, at, count, number_of);
    Stopwatch watch;
    // A short rest at the end of the samples says nothing.
    if (options.chunk == 0 && count == chunk) chunk = next_chunk(chunk, groups.simulated, rule);
    if (!finished || (options.stop && options.stop->load())) {
      writer.wait();
      if (finished) journal.append(map, first, count);
      journal.sync();
      throw Interrupted("stopped after " + std::to_string(journal.done() - range.first) + " of " +
                        std::to_string(range.count) + " samples");
    }
    unsynced += groups.simulated;
    const std::size_t left = range.end() - first - count;
    if (left == 0 && !part && !reruns) {
      // While the results are made; write_map() waits for it before it shows them.
      writer.wait();
      journal.append_beside(map, first, count);
    } else {
      const bool sync = unsynced > seconds_between_syncs || left == 0;
      if (sync) unsynced = 0.0;
      writer.write(first, count, sync);
    }
    map.timing.journal += watch.lap();
    first += count;
    tell(first);
  }
  Stopwatch rest;
  writer.wait();
  map.timing.journal += rest.lap();
  if (reruns) run_reruns(*reruns, map, rule, options, [&](std::size_t done) { tell(range.end() + done); });
  if (!part) count_all(problem, map);
  map.timing.total = whole.lap();
  return map;
}

}  // namespace

SuccessMap run_map(const Problem& problem, Backend& backend, const MapOptions& options) {
  if (problem.refine.levels == 0) return run_cells(problem, backend, options);
  must_be_refinable(problem);
  SuccessMap map = run_cells(problem, backend, options);
  // Who joins the parts adds cells to the whole.
  if (options.shard.count == 1) refine_map(problem, backend, options, map);
  return map;
}

void take_folder(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  make_folder(out);
  must_be_free(out);
  if (Journal::has_samples(journal_path(out))) {
    throw InputError(journal_path(out).string() +
                     ": this folder holds an interrupted run; continue it with --resume or choose another --out");
  }
  // What resumes in this folder after a join that was killed is a run of the whole map.
  JournalOrigin origin = origin_of(problem, map);
  origin.range = {0, samples_of(problem)};
  origin.reruns.range = {0, map.reruns};
  if (map.counts_only) origin.counts = counts_bytes(problem, origin.range);
  map.journal = std::make_shared<Journal>(journal_path(out), origin, false, map);
  if (map.journal->locked()) remove_unfinished(out, {written.begin(), written.end()});
}

}  // namespace pegrasp
