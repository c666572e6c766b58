// SPDX-License-Identifier: Apache-2.0
// Fast arithmetic where single precision cannot reach the tolerance: a light cube that is gripped hard. Such scenes are
// simulated in double precision, say so, and cost no more than a few times what strict arithmetic costs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "tests/places.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

struct Trial {
  Problem problem;
  StepOptions options;
  std::vector<double> parameters;
  std::shared_ptr<const Model> model;
};

// mass [kg] of the part and force [N] of the jaws, as uniform in a narrow range.
Trial lift_of(const std::string& low, const std::string& high, double duration, Strategy strategy) {
  Trial out;
  out.problem =
      load_problem(test::source_file("examples/lift/lift.toml"), {{"uncertain.mass.low", low},
                                                                  {"uncertain.mass.high", high},
                                                                  {"uncertain.closing_force.low", "19.9"},
                                                                  {"uncertain.closing_force.high", "20"},
                                                                  {"simulation.duration_s", std::to_string(duration)}});
  const std::vector<double> base = scene_parameters(out.problem.scene);
  std::vector<double> values(sampled_columns(out.problem).size());
  out.parameters.resize(base.size());
  draw_sample(out.problem, base, 60, 0, out.parameters, values);
  out.options = out.problem.options;
  out.options.strategy = strategy;
  out.options = derive_options(out.options, out.problem.scene, Arithmetic::fast);
  out.model = compile_model(out.problem.scene);
  return out;
}

struct Result {
  std::vector<SceneOutcome> outcome = std::vector<SceneOutcome>(1);
  std::vector<double> poses;
};

Result run(const Trial& trial, Arithmetic arithmetic) {
  Result out;
  out.poses.resize(static_cast<std::size_t>(trial.model ? 7 * parameter_layout(trial.problem.scene).body_count : 0));
  EXPECT_TRUE(test::make_backend_under_test(1, arithmetic)
                  ->run(*trial.model, trial.options, trial.parameters, out.outcome, out.poses, nullptr));
  return out;
}

TEST(SinglePrecision, ALightPartInAHardGripIsFinishedInDouble) {
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const Trial trial = lift_of("0.003", "0.00303", 0.7, strategy);
    const Result strict = run(trial, Arithmetic::strict);
    const Result fast = run(trial, Arithmetic::fast);
    EXPECT_EQ(strict.outcome[0].in_double, 0);
    EXPECT_EQ(fast.outcome[0].in_double, 1);
    EXPECT_EQ(fast.outcome[0].status, status_ok);
    EXPECT_EQ(fast.outcome[0].iterations, strict.outcome[0].iterations);
    EXPECT_EQ(fast.poses, strict.poses);  // the bits of double precision
  }
}

// A batch in which some scenes give up and some do not: each has its own result.
TEST(SinglePrecision, ScenesOfABatchAreFinishedOneByOne) {
  const Problem gear = load_problem(test::source_file("examples/gear/gear.toml"));
  const std::size_t count = 40;
  const Sampler sampler(gear);
  const auto model = compile_model(gear.scene);
  const StepOptions options = derive_options(gear.options, gear.scene, Arithmetic::fast);
  const std::size_t poses = 3 * gear.scene.bodies.size();
  std::vector<SceneOutcome> drawn(count), given(count);
  std::vector<double> ends(count * poses), ends_of_given(count * poses), values(count * sampler.values()), row(values);
  std::vector<double> parameters(count * sampler.parameters());
  std::vector<int> redrawn(count);
  const std::size_t first = 200 * static_cast<std::size_t>(gear.samples);
  for (std::size_t i = 0; i < count; ++i) {
    sampler.draw(first + i, std::span(parameters).subspan(i * sampler.parameters(), sampler.parameters()),
                 std::span(row).first(sampler.values()));
  }
  const auto backend = test::make_backend_under_test(2, Arithmetic::fast);
  SampleJob job{sampler, first, drawn, ends, values, redrawn, 1};
  ASSERT_TRUE(backend->run_samples(*model, options, job, nullptr));
  ASSERT_TRUE(backend->run(*model, options, parameters, given, ends_of_given, nullptr));
  int in_double = 0;
  for (const SceneOutcome& outcome : drawn) {
    EXPECT_EQ(outcome.status & status_single_precision, 0u);
    in_double += static_cast<int>(outcome.in_double);
  }
  EXPECT_GT(in_double, 0);
  EXPECT_LT(in_double, static_cast<int>(count));
  EXPECT_EQ(ends, ends_of_given);
}

// Step by step, the scene goes on in double precision from the step where single has failed.
TEST(SinglePrecision, ASimulationEndsAsTheBackendsTrialDoes) {
  const Trial trial = lift_of("0.003", "0.00303", 0.7, Strategy::per_scene);
  Simulation simulation(trial.model, trial.options, trial.parameters, Arithmetic::fast);
  EXPECT_EQ(simulation.outcome().in_double, 0);
  int steps = 0;
  std::int64_t iterations = 0;
  while (simulation.step()) {
    ++steps;
    EXPECT_GE(simulation.last_step().iterations, 0) << steps;
    iterations += simulation.last_step().iterations;
  }
  EXPECT_GT(iterations, 0);
  EXPECT_EQ(steps, 140);
  EXPECT_EQ(simulation.outcome().in_double, 1);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().steps, 140);
  const Result fast = run(trial, Arithmetic::fast);
  EXPECT_NEAR(simulation.spatial_pose(1).position.x, fast.poses[7], 1e-15);
}

}  // namespace
}  // namespace pegrasp
