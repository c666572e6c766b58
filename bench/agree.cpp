// SPDX-License-Identifier: Apache-2.0
#include "bench/agree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/parameters.hpp"

namespace pegrasp::bench {
namespace {

struct Results {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

// Every field of an outcome as a word; padding is left out.
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

class Hash {
 public:
  void add(const Results& results) {
    for (const SceneOutcome& outcome : results.outcomes) {
      for (const std::uint64_t word : words(outcome)) add(word);
    }
    for (const double pose : results.poses) add(std::bit_cast<std::uint64_t>(pose));
  }
  std::string text() const {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(state_));
    return text.data();
  }

 private:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) state_ = (state_ ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3ull;
  }
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

// What differs in the scene at index `at` of both, in words; empty when nothing does.
std::string difference(const Results& a, const Results& b, std::size_t at) {
  const std::size_t numbers = a.poses.size() / a.outcomes.size();
  double largest = 0.0;
  bool differs = false;
  for (std::size_t i = at * numbers; i < (at + 1) * numbers; ++i) {
    differs |= std::bit_cast<std::uint64_t>(a.poses[i]) != std::bit_cast<std::uint64_t>(b.poses[i]);
    largest = std::max(largest, std::abs(a.poses[i] - b.poses[i]));
  }
  if (differs) return "poses, by up to " + std::to_string(largest * 1e9) + "e-9,";
  const auto words_a = words(a.outcomes[at]), words_b = words(b.outcomes[at]);
  for (std::size_t i = 0; i < words_a.size(); ++i) {
    if (words_a[i] != words_b[i]) return word_names[i];
  }
  return {};
}

constexpr int to_the_end = 0;

// Two backends and the scenes that both are to run.
class Pair {
 public:
  Pair(const Case& benchmark, Backend& a, Backend& b)
      : case_(benchmark),
        model_(compile_model(benchmark.scene)),
        stride_(benchmark.parameters.size() / static_cast<std::size_t>(benchmark.scene_count)),
        a_(a),
        b_(b) {}

  // The results of these scenes on both, stopped after so many steps. What a scene does in a step does not depend on
  // its duration, so this is its trajectory.
  std::array<Results, 2> run(std::span<const std::size_t> scenes, int steps) const {
    StepOptions options = case_.options;
    if (steps != to_the_end) options.duration = steps * options.h;
    std::vector<double> parameters;
    parameters.reserve(scenes.size() * stride_);
    for (const std::size_t scene : scenes) {
      const auto row = std::span(case_.parameters).subspan(scene * stride_, stride_);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    return {run(a_, options, parameters, scenes.size()), run(b_, options, parameters, scenes.size())};
  }

  // The number of steps after which a scene differs when it is run alone, in words. The first cut after which it
  // differs is found, and then the step between that cut and the one before, by halving.
  std::string since(std::size_t scene, const std::vector<int>& cuts, int steps) const {
    int agrees = 0;
    int differs = 0;
    for (const int cut : cuts) {
      if (!agree_alone(scene, cut)) {
        differs = cut;
        break;
      }
      agrees = cut;
    }
    if (differs == 0 && !agree_alone(scene, to_the_end)) differs = steps;
    if (differs == 0) return "but not when it is run alone";
    while (differs - agrees > 1) {
      const int middle = agrees + (differs - agrees) / 2;
      (agree_alone(scene, middle) ? agrees : differs) = middle;
    }
    return "since step " + std::to_string(differs) + " of " + std::to_string(steps);
  }

 private:
  Results run(Backend& backend, const StepOptions& options, std::span<const double> parameters,
              std::size_t count) const {
    Results results;
    results.outcomes.resize(count);
    results.poses.resize(count * case_.scene.bodies.size() *
                         static_cast<std::size_t>(parameter_layout(case_.scene).pose_size()));
    backend.run(*model_, options, parameters, results.outcomes, results.poses, nullptr);
    return results;
  }
  bool agree_alone(std::size_t scene, int steps) const {
    const auto [a, b] = run(std::span(&scene, 1), steps);
    return difference(a, b, 0).empty();
  }

  const Case& case_;
  std::shared_ptr<const Model> model_;
  std::size_t stride_;
  Backend &a_, &b_;
};

// Numbers of steps between the start and the end of a scene of so many.
std::vector<int> cuts_of(int steps, const Way& way) {
  std::vector<int> cuts;
  const int parts = way.every_step ? steps : way.cuts + 1;
  for (int part = 1; part < parts; ++part) {
    const int cut = static_cast<int>(static_cast<long long>(steps) * part / parts);
    if (cut > (cuts.empty() ? 0 : cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

// Evenly spread over the batch, and from cut to cut moved on by one.
std::vector<std::size_t> scenes_at(std::size_t cut, std::size_t count, const Way& way) {
  const std::size_t most = std::min(count, static_cast<std::size_t>(way.scenes));
  std::vector<std::size_t> scenes;
  for (std::size_t i = 0; i < most; ++i) scenes.push_back((i * count / most + cut) % count);
  return scenes;
}

// Where a scene was first seen to differ.
struct Finding {
  bool any = false;
  bool at_end = false;
  int steps = 0;
  std::string what;
};

std::string in_words(const Finding& finding, const std::string& since) {
  const std::string where =
      finding.at_end ? " at the end" : " after " + std::to_string(finding.steps) + " steps and not at the end";
  return finding.what + where + ", " + since;
}

}  // namespace

Agreement compare(const Case& benchmark, Backend& a, Backend& b, const Way& way) {
  const Pair pair(benchmark, a, b);
  const std::size_t count = static_cast<std::size_t>(benchmark.scene_count);
  Agreement agreement;
  agreement.scenes = benchmark.scene_count;
  Hash hash_a, hash_b;
  std::vector<Finding> findings(count);
  std::vector<int> steps(count);
  const auto look = [&](std::span<const std::size_t> scenes, int cut) {
    auto results = pair.run(scenes, cut);
    hash_a.add(results[0]);
    hash_b.add(results[1]);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      const std::string what = difference(results[0], results[1], i);
      Finding& finding = findings[scenes[i]];
      if (!what.empty() && !finding.any) finding = {true, cut == to_the_end, cut, what};
    }
    return results;
  };

  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto ends = look(all, to_the_end);
  for (std::size_t scene = 0; scene < count; ++scene) {
    steps[scene] = std::max(ends[0].outcomes[scene].steps, ends[1].outcomes[scene].steps);
    agreement.steps += ends[0].outcomes[scene].steps;
    agreement.unresolved += ends[0].outcomes[scene].status != status_ok;
  }
  const std::vector<int> cuts = cuts_of(*std::max_element(steps.begin(), steps.end()), way);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::vector<std::size_t> scenes = scenes_at(i, count, way);
    look(scenes, cuts[i]);
    for (const std::size_t scene : scenes) agreement.stopped += cuts[i] < steps[scene];
  }
  agreement.cuts = static_cast<int>(cuts.size());
  agreement.hash_a = hash_a.text();
  agreement.hash_b = hash_b.text();
  for (std::size_t scene = 0; scene < count; ++scene) {
    const Finding& finding = findings[scene];
    if (!finding.any) continue;
    agreement.alike_at_end += !finding.at_end;
    if (agreement.differing++ == 0) {
      agreement.first =
          "scene " + std::to_string(scene) + ": " + in_words(finding, pair.since(scene, cuts, steps[scene]));
    }
  }
  return agreement;
}

}  // namespace pegrasp::bench
