// SPDX-License-Identifier: Apache-2.0
#include "bench/agree_fast.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/quantile.hpp"
#include "pegrasp/parameters.hpp"

namespace pegrasp::bench {
namespace {

struct Run {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
  FastEffect::Side side;
};

bool resolved(const SceneOutcome& outcome) { return outcome.status == status_ok; }

Run run(const Case& benchmark, Backend& backend, int repeats) {
  const auto model = compile_model(benchmark.scene);
  const std::size_t count = static_cast<std::size_t>(benchmark.scene_count);
  const std::size_t stride = benchmark.parameters.size() / count;
  const std::size_t numbers =
      benchmark.scene.bodies.size() * static_cast<std::size_t>(parameter_layout(benchmark.scene).pose_size());
  Run result;
  result.outcomes.resize(count);
  result.poses.resize(count * numbers);
  const auto run_first = [&](std::size_t some) {
    backend.run(*model, benchmark.options, std::span(benchmark.parameters).first(some * stride),
                std::span(result.outcomes).first(some), std::span(result.poses).first(some * numbers), nullptr);
  };
  run_first(std::min(count, std::max<std::size_t>(count / 100, 8)));
  result.side.seconds = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    run_first(count);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.side.seconds = std::min(result.side.seconds, seconds);
  }
  for (const SceneOutcome& outcome : result.outcomes) {
    result.side.successes += resolved(outcome) && outcome.success != 0;
    result.side.unresolved += !resolved(outcome);
    result.side.steps += outcome.steps;
    result.side.iterations += outcome.iterations;
  }
  return result;
}

// Of the body that is farthest from itself [m].
double apart(std::span<const double> a, std::span<const double> b, std::size_t pose_size) {
  const std::size_t places = pose_size == 7 ? 3 : 2;
  double most = 0.0;
  for (std::size_t body = 0; body < a.size(); body += pose_size) {
    double square = 0.0;
    for (std::size_t i = body; i < body + places; ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
    const double distance = std::sqrt(square);
    if (!(distance <= most)) most = std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
  }
  return most;
}

}  // namespace

FastEffect compare_arithmetics(const Case& strict, const Case& fast, Backend& strict_backend, Backend& fast_backend,
                               int repeats) {
  if (repeats < 1) throw std::invalid_argument("what is compared must be run at least once");
  const Run a = run(strict, strict_backend, repeats), b = run(fast, fast_backend, repeats);
  FastEffect effect;
  effect.trials = strict.scene_count;
  effect.strict = a.side;
  effect.fast = b.side;
  std::vector<double> distances;
  const std::size_t pose_size = static_cast<std::size_t>(parameter_layout(strict.scene).pose_size());
  const std::size_t numbers = strict.scene.bodies.size() * pose_size;
  for (std::size_t i = 0; i < a.outcomes.size(); ++i) {
    const bool success_a = a.outcomes[i].success != 0, success_b = b.outcomes[i].success != 0;
    const bool both = resolved(a.outcomes[i]) && resolved(b.outcomes[i]);
    effect.lost += both && success_a && !success_b;
    effect.won += both && !success_a && success_b;
    effect.unresolved_alone += resolved(a.outcomes[i]) != resolved(b.outcomes[i]);
    effect.success_changed += success_a != success_b;
    distances.push_back(apart(std::span(a.poses).subspan(i * numbers, numbers),
                              std::span(b.poses).subspan(i * numbers, numbers), pose_size));
  }
  effect.apart_median = quantile(distances, 0.5);
  effect.apart_90 = quantile(distances, 0.9);
  return effect;
}

}  // namespace pegrasp::bench
