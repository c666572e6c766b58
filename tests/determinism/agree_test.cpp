// SPDX-License-Identifier: Apache-2.0
// What pegrasp_agree finds (bench/agree.hpp): differences at the end and on the way, in any arrangement of the batch;
// and what it counts of fast arithmetic. Differences are planted into what a backend returns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "bench/agree.hpp"
#include "bench/agree_fast.hpp"
#include "bench/agree_rearranged.hpp"
#include "tests/determinism/cases.hpp"

namespace pegrasp::test {
namespace {

constexpr int planted_scene = 2;
constexpr int all_steps = 60;  // of every scene

// Trials of the gear that all go on for so many steps.
bench::Case trials(int count) {
  const SceneBatchCase gear = gear_case(count);
  bench::Case result;
  result.scene = load_problem(test::source_file("examples/gear/gear.toml")).scene;
  result.options = gear.options;
  result.options.still_time = 0.0;
  result.options.duration = all_steps * gear.options.h;
  result.parameters = gear.parameters;
  result.scene_count = count;
  return result;
}

struct Returned {
  int steps;       // after which the scenes were stopped
  bool planted;    // the scene with parameters of planted_scene
  std::size_t at;  // in the batch
  std::size_t count;
  SceneOutcome& outcome;
  std::span<double> poses;
};

// The CPU, with its results changed scene by scene.
class Altered : public Backend {
 public:
  Altered(const bench::Case& benchmark, std::function<void(const Returned&)> alter)
      : inner_(make_backend(BackendKind::cpu, Arithmetic::strict, 1)), alter_(std::move(alter)) {
    const std::size_t row = benchmark.parameters.size() / static_cast<std::size_t>(benchmark.scene_count);
    const auto first = benchmark.parameters.begin() + static_cast<std::ptrdiff_t>(planted_scene * row);
    planted_.assign(first, first + static_cast<std::ptrdiff_t>(row));
  }
  std::string name() const override { return "altered"; }
  std::string device() const override { return inner_->device(); }
  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (!inner_->run(model, options, parameters, outcomes, final_poses, stop)) return false;
    const std::size_t count = outcomes.size(), numbers = final_poses.size() / count;
    const int steps = static_cast<int>(std::lround(options.duration / options.h));
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = parameters.subspan(i * planted_.size(), planted_.size());
      alter_({steps, std::equal(row.begin(), row.end(), planted_.begin()), i, count, outcomes[i],
              final_poses.subspan(i * numbers, numbers)});
    }
    return true;
  }

 private:
  std::unique_ptr<Backend> inner_;
  std::function<void(const Returned&)> alter_;
  std::vector<double> planted_;
};

void by_a_bit(double& value) { value = std::nextafter(value, std::numeric_limits<double>::infinity()); }

// The CPU against itself, altered.
bench::Agreement compared(const bench::Case& benchmark, const std::function<void(const Returned&)>& alter,
                          const bench::Way& way = {}, const bench::Arrangement& arrangement = {}) {
  const auto cpu = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  Altered altered(benchmark, alter);
  bench::Rearranged rearranged(altered, arrangement);
  return bench::compare(benchmark, *cpu, rearranged, way);
}

TEST(Agree, NothingDiffersFromItself) {
  const bench::Agreement agreement = compared(trials(5), [](const Returned&) {});
  EXPECT_EQ(agreement.differing, 0);
  EXPECT_EQ(agreement.first, "");
  EXPECT_EQ(agreement.hash_a, agreement.hash_b);
  EXPECT_EQ(agreement.steps, 5 * all_steps);
  EXPECT_EQ(agreement.cuts, 8);
  EXPECT_EQ(agreement.stopped, 40);
}

TEST(Agree, ADifferenceThatStaysIsFoundWithItsFirstStep) {
  const auto stays = [](const Returned& scene) {
    if (scene.planted && scene.steps >= 17) by_a_bit(scene.poses[0]);
  };
  for (const int cuts : {0, 8}) {
    const bench::Agreement agreement = compared(trials(5), stays, {.cuts = cuts});
    EXPECT_EQ(agreement.differing, 1);
    EXPECT_EQ(agreement.alike_at_end, 0);
    EXPECT_NE(agreement.first.find("scene 2: poses"), std::string::npos) << agreement.first;
    EXPECT_NE(agreement.first.find("at the end, since step 17 of 60"), std::string::npos) << agreement.first;
    EXPECT_NE(agreement.hash_a, agreement.hash_b);
  }
}

TEST(Agree, ADifferenceOnTheWayThatIsGoneAtTheEndIsFound) {
  const auto passes = [](const Returned& scene) {
    if (scene.planted && scene.steps >= 22 && scene.steps < 31) by_a_bit(scene.poses[0]);
  };
  EXPECT_EQ(compared(trials(5), passes, {.cuts = 0}).differing, 0) << "the ends alone do not show it";
  const bench::Agreement agreement = compared(trials(5), passes);
  EXPECT_EQ(agreement.differing, 1);
  EXPECT_EQ(agreement.alike_at_end, 1);
  EXPECT_NE(agreement.hash_a, agreement.hash_b);
  EXPECT_NE(agreement.first.find("scene 2: poses"), std::string::npos) << agreement.first;
  EXPECT_NE(agreement.first.find("not at the end, since step 22 of 60"), std::string::npos) << agreement.first;
}

TEST(Agree, AResidualOnTheWayIsFound) {
  const auto passes = [](const Returned& scene) {
    if (scene.planted && scene.steps < all_steps) by_a_bit(scene.outcome.residual_max);
  };
  const bench::Agreement agreement = compared(trials(5), passes);
  EXPECT_EQ(agreement.alike_at_end, 1);
  EXPECT_NE(agreement.first.find("scene 2: residual_max after"), std::string::npos) << agreement.first;
  EXPECT_NE(agreement.first.find("since step 1 of 60"), std::string::npos) << agreement.first;
}

TEST(Agree, ADifferenceOfOneStepIsFoundWhereAllAreCompared) {
  const auto passes = [](const Returned& scene) {
    if (scene.planted && scene.steps == 23) by_a_bit(scene.poses[1]);
  };
  EXPECT_EQ(compared(trials(3), passes).differing, 0);
  const bench::Agreement agreement = compared(trials(3), passes, {.every_step = true});
  EXPECT_EQ(agreement.cuts, all_steps - 1);
  EXPECT_EQ(agreement.differing, 1);
  EXPECT_NE(agreement.first.find("since step 23 of 60"), std::string::npos) << agreement.first;
}

// With four scenes at each of eight cuts every one of twelve is stopped somewhere.
TEST(Agree, OfManyScenesEachCutTakesOthers) {
  const auto passes = [](const Returned& scene) {
    if (scene.steps < all_steps) by_a_bit(scene.poses[0]);
  };
  const bench::Agreement agreement = compared(trials(12), passes, {.scenes = 4});
  EXPECT_EQ(agreement.stopped, 32);
  EXPECT_EQ(agreement.alike_at_end, 12);
}

TEST(Agree, AnyArrangementGivesTheSame) {
  std::size_t most = 0, at = 0;
  const auto watch = [&](const Returned& scene) {
    if (scene.steps != all_steps) return;
    most = std::max(most, scene.count);
    if (scene.planted) at = scene.at;
  };
  const bench::Case benchmark = trials(20);
  EXPECT_EQ(compared(benchmark, watch, {}, {.shuffle = true}).differing, 0);
  EXPECT_EQ(most, 20u);
  EXPECT_NE(at, std::size_t{planted_scene}) << "the order was to be another";
  most = 0;
  EXPECT_EQ(compared(benchmark, watch, {}, {.split = 3, .shuffle = true}).differing, 0);
  EXPECT_EQ(most, 3u);
}

TEST(Agree, WhatHangsOnTheBatchIsFoundByAnotherArrangement) {
  const auto by_place = [](const Returned& scene) {
    if (scene.at == 3) by_a_bit(scene.poses[0]);
  };
  EXPECT_EQ(compared(trials(6), by_place, {}, {.split = 3}).differing, 0);
  const bench::Agreement agreement = compared(trials(6), by_place, {}, {.shuffle = true});
  EXPECT_GE(agreement.differing, 1);
  EXPECT_NE(agreement.first.find("but not when it is run alone"), std::string::npos) << agreement.first;
}

TEST(AgreeFast, CountsOutcomesTrialByTrial) {
  const bench::Case benchmark = trials(6);
  int strict_successes = 0;
  Altered strict(benchmark, [&](const Returned& scene) {
    scene.outcome.success = scene.at < 3;
    strict_successes += scene.at < 3;
  });
  // One is lost, one won, one left unresolved; another is moved.
  Altered fast(benchmark, [](const Returned& scene) {
    scene.outcome.success = scene.at == 0 || scene.at == 2 || scene.at == 4;
    if (scene.at == 0) scene.outcome.status |= status_not_converged;
    for (std::size_t i = 0; i < scene.poses.size(); i += 3) scene.poses[i] += 0.25;
  });
  const bench::FastEffect effect = bench::compare_arithmetics(benchmark, benchmark, strict, fast, 1);
  EXPECT_EQ(effect.trials, 6);
  EXPECT_EQ(effect.strict.successes, 3);
  EXPECT_EQ(effect.fast.successes, 2) << "one that succeeds is unresolved";
  EXPECT_EQ(effect.fast.unresolved, 1);
  EXPECT_EQ(effect.lost, 1);
  EXPECT_EQ(effect.won, 1);
  EXPECT_EQ(effect.unresolved_alone, 1);
  EXPECT_EQ(effect.success_changed, 2);
  EXPECT_EQ(effect.changed(), 3);
  EXPECT_NEAR(effect.apart_median, 0.25, 1e-12);
  EXPECT_GT(effect.gain(), 0.0);
  EXPECT_EQ(effect.strict.steps, 6 * all_steps);
  EXPECT_GT(strict_successes, 0);
}

TEST(AgreeFast, StrictChangesNothingOfStrict) {
  const auto cpu = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  const bench::Case benchmark = trials(6);
  const bench::FastEffect effect = bench::compare_arithmetics(benchmark, benchmark, *cpu, *cpu, 1);
  EXPECT_EQ(effect.changed(), 0);
  EXPECT_EQ(effect.success_changed, 0);
  EXPECT_EQ(effect.apart_90, 0.0);
}

}  // namespace
}  // namespace pegrasp::test
