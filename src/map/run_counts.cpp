// SPDX-License-Identifier: Apache-2.0
// Maps of which only counts are kept: samples live as long as their chunk.
#include <algorithm>
#include <chrono>
#include <memory>

#include "src/map/begin_map.hpp"
#include "src/map/cells.hpp"
#include "src/map/chunk_size.hpp"
#include "src/map/fallback.hpp"
#include "src/map/journal.hpp"

namespace pegrasp {
namespace {

// Seconds of simulating between two times that the counts are kept, and how many times longer than keeping them took.
constexpr double seconds_between_saves = 1.0, times_of_saving = 20.0;

void must_be_countable(const Problem& problem, const MapOptions& options) {
  if (problem.until.any()) {
    throw InputError(
        "--counts-only: goes with a fixed number of samples; leave it out, or leave out --until (map.until)");
  }
  if (options.step_check > 0.0) {
    throw InputError("--counts-only: goes without a step check; leave it out, or take no step check");
  }
}

// Simulates chunk after chunk in arrays that are used again.
class CountedChunks {
 public:
  CountedChunks(const Problem& problem, Backend& backend, const Model& model, const StepOptions& step,
                const MapOptions& options)
      : backend_(backend), model_(model), step_(step), options_(options), sampler_(problem) {
    rows_ = empty_map(problem, {});
    if (options.fallback == Fallback::reference) {
      fallback_ = std::make_unique<ReferenceFallback>(options.reference, problem.scene, step, options.threads);
    }
  }

  // False when stopped: the rows must not be used then.
  bool run(const SampleRange& range, MapTiming& timing) {
    rows_.held = range;
    rows_.values.resize(range.count * rows_.sampled.size());
    rows_.final_poses.resize(range.count * rows_.poses());
    rows_.outcomes.assign(range.count, {});
    rows_.redrawn.assign(range.count, 0);
    rows_.by_reference.assign(range.count, by_backend);
    const auto begin = std::chrono::steady_clock::now();
    SampleJob job = job_of(rows_, sampler_, 0, range.count, options_.threads);
    bool finished = backend_.run_samples(model_, step_, job, options_.stop);
    const double ran = seconds_since_counting(begin);
    timing.sampling += job.drawing;
    timing.simulating += ran - job.drawing;
    if (finished && fallback_) {
      const auto number_of = [&range](std::size_t row) { return range.first + row; };
      finished = fallback_->run(sampler_, number_of, rows_, 0, range.count, options_.stop);
    }
    taken = seconds_since_counting(begin) - job.drawing;
    timing.fallback += taken - (ran - job.drawing);
    return finished;
  }

  SampleBlock block() const {
    return {rows_.held, rows_.values, rows_.outcomes, rows_.final_poses, rows_.redrawn, rows_.by_reference};
  }

  static double seconds_since_counting(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  double taken = 0.0;  // seconds of the last chunk

 private:
  Backend& backend_;
  const Model& model_;
  const StepOptions& step_;
  const MapOptions& options_;
  Sampler sampler_;
  SuccessMap rows_;
  std::unique_ptr<ReferenceFallback> fallback_;
};

}  // namespace

SuccessMap run_counts(const Problem& problem, Backend& backend, const StepOptions& step, const Model& model,
                      const MapOptions& options) {
  const auto whole = std::chrono::steady_clock::now();
  must_be_countable(problem, options);
  CountedChunks chunks(problem, backend, model, step, options);
  SuccessMap map = begin_map(problem, backend, step, options);
  Journal& journal = *map.journal;
  const SampleRange range = map.held;
  CellCounter counter(problem, map);
  if (!journal.counts().empty()) counter.add_counts(range, journal.counts());
  const ChunkRule rule = chunk_rule(backend.name() != "cpu", step.strategy, problem.scene.bodies.size());
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  double unsaved = 0.0, saving = 0.0;
  std::size_t next = journal.done();
  const auto tell = [&] {
    if (options.progress) options.progress(next - range.first, range.count);
  };
  tell();
  while (next < range.end()) {
    const std::size_t count = std::min(chunk, range.end() - next);
    const bool finished = chunks.run({next, count}, map.timing);
    if (options.chunk == 0 && count == chunk) chunk = next_chunk(chunk, chunks.taken, rule);
    if (finished) {
      counter.add(chunks.block());
      next += count;
      unsaved += chunks.taken;
    }
    const bool stopped = !finished || (options.stop && options.stop->load());
    if (stopped || next == range.end() || unsaved > std::max(seconds_between_saves, times_of_saving * saving)) {
      const auto begin = std::chrono::steady_clock::now();
      journal.save_counts(next, counter.counts(range));
      saving = CountedChunks::seconds_since_counting(begin);
      map.timing.journal += saving;
      unsaved = 0.0;
    }
    if (stopped) {
      throw Interrupted("stopped after " + std::to_string(next - range.first) + " of " + std::to_string(range.count) +
                        " samples");
    }
    tell();
  }
  if (options.shard.count == 1) counter.finish(map);
  map.timing.total = CountedChunks::seconds_since_counting(whole);
  return map;
}

}  // namespace pegrasp
