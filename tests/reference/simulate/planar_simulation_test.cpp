// SPDX-License-Identifier: Apache-2.0
// The engine's scenes in the reference simulator: step by step from the same states, and as whole trajectories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pegrasp/map.hpp"
#include "src/reference/batch.hpp"
#include "src/reference/planar/simulation.hpp"
#include "src/reference/validate/planar_lockstep.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp::reference {
namespace {

const std::string root = test::source_dir();

ValidateCase case_of(const SceneSpec& scene, const StepOptions& options) {
  ValidateCase out;
  out.scene = scene;
  out.model = compile_model(scene);
  out.planar_scene = std::make_shared<const PlanarScene>(scene);
  out.options = derive_options(options, scene);
  out.trials = {Trial{-1, -1, scene_parameters(scene)}};
  return out;
}

// All steps of the engine's trajectory: unresolved by neither, residuals within the tolerance; without friction
// velocities agree, but where features tie.
void expect_same_steps(const SceneSpec& scene, const StepOptions& options, const std::string& what) {
  const ValidateCase job = case_of(scene, options);
  const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{1, nullptr, {}});
  EXPECT_EQ(steps.fast.unresolved, 0) << what;
  EXPECT_EQ(steps.other.unresolved, 0) << what;
  EXPECT_LE(steps.fast.reported_residual_max, job.options.tolerance) << what;
  EXPECT_LE(steps.other.residual_max, 1e-7) << what;
  EXPECT_LE(steps.other.penetration_max, job.options.reject_depth) << what;
  EXPECT_LE(steps.otherwise, std::max<std::int64_t>(2, steps.steps / 150)) << what;
  EXPECT_TRUE(failures(steps, ValidateTolerances{}).empty()) << what;
  if (steps.frictionless_steps > 0) {
    EXPECT_LE(steps.frictionless_quantile_99, 1e-6) << what;
    EXPECT_LE(steps.unique_largest, 1e-6) << what;
  }
}

TEST(ReferenceSteps, AreTheEnginesInFrictionlessPiles) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    expect_same_steps(scenes::polygon_box(seed, 0.0, 5), test::steps_of(0.005, 2.0), "box " + std::to_string(seed));
  }
  expect_same_steps(scenes::stack(1, 0.0, 4), test::steps_of(0.01, 1.5), "stack");
}

TEST(ReferenceSteps, AreTheEnginesInPilesWithFriction) {
  expect_same_steps(scenes::polygon_box(4, 0.25, 5), test::steps_of(0.005, 2.0), "box");
  expect_same_steps(scenes::stack(2, 0.5, 4), test::steps_of(0.01, 1.5), "stack");
}

TEST(LongReferenceSteps, AreTheEnginesInPilesOfUnions) {
  for (const double mu : {0.0, 0.25}) {
    for (const std::uint64_t seed : {1, 2}) {
      expect_same_steps(scenes::union_pile(seed, mu, 5), test::steps_of(0.004, 2.5),
                        "unions " + std::to_string(seed) + ", mu " + std::to_string(mu));
    }
  }
}

TEST(LongReferenceSteps, AreTheEnginesInPilesOfTwenty) {
  for (const double mu : {0.0, 0.25}) {
    expect_same_steps(scenes::polygon_box(7, mu), test::steps_of(0.004, scenes::polygon_box_duration),
                      "mu " + std::to_string(mu));
  }
}

// A disc, a rounded box and a circular segment among walls: arcs on arcs, on edges, on vertices.
TEST(ReferenceSteps, AreTheEnginesWithArcs) {
  for (const double mu : {0.0, 0.3}) {
    SceneSpec scene;
    scene.name = "arcs";
    scene.gravity = {0.0, -scenes::standard_gravity};
    scenes::add_container(scene, mu);
    const std::vector<ConvexPart> parts{
        make_disc("disc", {0.0, 0.0}, 0.15),
        make_rounded_polygon("rounded", {{{-0.1, -0.08}, 0.05}, {{0.1, -0.08}, 0.03}, {{0.0, 0.12}, 0.0}}),
        make_circular_segment("segment", {0.0, -0.1}, 0.2, 0.2, 2.9), make_disc("small", {0.0, 0.0}, 0.08)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      BodySpec body = scenes::box_body(parts[i].name, 0.3, 0.3, 5.0);
      const AreaProperties area = area_properties(parts[i]);
      body.planar().parts = {parts[i]};
      for (Corner& corner : body.planar().parts[0].corners) {
        corner.centre = {corner.centre.x - area.centroid.x, corner.centre.y - area.centroid.y};
      }
      body.mass = 10.0 * area.area;
      body.planar().inertia = 10.0 * area.second_moment;
      body.friction = mu;
      body.planar().pose = {0.1 * static_cast<double>(i), 0.3 + 0.45 * static_cast<double>(i), 0.4};
      scene.bodies.push_back(body);
    }
    expect_same_steps(scene, test::steps_of(0.005, 1.5), "mu " + std::to_string(mu));
  }
}

ValidateCase gear_case(int trials, double h) {
  Problem problem = load_problem(root + "/examples/gear/gear.toml");
  problem.options.h = h;
  ValidateCase out = case_of(problem.scene, problem.options);
  out.trials = spread_trials(problem, trials);
  return out;
}

void expect_same_outcomes(const ValidateCase& job) {
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict, 0);
  const TrajectoryComparison both = compare_with_reference(job, *backend, Watch{});
  EXPECT_EQ(both.trials, job.trials.size());
  EXPECT_EQ(both.both_resolved, both.trials);
  EXPECT_TRUE(failures(both, ValidateTolerances{}, true).empty());
  EXPECT_LE(both.other.residual_max, 1e-7);
  for (const Disagreement& d : both.disagreements) ADD_FAILURE() << "trial " << d.trial << ": " << d.reason;
}

TEST(ReferenceGear, TrialsEndAsTheEngines) { expect_same_outcomes(gear_case(20, 0.005)); }

TEST(LongReferenceGear, TrialsEndAsTheEngines) {
  expect_same_outcomes(gear_case(441, 0.005));
  expect_same_outcomes(gear_case(60, 0.001));
}

TEST(ReferenceGear, StepsAreTheEngines) {
  const StepComparison steps = compare_steps(gear_case(12, 0.005), ValidateTolerances{}, Watch{});
  EXPECT_GT(steps.steps, 500);
  EXPECT_EQ(steps.other.unresolved, 0);
  EXPECT_LE(steps.other.residual_max, 1e-7);
  EXPECT_LE(steps.quantile_99, 1e-5);
}

// The batch by any number of threads, and a simulation by itself: the same bits.
TEST(ReferenceBatch, ThreadsDoNotShow) {
  const ValidateCase job = gear_case(6, 0.005);
  std::vector<double> parameters;
  for (const Trial& trial : job.trials) {
    parameters.insert(parameters.end(), trial.parameters.begin(), trial.parameters.end());
  }
  const std::size_t poses = 3 * job.scene.bodies.size();
  std::vector<std::vector<double>> all;
  for (const int threads : {1, 2, 5}) {
    std::vector<SceneOutcome> outcomes(job.trials.size());
    all.emplace_back(job.trials.size() * poses);
    std::size_t last = 0;
    EXPECT_TRUE(run_reference(job.planar_scene, job.options, parameters, outcomes, all.back(), threads, nullptr,
                              [&last](std::size_t done) { EXPECT_EQ(done, ++last); }));
    EXPECT_EQ(last, job.trials.size());
    EXPECT_EQ(all.back(), all.front()) << threads;
  }
  PlanarSimulation simulation(job.planar_scene, job.options, job.trials[3].parameters);
  simulation.run();
  EXPECT_EQ(simulation.pose(0).x, all.front()[3 * poses]);
}

TEST(ReferenceBatch, StopsBetweenScenesAndTellsFaults) {
  std::atomic<bool> stop{false};
  int calls = 0;
  EXPECT_FALSE(for_each_index(10, 1, &stop, [&](std::size_t) { stop = ++calls == 3; }));
  EXPECT_EQ(calls, 3);
  const auto fault = [](std::size_t i) {
    if (i == 4) throw std::runtime_error("fault");
  };
  EXPECT_THROW(for_each_index(10, 2, nullptr, fault), std::runtime_error);
}

TEST(Validate, TrialsAreSpreadOverAllCells) {
  const Problem problem = load_problem(root + "/examples/gear/gear.toml");
  const int cells = problem.grid.cells();
  for (const int count : {1, 7, 100, cells, 1000, 2 * cells + 3}) {
    const std::vector<Trial> trials = spread_trials(problem, count);
    ASSERT_EQ(trials.size(), static_cast<std::size_t>(count));
    std::vector<int> of_cell(static_cast<std::size_t>(cells), 0);
    for (const Trial& trial : trials) EXPECT_EQ(trial.sample, of_cell[static_cast<std::size_t>(trial.cell)]++);
    const auto [least, most] = std::minmax_element(of_cell.begin(), of_cell.end());
    EXPECT_LE(*most - *least, 1) << count;
  }
  EXPECT_THROW(spread_trials(problem, cells * problem.samples + 1), InputError);
  // The same numbers as the map's trial.
  const Trial one = one_trial(problem, 17, 4);
  std::vector<double> parameters(one.parameters.size());
  std::vector<double> values(sampled_columns(problem).size());
  draw_sample(problem, scene_parameters(problem.scene), 17, 4, parameters, values);
  EXPECT_EQ(one.parameters, parameters);
}

// A product that is wrong is found out: a made-up backend that answers the opposite.
class Contrary final : public Backend {
 public:
  std::string name() const override { return "cpu"; }
  std::string device() const override { return "contrary"; }
  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    const bool whole = cpu_->run(model, options, parameters, outcomes, final_poses, stop);
    for (SceneOutcome& outcome : outcomes) outcome.success = 1 - outcome.success;
    return whole;
  }

 private:
  std::unique_ptr<Backend> cpu_ = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
};

TEST(Validate, TellsAWrongProduct) {
  const ValidateCase job = gear_case(6, 0.005);
  Contrary wrong;
  const TrajectoryComparison both = compare_with_reference(job, wrong, Watch{});
  EXPECT_EQ(both.alike, 0u);
  ASSERT_EQ(both.disagreements.size(), 6u);
  EXPECT_NE(both.disagreements[0].reason, "");
  EXPECT_EQ(failures(both, ValidateTolerances{}, true).size(), 1u);
  const auto right = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  EXPECT_EQ(compare_backends(job, *right, *right, Watch{}).identical, 6u);
  EXPECT_EQ(compare_backends(job, wrong, *right, Watch{}).disagreements.size(), 6u);
}

// With friction a step may have several solutions. Where the two linearise alike and take a step apart all the same,
// the reference simulator finds the product's answer from another start.
TEST(Validate, StepsWithSeveralSolutionsAreReported) {
  const Problem problem = load_problem(root + "/examples/gear/gear.toml");
  ValidateCase job = case_of(problem.scene, problem.options);
  job.trials = {one_trial(problem, 22, 2), one_trial(problem, 0, 0)};
  const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{});
  ASSERT_FALSE(steps.worst.empty());
  for (const StepDifference& d : steps.worst) {
    if (d.velocity > 1e-4 && d.same_linearisation()) {
      EXPECT_LE(d.residual_fast, ValidateTolerances{}.step_residual) << "step " << d.step;
      EXPECT_LE(d.residual_other, ValidateTolerances{}.step_residual) << "step " << d.step;
    }
  }
}

// Steps of the gear in which no linearisation is accepted, so that what the passes end with hangs on all before.
StepComparison steps_of_trial(int cell, double h) {
  Problem problem = load_problem(root + "/examples/gear/gear.toml");
  problem.options.h = h;
  ValidateCase job = case_of(problem.scene, problem.options);
  job.trials = {one_trial(problem, cell, 0)};
  return compare_steps(job, ValidateTolerances{}, Watch{});
}

// A fingertip slides over three edges of a tooth's polygon in a step. Which of two sides the passes alternate between
// comes last, 1e-10 m decide: a tie.
TEST(Validate, PassesThatGoInCirclesAreATie) {
  for (const auto& [cell, h] : {std::pair{23, 0.016}, std::pair{25, 0.008}}) {
    const StepComparison steps = steps_of_trial(cell, h);
    EXPECT_GT(steps.assessed, 20) << "cell " << cell;
    EXPECT_GT(steps.ties, 0) << "cell " << cell;
    EXPECT_EQ(steps.unexplained, 0) << "cell " << cell;
    EXPECT_LE(steps.open_ties, 1) << "cell " << cell;
  }
}

// A finger's corner jammed between two teeth: Newton and AJ use up their iterations in three of five passes. The fifth
// is solved, about the end of one that was not.
TEST(Validate, PassesFromUnsolvedOnesAreHalved) {
  const StepComparison steps = steps_of_trial(7, 0.016);
  EXPECT_GT(steps.assessed, 20);
  EXPECT_EQ(steps.unexplained, 0);
  EXPECT_EQ(steps.open_ties, 0);
  EXPECT_EQ(steps.fast.unresolved, 0);
}

// A support point comes to rest with a slip of 1e-5 m/s across that of the step before. What its row makes of the
// direction must not grow to more than that.
TEST(Validate, ASlipThatTurnsAsItEndsIsTheSame) {
  const StepComparison steps = steps_of_trial(50, 0.005);
  EXPECT_GT(steps.assessed, 100);
  EXPECT_EQ(steps.unexplained, 0);
  for (const StepDifference& step : steps.worst) EXPECT_LT(step.residual_fast, 1e-5) << "step " << step.step;
}

TEST(Validate, StopsWhenAsked) {
  const ValidateCase job = gear_case(6, 0.005);
  std::atomic<bool> stop{true};
  const Watch watch{1, &stop, {}};
  EXPECT_THROW(compare_steps(job, ValidateTolerances{}, watch), Interrupted);
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  EXPECT_THROW(compare_with_reference(job, *backend, watch), Interrupted);
}

// It would see bodies without parts there, and agree with anything.
TEST(PlanarScene, RefusesScenesIn3D) {
  SceneSpec scene;
  scene.spatial = true;
  BodySpec ball;
  ball.form = SpatialBody{};
  ball.name = "ball";
  ball.spatial().parts = {make_sphere("ball", {}, 0.1)};
  ball.spatial().inertia = {0.01, 0.01, 0.01, 0.0, 0.0, 0.0};
  scene.bodies = {ball};
  EXPECT_THROW(PlanarScene{scene}, std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp::reference
