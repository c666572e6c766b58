// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>

#include "pegrasp/parameters.hpp"

namespace pegrasp::bench {
namespace {

struct Totals {
  std::int64_t steps = 0, substeps = 0, solves = 0, iterations = 0, contacts = 0;
  bool operator==(const Totals&) const = default;
};

Totals sum(std::span<const SceneOutcome> outcomes) {
  Totals totals;
  for (const SceneOutcome& outcome : outcomes) {
    totals.steps += outcome.steps;
    totals.substeps += outcome.substeps;
    totals.solves += outcome.solves;
    totals.iterations += outcome.iterations;
    totals.contacts += outcome.contacts_sum;
  }
  return totals;
}

}  // namespace

double Measurement::wall_min() const { return *std::min_element(wall.begin(), wall.end()); }

double Measurement::wall_median() const {
  std::vector<double> sorted = wall;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

Measurement measure(const std::string& name, const Case& benchmark, Backend& backend, int threads, int repeats) {
  const auto model = compile_model(benchmark.scene);
  const std::size_t count = static_cast<std::size_t>(benchmark.scene_count);
  const std::size_t stride = benchmark.parameters.size() / count;
  std::vector<SceneOutcome> outcomes(count);
  const auto pose_size = static_cast<std::size_t>(parameter_layout(benchmark.scene).pose_size());
  std::vector<double> poses(count * benchmark.scene.bodies.size() * pose_size);

  // Warm-up: a hundredth of the scenes, but enough for every thread to have some.
  const std::size_t warm = std::min(count, std::max<std::size_t>(count / 100, 4 * static_cast<std::size_t>(threads)));
  backend.run(*model, benchmark.options, std::span(benchmark.parameters).first(warm * stride),
              std::span(outcomes).first(warm), std::span(poses).first(warm * benchmark.scene.bodies.size() * pose_size),
              nullptr);

  Measurement result;
  result.name = name;
  result.backend = backend.name();
  result.device = backend.device();
  result.threads = threads;
  result.scenes = benchmark.scene_count;
  result.bodies = static_cast<int>(benchmark.scene.bodies.size());
  result.h = benchmark.options.h;
  result.duration = benchmark.options.duration;
  result.strategy = benchmark.options.strategy;
  result.solver = benchmark.options.solver;
  if (result.strategy == Strategy::per_scene)
    result.workspace_bytes = capacity(*model, benchmark.options).bytes_per_scene;
  Totals totals;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    backend.run(*model, benchmark.options, benchmark.parameters, outcomes, poses, nullptr);
    result.wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    const Totals now = sum(outcomes);
    if (repeat > 0 && !(now == totals)) throw std::runtime_error(name + ": two runs of the same scenes differ");
    totals = now;
  }

  result.steps = totals.steps;
  result.substeps = totals.substeps;
  result.solves = totals.solves;
  result.iterations = totals.iterations;
  result.contacts = totals.contacts;
  for (const SceneOutcome& outcome : outcomes) {
    result.unresolved_steps += outcome.unresolved_steps;
    result.unresolved += outcome.status != status_ok;
    result.successes += outcome.success;
    result.at_rest += outcome.stopped_still;
    result.residual_max = std::max(result.residual_max, outcome.residual_max);
    result.penetration_max = std::max(result.penetration_max, outcome.penetration_max);
  }
  return result;
}

}  // namespace pegrasp::bench
