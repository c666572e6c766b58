// SPDX-License-Identifier: Apache-2.0
// Steps that no motion obeys say so, name the bodies, and cost no more than a bounded number of iterations.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "tests/runs.hpp"
#include "tests/scenes/groove.hpp"
#include "tests/scenes/squeeze.hpp"

namespace pegrasp {
namespace {

// What an infeasible step may cost at most: less than the usual budget of a step. Batched solves are longer.
constexpr std::int64_t few_iterations = 200'000;

struct Way {
  const char* name;
  bool spatial;
  Strategy strategy;
};

class Squeezed : public testing::TestWithParam<Way> {
 protected:
  StepOptions options(double duration) const {
    StepOptions out = test::steps_of(0.005, duration);
    out.strategy = GetParam().strategy;
    return out;
  }
  static bool is(const Squeeze& squeeze, int a, int b) {
    return std::min(squeeze.by[0], squeeze.by[1]) == a && std::max(squeeze.by[0], squeeze.by[1]) == b;
  }
};

// Jaws that close at 50 mm/s each to 1 mm less than the part: from the step on in which they meet it, every step is
// infeasible by what the part lacks then, and by no other status.
TEST_P(Squeezed, ByJawsThatMeetIt) {
  const SceneSpec scene = scenes::closing_jaws(GetParam().spatial, {.narrower = 1e-3});
  Simulation simulation = test::simulate(scene, options(0.15));
  const double speed = (0.005 + 0.5e-3) / 0.1;
  int infeasible = 0;
  while (simulation.step()) {
    const StepReport step = simulation.last_step();
    const double lacks = 2.0 * (speed * std::min(step.time, 0.1) - 0.005);
    SCOPED_TRACE(step.time);
    if (lacks < 0.0) {
      EXPECT_EQ(step.status, status_ok);
      EXPECT_EQ(step.squeeze.body, -1);
      continue;
    }
    ++infeasible;
    EXPECT_EQ(step.status, std::uint32_t{status_infeasible});
    EXPECT_EQ(step.squeeze.body, 0);
    EXPECT_TRUE(is(step.squeeze, 1, 2)) << step.squeeze.by[0] << ' ' << step.squeeze.by[1];
    EXPECT_NEAR(step.squeeze.room, lacks, 1e-6 + 1e-3 * lacks);
    EXPECT_NEAR(step.squeeze.time, step.time, 1e-9);
    EXPECT_LT(step.iterations, few_iterations);
  }
  EXPECT_EQ(infeasible, 12);  // from 0.095 s on
  EXPECT_EQ(simulation.outcome().unresolved_steps, infeasible);
  EXPECT_EQ(simulation.outcome().status, std::uint32_t{status_infeasible});
}

TEST_P(Squeezed, ByAMicrometre) {
  Simulation simulation = test::simulate(scenes::closing_jaws(GetParam().spatial), options(0.15));
  while (simulation.step()) {
    const StepReport step = simulation.last_step();
    if (step.time < 0.1 - 1e-9) {
      EXPECT_EQ(step.status, status_ok) << step.time;
    } else {
      EXPECT_EQ(step.status, std::uint32_t{status_infeasible}) << step.time;
      EXPECT_NEAR(step.squeeze.room, 1e-6, 5e-8) << step.time;
      EXPECT_LT(step.iterations, few_iterations) << step.time;
    }
  }
}

// The right jaw also rubs along the part: friction tells nothing about room.
TEST_P(Squeezed, ByAJawThatRubs) {
  const SceneSpec scene = scenes::closing_jaws(GetParam().spatial, {.narrower = 1e-4, .sideways = 0.004});
  Simulation simulation = test::simulate(scene, options(0.12));
  while (simulation.step()) {
    const StepReport step = simulation.last_step();
    if (step.time < 0.099) {
      EXPECT_EQ(step.status, status_ok) << step.time;
    } else {
      EXPECT_EQ(step.status, std::uint32_t{status_infeasible}) << step.time;
    }
  }
}

TEST_P(Squeezed, ByAHandAndAFloor) {
  Simulation simulation = test::simulate(scenes::landing_hand(GetParam().spatial, 1e-3), options(0.12));
  while (simulation.step()) continue;
  EXPECT_EQ(simulation.outcome().status, std::uint32_t{status_infeasible});
  const StepReport step = simulation.last_step();
  EXPECT_EQ(step.squeeze.body, 0);
  EXPECT_TRUE(is(step.squeeze, 1, 2));
  EXPECT_NEAR(step.squeeze.room, 1e-3, 1e-6);
  EXPECT_LT(simulation.outcome().iterations, 10 * few_iterations);
}

// Jaws that leave as much room as the part needs, or a hundred nanometres more, and a hand that only touches.
TEST_P(Squeezed, IsNoneThatHasRoom) {
  for (const double play : {0.0, 1e-7}) {
    Simulation simulation =
        test::simulate(scenes::closing_jaws(GetParam().spatial, {.narrower = -play}), options(0.15));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok) << play;
  }
  Simulation simulation = test::simulate(scenes::landing_hand(GetParam().spatial, 0.0), options(0.15));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

TEST_P(Squeezed, EndsWhereThatIsAsked) {
  StepOptions asked = options(0.15);
  asked.on_unresolved = OnUnresolved::stop;
  Simulation simulation = test::simulate(scenes::closing_jaws(GetParam().spatial, {.narrower = 1e-3}), asked);
  simulation.run();
  EXPECT_EQ(simulation.outcome().unresolved_steps, 1);
  EXPECT_EQ(simulation.outcome().status, std::uint32_t{status_infeasible});
  EXPECT_NEAR(simulation.time(), 0.095, 1e-9);
}

// Jaws that wedge the part, which friction keeps between them, so that nothing proves that there is no motion: the work
// is bounded all the same, of each step and of all that stay unresolved.
TEST_P(Squeezed, CostsABoundedNumberOfIterations) {
  const SceneSpec scene = scenes::closing_jaws(GetParam().spatial, {.narrower = 2e-3, .tilt = 0.05});
  StepOptions bounded = options(0.15);
  bounded.step_iterations = 30'000;
  bounded.scene_iterations = 60'000;
  bounded.max_iterations = 2000;
  constexpr std::int64_t last_solves = 20'000;  // begun before the bound was reached, and those that end the step
  Simulation simulation = test::simulate(scene, bounded);
  std::int64_t largest = 0, all = 0;
  while (simulation.step()) {
    largest = std::max(largest, simulation.last_step().iterations);
    if (simulation.last_status() != status_ok) all += simulation.last_step().iterations;
  }
  EXPECT_GT(simulation.outcome().unresolved_steps, 3);
  EXPECT_LT(largest, bounded.step_iterations + last_solves);
  EXPECT_LT(all, bounded.scene_iterations + bounded.step_iterations + last_solves +
                     simulation.outcome().unresolved_steps * 2 * bounded.max_iterations);
}

// A step that would take for ever ends soon after somebody has asked for an end.
TEST_P(Squeezed, HearsAStopWithinAStep) {
  const SceneSpec scene = scenes::closing_jaws(GetParam().spatial, {.narrower = 2e-3, .tilt = 0.05});
  StepOptions endless = options(0.15);
  endless.max_iterations = 2'000'000'000;
  Simulation simulation = test::simulate(scene, endless);
  std::atomic<bool> stop{false};
  simulation.heed(&stop);
  std::chrono::steady_clock::time_point asked;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    asked = std::chrono::steady_clock::now();
    stop = true;
  });
  int steps = 0;
  while (!stop && simulation.step()) ++steps;
  user.join();
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
  EXPECT_LT(steps, 30) << "no step was endless";
  EXPECT_LT(waited, 2.0);
}

// Whichever solver has failed.
TEST(Infeasible, IsToldWithEverySolver) {
  for (const SolverKind solver : test::every_solver) {
    for (const bool spatial : {false, true}) {
      StepOptions options = test::steps_of(0.005, 0.1);
      options.solver = solver;
      options.max_iterations = 1000;
      options.on_unresolved = OnUnresolved::stop;
      Simulation simulation = test::simulate(scenes::closing_jaws(spatial, {.narrower = 1e-3}), options);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, std::uint32_t{status_infeasible}) << name_of(solver) << ' ' << spatial;
      EXPECT_NEAR(simulation.time(), 0.095, 1e-9) << name_of(solver) << ' ' << spatial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Squeezed,
                         testing::Values(Way{"planar_per_scene", false, Strategy::per_scene},
                                         Way{"planar_batched", false, Strategy::batched},
                                         Way{"spatial_per_scene", true, Strategy::per_scene},
                                         Way{"spatial_batched", true, Strategy::batched}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pegrasp
