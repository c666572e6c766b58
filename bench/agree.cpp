// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "pegrasp/parameters.hpp"

namespace pegrasp::bench {
namespace {

struct Results {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

// Numbers that the bodies of a scene have in the final poses.
std::size_t pose_numbers(const SceneSpec& scene) {
  return scene.bodies.size() * static_cast<std::size_t>(parameter_layout(scene).pose_size());
}

Results run(const Case& benchmark, const Model& model, const StepOptions& options, std::span<const double> parameters,
            std::size_t count, Backend& backend) {
  Results results;
  results.outcomes.resize(count);
  results.poses.resize(count * pose_numbers(benchmark.scene));
  backend.run(model, options, parameters, results.outcomes, results.poses, nullptr);
  return results;
}

// Every field of an outcome as a word; padding has no say.
std::array<std::uint64_t, 15> words(const SceneOutcome& o) {
  const auto integer = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto real = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return {integer(o.status),
          integer(o.success),
          integer(o.stopped_still),
          integer(o.steps),
          integer(o.substeps_rejected),
          integer(o.unresolved_steps),
          integer(o.contacts_max),
          integer(o.contacts_demand),
          integer(o.contacts_sum),
          integer(o.substeps),
          integer(o.solves),
          integer(o.iterations),
          real(o.time),
          real(o.residual_max),
          real(o.penetration_max)};
}
constexpr std::array<const char*, 15> word_names{"status",
                                                 "success",
                                                 "stopped_still",
                                                 "steps",
                                                 "substeps_rejected",
                                                 "unresolved_steps",
                                                 "contacts_max",
                                                 "contacts_demand",
                                                 "contacts_sum",
                                                 "substeps",
                                                 "solves",
                                                 "iterations",
                                                 "time",
                                                 "residual_max",
                                                 "penetration_max"};

std::string hash(const Results& results) {
  std::uint64_t state = 0xcbf29ce484222325ull;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) state = (state ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3ull;
  };
  for (const SceneOutcome& outcome : results.outcomes) {
    for (const std::uint64_t word : words(outcome)) add(word);
  }
  for (const double pose : results.poses) add(std::bit_cast<std::uint64_t>(pose));
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(state));
  return text.data();
}

// What differs in a scene, in words; empty when nothing does.
std::string difference(const Results& a, const Results& b, std::size_t scene, std::size_t numbers) {
  const std::size_t first = scene * numbers;
  double largest = 0.0;
  bool differs = false;
  for (std::size_t i = first; i < first + numbers; ++i) {
    differs |= std::bit_cast<std::uint64_t>(a.poses[i]) != std::bit_cast<std::uint64_t>(b.poses[i]);
    largest = std::max(largest, std::abs(a.poses[i] - b.poses[i]));
  }
  if (differs) return "final poses, by up to " + std::to_string(largest * 1e9) + "e-9";
  const auto words_a = words(a.outcomes[scene]), words_b = words(b.outcomes[scene]);
  for (std::size_t i = 0; i < words_a.size(); ++i) {
    if (words_a[i] != words_b[i]) return word_names[i];
  }
  return {};
}

// The number of steps after which a single scene differs, by halving: before it agrees, after it does not.
int first_differing_step(const Case& benchmark, const Model& model, std::span<const double> parameters, int steps,
                         Backend& a, Backend& b) {
  int agrees = 0, differs = steps;
  while (differs - agrees > 1) {
    const int middle = agrees + (differs - agrees) / 2;
    StepOptions options = benchmark.options;
    options.duration = middle * options.h;
    const Results results_a = run(benchmark, model, options, parameters, 1, a);
    const Results results_b = run(benchmark, model, options, parameters, 1, b);
    (difference(results_a, results_b, 0, pose_numbers(benchmark.scene)).empty() ? agrees : differs) = middle;
  }
  return differs;
}

}  // namespace

Agreement compare(const Case& benchmark, Backend& a, Backend& b) {
  const auto model = compile_model(benchmark.scene);
  const std::size_t count = static_cast<std::size_t>(benchmark.scene_count);
  const std::size_t stride = benchmark.parameters.size() / count;
  const Results results_a = run(benchmark, *model, benchmark.options, benchmark.parameters, count, a);
  const Results results_b = run(benchmark, *model, benchmark.options, benchmark.parameters, count, b);

  Agreement agreement;
  agreement.scenes = benchmark.scene_count;
  agreement.hash_a = hash(results_a);
  agreement.hash_b = hash(results_b);
  for (std::size_t scene = 0; scene < count; ++scene) {
    agreement.steps += results_a.outcomes[scene].steps;
    agreement.unresolved += results_a.outcomes[scene].status != status_ok;
    const std::string what = difference(results_a, results_b, scene, pose_numbers(benchmark.scene));
    if (what.empty()) continue;
    if (agreement.differing++ == 0) {
      const int steps = std::max(results_a.outcomes[scene].steps, results_b.outcomes[scene].steps);
      const auto parameters = std::span(benchmark.parameters).subspan(scene * stride, stride);
      agreement.first = "scene " + std::to_string(scene) + ": " + what + ", since step " +
                        std::to_string(first_differing_step(benchmark, *model, parameters, steps, a, b)) + " of " +
                        std::to_string(steps);
    }
  }
  return agreement;
}

}  // namespace pegrasp::bench
