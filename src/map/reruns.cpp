// SPDX-License-Identifier: Apache-2.0
#include "src/map/reruns.hpp"

#include <algorithm>
#include <cmath>

#include "src/map/cells.hpp"

namespace pegrasp {
namespace {

// Steps that a trial without a stop takes: as the kernels count them (scene_over).
double steps_of(const StepOptions& options) {
  double steps = std::max(1.0, std::floor(options.duration / options.h));
  while ((steps + 0.5) * options.h <= options.duration) steps += 1.0;
  while (steps > 1.0 && (steps - 0.5) * options.h > options.duration) steps -= 1.0;
  return steps;
}

// Of a trial in the map. What the reference simulator resolved has no answer of the backend to compare with.
RerunOutcome first_outcome(const SuccessMap& map, std::size_t row) {
  if (map.by_reference[row] != by_backend) return {status_not_converged, 0};
  return {map.outcomes[row].status, map.outcomes[row].success};
}

}  // namespace

SampleRange reruns_within(const SampleRange& samples, std::size_t reruns, std::size_t trials, std::uint64_t seed) {
  const auto first_from = [&](std::size_t trial) {  // the first k whose trial is not below
    std::size_t low = 0, high = reruns;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (rerun_trial(middle, reruns, trials, seed) < trial)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const std::size_t first = first_from(samples.first);
  return {first, first_from(samples.end()) - first};
}

StepOptions at_half_step(const StepOptions& given, const SceneSpec& scene, Arithmetic arithmetic) {
  StepOptions half = given;
  half.duration = steps_of(given) * given.h;
  half.h = 0.5 * given.h;
  return derive_options(half, scene, arithmetic);
}

RerunJob::RerunJob(const Problem& problem, Backend& backend, CellGroups& groups)
    : problem_(problem), backend_(backend), groups_(groups) {}

bool RerunJob::simulate(CellGroup& group, const CellGroups::OptionsOf& options_of, std::size_t count) {
  outcomes_.assign(count, {});
  return groups_.simulate(backend_, group, options_of, parameters_, outcomes_, final_poses_);
}

bool RerunJob::run(SuccessMap& map, std::size_t k, std::size_t count) {
  const std::size_t trials = samples_of(problem_);
  Rerun* const reruns = map.rerun.data() + (k - map.held_reruns.first);
  const auto number_of = [&](std::size_t i) { return rerun_trial(k + i, map.reruns, trials, problem_.seed); };
  for (std::size_t i = 0; i < count; ++i) reruns[i].first = first_outcome(map, number_of(i) - map.held.first);
  return groups_.for_each_group(count, number_of, [&](CellGroup& group, const std::vector<std::size_t>& items) {
    groups_.draw(group, items, number_of, parameters_, nullptr, 0);
    final_poses_.resize(items.size() * map.poses());
    return run_group(group, items, reruns);
  });
}

bool RerunJob::run_group(CellGroup& group, const std::vector<std::size_t>& items, Rerun* reruns) {
  const Problem& own = group.problem;
  const auto halved = [&own](const SceneSpec& scene) { return at_half_step(own.options, scene, own.arithmetic); };
  if (!simulate(group, halved, items.size())) return false;
  for (std::size_t i = 0; i < items.size(); ++i) reruns[items[i]].half = {outcomes_[i].status, outcomes_[i].success};
  for (const std::size_t item : items) reruns[item].cold = reruns[item].first;
  if (!group.step.warm_start) return true;
  const auto cold = [&own](const SceneSpec& scene) {
    StepOptions step = map_options(own, scene);
    step.warm_start = false;
    return step;
  };
  if (!simulate(group, cold, items.size())) return false;
  for (std::size_t i = 0; i < items.size(); ++i) reruns[items[i]].cold = {outcomes_[i].status, outcomes_[i].success};
  return true;
}

}  // namespace pegrasp
