// SPDX-License-Identifier: Apache-2.0
// Whole trials in 3D: the lift by the product and by the reference simulator, and a product that assesses wrongly.
#include <gtest/gtest.h>

#include "pegrasp/simulation.hpp"
#include "src/reference/validate/validate.hpp"
#include "tests/places.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::reference {
namespace {

ValidateCase lift_case(const std::vector<int>& cells, const std::string& file = "lift.toml") {
  const Problem problem = load_problem(test::source_file("examples/lift/" + file), {});
  ValidateCase out;
  out.scene = problem.scene;
  out.model = compile_model(problem.scene);
  out.spatial_scene = std::make_shared<const spatial::SpatialScene>(problem.scene);
  out.options = derive_options(problem.options, problem.scene);
  for (const int cell : cells) out.trials.push_back(one_trial(problem, cell, 0));
  return out;
}

TrajectoryComparison compared(const ValidateCase& job) {
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  return compare_with_reference(job, *backend, Watch{1, nullptr, {}});
}

TEST(ValidateSpatial, TrialsOfTheLiftEndAlike) {
  const TrajectoryComparison all = compared(lift_case({45, 60, 62, 76}));
  EXPECT_EQ(all.both_resolved, 4u);
  EXPECT_EQ(all.alike, 4u);
  EXPECT_EQ(all.successes_other, 2u);
  EXPECT_LT(all.pose_quantile_50, 1e-3);
  EXPECT_TRUE(failures(all, ValidateTolerances{}, true).empty());
}

// The first trial of every second cell of the box' map and of every third of the others': of these none ends otherwise.
// Of ten trials a cell a few do, which is for pegrasp validate to count (docs/explanation/validation.md).
class ValidateSpatialLong : public testing::TestWithParam<const char*> {};

TEST_P(ValidateSpatialLong, TrialsEndAlike) {
  const std::string file = GetParam();
  const int count = load_problem(test::source_file("examples/lift/" + file), {}).grid.cells();
  std::vector<int> cells;
  for (int cell = 0; cell < count; cell += file == "lift.toml" ? 2 : 3) cells.push_back(cell);
  const TrajectoryComparison all = compared(lift_case(cells, file));
  // The reference simulator may leave one trial unresolved, as it does one of the box.
  EXPECT_GE(all.both_resolved + 1, cells.size());
  EXPECT_EQ(all.alike, all.both_resolved);
  EXPECT_LT(all.pose_quantile_50, 1e-4);
  EXPECT_TRUE(failures(all, ValidateTolerances{}, true).empty());
}

INSTANTIATE_TEST_SUITE_P(Lifts, ValidateSpatialLong, testing::Values("lift.toml", "prism.toml", "tee.toml"),
                         [](const auto& info) {
                           return std::string(info.param).substr(0, std::string(info.param).find('.'));
                         });

// A jaw that comes down on the block jams it: impulses that solve such a step to the tolerance leave velocities that
// are a hundred times as far apart. Which impulses the product's velocities follow from, the assessment has to find.
TEST(ValidateSpatialJamLong, EveryStepIsASolution) {
  const StepComparison steps = compare_steps(lift_case({22}), ValidateTolerances{}, Watch{});
  EXPECT_GE(steps.assessed, 360);
  EXPECT_EQ(steps.unexplained, 0);
  EXPECT_LT(steps.fast.residual_max, 1e-5);
}

// Where the jaws hold the lower part of the tee's stem an edge at the internal edge of stem and support sphere lies in
// 2D in which they meet. Whether the pair had contacts in the first pass hung on what the last solve had left, and on
// whether an edge was looked at that lies farther off than the jaws can come.
TEST(ValidateSpatialInternalEdgeLong, TrialsOfTheTeeEndAlike) {
  ValidateCase job = lift_case({}, "tee.toml");
  const Problem problem = load_problem(test::source_file("examples/lift/tee.toml"), {});
  for (const auto& [cell, sample] : {std::pair{5, 7}, {20, 2}, {107, 9}, {115, 8}})
    job.trials.push_back(one_trial(problem, cell, sample));
  const TrajectoryComparison all = compared(job);
  EXPECT_EQ(all.both_resolved, 4u);
  EXPECT_EQ(all.alike, 4u);
}

// Trials in which the product lost the part and the reference simulator did not: most of them held by two edges between
// jaws that they are yawed to, within both cones of friction, where overlaps grew step by step.
TEST(ValidateSpatialWedgeLong, TrialsOfTheTeeEndAlike) {
  struct Jammed {
    int seed, cell, sample;
  };
  for (const auto& [seed, cell, sample] :
       {Jammed{1, 21, 3}, {1, 108, 3}, {2, 100, 0}, {2, 19, 1}, {2, 100, 1}, {4, 12, 1}, {4, 12, 2}}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", cell " << cell << ", sample " << sample);
    const Problem problem =
        load_problem(test::source_file("examples/lift/tee.toml"), {{"map.seed", std::to_string(seed)}});
    ValidateCase job = lift_case({}, "tee.toml");
    job.trials = {one_trial(problem, cell, sample)};
    const TrajectoryComparison one = compared(job);
    EXPECT_EQ(one.both_resolved, 1u);
    EXPECT_EQ(one.alike, 1u);
    EXPECT_EQ(one.successes_fast, 1u);
  }
}

// A block that slides on a table; the product's rule asks for more than the reference simulator's, though every step of
// it is right.
TEST(ValidateSpatial, AWrongOutcomeIsFoundAndLookedInto) {
  SceneSpec scene = scenes::scene_3d("block");
  scene.bodies.push_back(scenes::fixed_cuboid("table", {1.0, 1.0, 0.1}, {0.0, 0.0, -0.1}, 0.3));
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  block.spatial().pose.position.z = 0.1;
  block.spatial().velocity.velocity.x = 0.5;
  block.friction = 0.3;
  scene.bodies.push_back(block);
  Predicate rule;
  rule.kind = PredicateKind::pose_within;
  rule.body = 1;
  rule.low = {0.01, -1.0, 0.0};
  rule.high = {1.0, 1.0, 0.0};
  scene.success = {rule};
  ValidateCase job;
  job.scene = scene;
  SceneSpec wrong = scene;
  wrong.success[0].low.x = 0.5;
  job.model = compile_model(wrong);
  job.spatial_scene = std::make_shared<const spatial::SpatialScene>(scene);
  StepOptions options;
  options.duration = 0.1;
  job.options = derive_options(options, scene);
  job.trials.assign(2, Trial{-1, -1, scene_parameters(scene)});
  const TrajectoryComparison all = compared(job);
  ASSERT_EQ(all.disagreements.size(), 2u);
  for (const Disagreement& d : all.disagreements) {
    EXPECT_EQ(d.fast.success, 0);
    EXPECT_EQ(d.other.success, 1);
    EXPECT_TRUE(d.every_step_allowed) << d.reason;
  }
  EXPECT_EQ(all.alike, 0u);
  EXPECT_FALSE(failures(all, ValidateTolerances{}, true).empty()) << "steps that are right excuse no outcome";
}

}  // namespace
}  // namespace pegrasp::reference
