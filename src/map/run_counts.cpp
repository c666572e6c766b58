// SPDX-License-Identifier: Apache-2.0
// Maps of which only counts are kept: samples live as long as their chunk.
#include <algorithm>
#include <chrono>

#include "src/map/begin_map.hpp"
#include "src/map/cell_groups.hpp"
#include "src/map/cells.hpp"
#include "src/map/chunk_size.hpp"
#include "src/map/journal.hpp"

namespace pegrasp {
namespace {

// Seconds of simulating between two times that the counts are kept, and how many times longer than keeping them took.
constexpr double seconds_between_saves = 1.0, times_of_saving = 20.0;

// Of the samples of a chunk on a CPU, whose least trials would ask for chunks of any size.
constexpr std::size_t bytes_of_a_chunk = std::size_t{8} << 20;

void must_be_countable(const Problem& problem, const MapOptions& options) {
  if (problem.until.any()) {
    throw InputError(
        "--counts-only: goes with a fixed number of samples; leave it out, or leave out --until (map.until)");
  }
  if (problem.sampling == Sampling::sobol) {
    throw InputError("--counts-only: goes with independent samples; leave it out, or map.sampling = \"sobol\"");
  }
  if (problem.rows) {
    throw InputError("--counts-only: keeps no outcome of a row; leave it out, or leave out --samples-from");
  }
  if (options.step_check > 0.0) {
    throw InputError("--counts-only: goes without a step check; leave it out, or take no step check");
  }
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Simulates chunk after chunk in arrays that are used again.
class CountedChunks {
 public:
  CountedChunks(const Problem& problem, Backend& backend, CellGroups& groups) : backend_(backend), groups_(groups) {
    rows_ = empty_map(problem, {});
  }

  // False when stopped: the rows must not be used then.
  bool run(const SampleRange& range) {
    rows_.held = range;
    rows_.values.resize(range.count * rows_.sampled.size());
    rows_.final_poses.resize(range.count * rows_.poses());
    rows_.outcomes.assign(range.count, {});
    rows_.redrawn.assign(range.count, 0);
    rows_.by_reference.assign(range.count, by_backend);
    return groups_.run(backend_, rows_, 0, range.count, [&range](std::size_t row) { return range.first + row; });
  }

  SampleBlock block() const {
    return {rows_.held, rows_.values, rows_.outcomes, rows_.final_poses, rows_.redrawn, rows_.by_reference};
  }
  const MapTiming& timing() const { return rows_.timing; }

 private:
  Backend& backend_;
  CellGroups& groups_;
  SuccessMap rows_;
};

}  // namespace

SuccessMap run_counts(const Problem& problem, Backend& backend, CellGroups& groups, const MapOptions& options) {
  const auto whole = std::chrono::steady_clock::now();
  must_be_countable(problem, options);
  const StepOptions& step = groups.first_step();
  CountedChunks chunks(problem, backend, groups);
  SuccessMap map = begin_map(problem, backend, step, options);
  Journal& journal = *map.journal;
  const SampleRange range = map.held;
  CellCounter counter(problem, map);
  if (!journal.counts().empty()) counter.add_counts(range, journal.counts());
  const bool on_device = runs_on_device(backend, problem);
  const ChunkRule rule = chunk_rule(on_device, step.strategy, problem.scene.bodies.size());
  const std::size_t numbers = groups.group(0).sampler.parameters() + map.sampled.size() + map.poses();
  const std::size_t fitting = bytes_of_a_chunk / (sizeof(SceneOutcome) + sizeof(double) * numbers);
  const std::size_t most = !on_device ? std::max(fitting, rule.first) : rule.most;
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  double unsaved = 0.0, saving = 0.0;
  std::size_t next = journal.done();
  const auto tell = [&] {
    if (options.progress) options.progress(next - range.first, range.count);
  };
  tell();
  while (next < range.end()) {
    const std::size_t count = std::min(chunk, std::min(groups.take_cells(next), range.end()) - next);
    const bool finished = chunks.run({next, count});
    if (options.chunk == 0 && count == chunk) chunk = std::min(most, next_chunk(chunk, groups.simulated, rule));
    if (finished) {
      counter.add(chunks.block());
      next += count;
      unsaved += groups.simulated;
    }
    const bool stopped = !finished || (options.stop && options.stop->load());
    if (stopped || next == range.end() || unsaved > std::max(seconds_between_saves, times_of_saving * saving)) {
      const auto begin = std::chrono::steady_clock::now();
      journal.save_counts(next, [&](const Journal::TakeBytes& take) { counter.counts(range, take); });
      saving = seconds_since(begin);
      map.timing.journal += saving;
      unsaved = 0.0;
    }
    if (stopped) {
      throw Interrupted("stopped after " + std::to_string(next - range.first) + " of " + std::to_string(range.count) +
                        " samples");
    }
    tell();
  }
  map.timing.sampling = chunks.timing().sampling;
  map.timing.simulating = chunks.timing().simulating;
  map.timing.fallback = chunks.timing().fallback;
  if (options.shard.count == 1) counter.finish(map);
  map.timing.total = seconds_since(whole);
  return map;
}

}  // namespace pegrasp
