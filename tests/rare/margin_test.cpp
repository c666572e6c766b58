// SPDX-License-Identifier: Apache-2.0
// The margin of the success condition: its sign is the outcome, and measuring it changes nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/places.hpp"

namespace pegrasp::test {
namespace {

struct Judged {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

// Some trials of cells that are spread over the map.
Judged judged(const Problem& problem, bool measure, Strategy strategy, std::size_t trials) {
  SceneSpec scene = problem.scene;
  scene.measure_margin = measure;
  StepOptions options = problem.options;
  options.strategy = strategy;
  if (strategy == Strategy::batched) options.solver = SolverKind::aj;
  const Sampler sampler(problem);
  std::vector<double> parameters(trials * sampler.parameters()), values(sampler.values());
  const std::size_t all = static_cast<std::size_t>(problem.cells()) * static_cast<std::size_t>(problem.samples);
  for (std::size_t i = 0; i < trials; ++i) {
    sampler.draw(i * all / trials, std::span(parameters).subspan(i * sampler.parameters(), sampler.parameters()),
                 values);
  }
  Judged out;
  out.outcomes.resize(trials);
  out.poses.resize(trials * scene.bodies.size() * (scene.spatial ? 7 : 3));
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  backend->run(*compile_model(scene), derive_options(options, scene), parameters, out.outcomes, out.poses, nullptr);
  return out;
}

struct Judge {
  const char* name;
  const char* file;
  Strategy strategy;
  std::size_t trials;
  std::vector<Override> set;
};

class Margin : public testing::TestWithParam<Judge> {};

TEST_P(Margin, HasTheSignOfTheOutcomeAndChangesNothing) {
  const Judge& judge = GetParam();
  const Problem problem = load_problem(source_file(judge.file), judge.set);
  const Judged with = judged(problem, true, judge.strategy, judge.trials);
  Judged without = judged(problem, false, judge.strategy, judge.trials);
  int successes = 0;
  for (std::size_t i = 0; i < judge.trials; ++i) {
    const SceneOutcome& o = with.outcomes[i];
    EXPECT_EQ(o.success_margin >= 0.0, o.success == 1) << i << ": " << o.success_margin;
    EXPECT_EQ(without.outcomes[i].success_margin, 0.0);
    without.outcomes[i].success_margin = o.success_margin;
    successes += o.success;
  }
  EXPECT_GT(successes, 0);
  EXPECT_LT(successes, static_cast<int>(judge.trials));
  EXPECT_EQ(std::memcmp(with.outcomes.data(), without.outcomes.data(), judge.trials * sizeof(SceneOutcome)), 0);
  EXPECT_EQ(with.poses, without.poses);
}

const std::string timed = R"([{ speed_below_mm_s = 1, of = "part", for_ms = 400 }, )"
                          R"({ pose_within = "part", y_mm = [-9, 9], for_ms = 100 }, )"
                          R"({ touching = "part", with = "pusher", for_ms = 50 }])";

INSTANTIATE_TEST_SUITE_P(
    All, Margin,
    testing::Values(
        Judge{"puck", "examples/puck/puck.toml", Strategy::per_scene, 60, {}},
        Judge{"push", "examples/push/push.toml", Strategy::per_scene, 60, {}},
        Judge{"push_batched", "examples/push/push.toml", Strategy::batched, 30, {}},
        Judge{"not",
              "examples/push/push.toml",
              Strategy::per_scene,
              30,
              {{"success", R"({ not = { pose_within = "part", turn_deg = [-2, 2] } })"}}},
        Judge{"turns_but_for_quarters",
              "examples/push/push.toml",
              Strategy::per_scene,
              30,
              {{"success", R"({ pose_within = "part", turn_deg = [88, 92], turn_modulo_deg = 90 })"}}},
        Judge{"held",
              "examples/push/push.toml",
              Strategy::per_scene,
              30,
              {{"success", R"({ held = "part", in = "pusher", since_s = 1.7, slip_mm = 0.05 })"}}},
        Judge{
            "any_timed", "examples/push/push.toml", Strategy::per_scene, 60, {{"success", "{ any = " + timed + " }"}}},
        Judge{"force",
              "examples/push/push.toml",
              Strategy::per_scene,
              60,
              {{"success", R"({ contact_force_n = [0.2, 0.42], of = "part", for_ms = 200 })"}}},
        Judge{"gear", "examples/gear/gear.toml", Strategy::per_scene, 40, {{"map.samples", "1"}}},
        Judge{"lift", "examples/lift/lift.toml", Strategy::per_scene, 8, {{"map.samples", "1"}}}),
    [](const auto& info) { return std::string(info.param.name); });

// A puck that ends 3 mm short of the bound has a margin of 3 mm.
TEST(MarginValue, IsTheDistanceInMillimetres) {
  const Problem problem = load_problem(source_file("examples/puck/puck.toml"));
  const Judged found = judged(problem, true, Strategy::per_scene, 20);
  const Vec2 start{problem.scene.bodies[0].planar().pose.x, problem.scene.bodies[0].planar().pose.y};
  for (std::size_t i = 0; i < 20; ++i) {
    const double way = std::hypot(found.poses[3 * i] - start.x, found.poses[3 * i + 1] - start.y);
    EXPECT_NEAR(found.outcomes[i].success_margin, 10.0 - 1e3 * way, 1e-9);
  }
}

}  // namespace
}  // namespace pegrasp::test
