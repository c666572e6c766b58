// SPDX-License-Identifier: Apache-2.0
// A map whose cells are sampled until their intervals suffice: what run_map() does, round by round.
#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/map/begin_map.hpp"
#include "src/map/chunk_size.hpp"
#include "src/map/journal.hpp"
#include "src/map/until.hpp"

namespace pegrasp {
namespace {

double seconds_from(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Makes the rows of the plan's samples first, first + 1, ...
void make_rows(std::size_t end, SuccessMap& map) {
  map.values.resize(end * map.sampled.size());
  map.outcomes.resize(end);
  map.final_poses.resize(end * map.poses());
  map.redrawn.resize(end);
  map.by_reference.resize(end);
}

// What the journal had is counted, as if it had just been simulated.
void catch_up(const SuccessMap& map, UntilPlan& plan) {
  const std::span<const SceneOutcome> there(map.outcomes);
  while (plan.counted() < there.size() && !plan.done()) {
    plan.count(there.subspan(plan.counted(), std::min(plan.planned(), there.size()) - plan.counted()));
  }
}

}  // namespace

SuccessMap run_until(const Problem& problem, Backend& backend, CellGroups& groups, const MapOptions& options) {
  const auto whole = std::chrono::steady_clock::now();
  must_be_reachable(problem);
  MapOptions unchecked = options;
  unchecked.step_check = 0.0;  // it would need a fixed number of trials
  const StepOptions& step = groups.first_step();
  SuccessMap map = begin_map(problem, backend, step, unchecked);
  Journal& journal = *map.journal;
  const ChunkRule rule = chunk_rule(runs_on_device(backend, problem), step.strategy, problem.scene.bodies.size());
  std::size_t chunk = options.chunk > 0 ? options.chunk : rule.first;
  const std::size_t origin = map.held.first;
  UntilPlan plan(problem, map.held);
  catch_up(map, plan);
  double unsynced = 0.0;
  while (!plan.done()) {
    if (options.progress) options.progress(plan.counted(), plan.planned());
    const std::size_t first = plan.counted(), count = std::min(chunk, plan.planned() - first);
    make_rows(first + count, map);
    const auto number_of = [&plan](std::size_t row) { return plan.number(row); };
    const bool finished = groups.run(backend, map, first, count, number_of);
    if (options.chunk == 0 && count == chunk) chunk = next_chunk(chunk, groups.simulated, rule);
    const auto recording = std::chrono::steady_clock::now();
    if (finished) {
      journal.append(map, origin + first, count);
      plan.count(std::span(map.outcomes).subspan(first, count));
    }
    unsynced += groups.simulated;
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
