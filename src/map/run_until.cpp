// SPDX-License-Identifier: Apache-2.0
// A map whose cells are sampled until their intervals suffice: what run_map() does, round by round.
#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "src/machine/cores.hpp"
#include "src/map/begin_map.hpp"
#include "src/map/chunk_size.hpp"
#include "src/map/fallback.hpp"
#include "src/map/journal.hpp"
#include "src/map/until.hpp"

namespace pegrasp {
namespace {

double seconds_from(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What one chunk needs: rows of the map's arrays, and the parameters of their samples.
class UntilChunks {
 public:
  UntilChunks(Backend& backend, const Model& model, const StepOptions& step, const Sampler& sampler,
              const MapOptions& options)
      : backend_(backend), model_(model), step_(step), sampler_(sampler), options_(options) {}
  void use(std::unique_ptr<ReferenceFallback> fallback) { fallback_ = std::move(fallback); }

  // Simulates the plan's samples first, first + 1, ... into the same rows, which it makes. False when stopped.
  bool run(const UntilPlan& plan, std::size_t first, std::size_t count, SuccessMap& map) {
    const std::size_t columns = map.sampled.size(), poses = map.poses(), end = first + count;
    map.values.resize(end * columns);
    map.outcomes.resize(end);
    map.final_poses.resize(end * poses);
    map.redrawn.resize(end);
    map.by_reference.resize(end);
    const auto begin = std::chrono::steady_clock::now();
    draw(plan, first, count, map);
    map.timing.sampling += seconds_from(begin);
    const auto begin_simulating = std::chrono::steady_clock::now();
    bool finished = backend_.run(model_, step_, parameters_, std::span(map.outcomes).subspan(first, count),
                                 std::span(map.final_poses).subspan(first * poses, count * poses), options_.stop);
    simulated = seconds_from(begin_simulating);
    map.timing.simulating += simulated;
    if (finished && fallback_) {
      const auto again = std::chrono::steady_clock::now();
      const auto number_of = [&plan](std::size_t row) { return plan.number(row); };
      finished = fallback_->run(sampler_, number_of, map, first, count, options_.stop);
      map.timing.fallback += seconds_from(again);
      simulated += seconds_from(again);
    }
    return finished;
  }

  double simulated = 0.0;  // the last chunk's [s]

 private:
  void draw(const UntilPlan& plan, std::size_t first, std::size_t count, SuccessMap& map) {
    const std::size_t stride = sampler_.parameters(), columns = map.sampled.size();
    parameters_.resize(count * stride);
    const auto rows = [&, first](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        map.redrawn[first + i] =
            sampler_.draw(plan.number(first + i), std::span(parameters_).subspan(i * stride, stride),
                          std::span(map.values).subspan((first + i) * columns, columns));
      }
    };
    constexpr std::size_t samples_worth_a_thread = 256;
    const auto threads = static_cast<std::size_t>(options_.threads > 0 ? options_.threads : available_cores());
    const std::size_t team = std::clamp<std::size_t>(count / samples_worth_a_thread, 1, threads);
    std::vector<std::future<void>> drawing;
    for (std::size_t k = 0; k < team; ++k) {
      drawing.push_back(std::async(k > 0 ? std::launch::async | std::launch::deferred : std::launch::deferred, rows,
                                   count * k / team, count * (k + 1) / team));
    }
    for (const std::future<void>& one : drawing) one.wait();
    for (std::future<void>& one : drawing) one.get();
  }

  Backend& backend_;
  const Model& model_;
  const StepOptions& step_;
  const Sampler& sampler_;
  const MapOptions& options_;
  std::unique_ptr<ReferenceFallback> fallback_;
  std::vector<double> parameters_;
};

// What the journal had is counted, as if it had just been simulated.
void catch_up(const SuccessMap& map, UntilPlan& plan) {
  const std::span<const SceneOutcome> there(map.outcomes);
  while (plan.counted() < there.size() && !plan.done()) {
    plan.count(there.subspan(plan.counted(), std::min(plan.planned(), there.size()) - plan.counted()));
  }
}

}  // namespace

SuccessMap run_until(const Problem& problem, Backend& backend, const StepOptions& step, const Model& model,
                     const MapOptions& options) {
  const auto whole = std::chrono::steady_clock::now();
  must_be_reachable(problem);
  MapOptions unchecked = options;
  unchecked.step_check = 0.0;  // it would need a fixed number of trials
  const Sampler sampler(problem);
  UntilChunks chunks(backend, model, step, sampler, unchecked);
  if (options.fallback == Fallback::reference) {
    chunks.use(std::make_unique<ReferenceFallback>(options.reference, problem.scene, step, options.threads));
  }
  SuccessMap map = begin_map(problem, backend, step, unchecked);
  Journal& journal = *map.journal;
  const ChunkRule rule = chunk_rule(backend.name() != "cpu", step.strategy, problem.scene.bodies.size());
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  const std::size_t origin = map.held.first;
  UntilPlan plan(problem, map.held);
  catch_up(map, plan);
  double unsynced = 0.0;
  while (!plan.done()) {
    if (options.progress) options.progress(plan.counted(), plan.planned());
    const std::size_t first = plan.counted(), count = std::min(chunk, plan.planned() - first);
    const bool finished = chunks.run(plan, first, count, map);
    if (options.chunk == 0 && count == chunk) chunk = next_chunk(chunk, chunks.simulated, rule);
    const auto recording = std::chrono::steady_clock::now();
    if (finished) {
      journal.append(map, origin + first, count);
      plan.count(std::span(map.outcomes).subspan(first, count));
    }
    unsynced += chunks.simulated;
    const bool stopped = !finished || (options.stop && options.stop->load());
    if (stopped || unsynced > 1.0 || plan.done()) {
      journal.sync();
      unsynced = 0.0;
    }
    map.timing.journal += seconds_from(recording);
    if (stopped) throw Interrupted("stopped after " + std::to_string(plan.counted()) + " samples");
  }
  if (options.progress) options.progress(plan.counted(), plan.planned());
  std::vector<std::size_t> numbers(plan.planned());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = plan.number(i);
  if (options.shard.count == 1) {
    finish_until(problem, numbers, map);
  } else {
    map.held.count = numbers.size();
  }
  map.timing.total = seconds_from(whole);
  return map;
}

}  // namespace pegrasp
