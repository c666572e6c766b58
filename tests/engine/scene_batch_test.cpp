// SPDX-License-Identifier: Apache-2.0
// SceneBatch: what its setters write, that it runs what Backend::run() runs, and what it refuses.
#include <gtest/gtest.h>

#include <cstring>

#include "pegrasp/pegrasp.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/stack.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

SceneSpec ball_on_ground() {
  SceneSpec scene;
  scene.spatial = true;
  scene.gravity_z = -9.81;
  BodySpec ground;
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.form.emplace<SpatialBody>().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec ball;
  ball.name = "ball";
  ball.form.emplace<SpatialBody>();
  ball.spatial().inertia = {0.004, 0.004, 0.004};
  ball.spatial().parts = {make_sphere("ball", {0.0, 0.0, 0.0}, 0.1)};
  ball.spatial().pose.position = {0.0, 0.0, 0.1};
  scene.bodies = {ground, ball};
  return scene;
}

TEST(SceneBatch, RunsWhatTheBackendRuns) {
  const SceneSpec scene = scenes::stack(3, 0.5, 4);
  SceneBatch batch(scene, 5, {.duration = 1.0});
  for (std::size_t k = 0; k < batch.size(); ++k) batch.set_friction(k, 0.1 * static_cast<double>(k));
  const auto backend = make_backend(BackendKind::cpu, batch.arithmetic(), 1);
  ASSERT_TRUE(batch.run(*backend));
  for (std::size_t k = 0; k < batch.size(); ++k) {
    SceneSpec one = scene;
    for (BodySpec& body : one.bodies) body.friction = 0.1 * static_cast<double>(k);
    Simulation simulation = test::simulate(one, test::steps_of(0.005, 1.0));
    simulation.run();
    for (int b = 0; b < 4; ++b) {
      const Pose expected = simulation.pose(b), found = batch.pose(k, b);
      EXPECT_EQ(std::memcmp(&expected, &found, sizeof found), 0) << k << " " << b;
    }
    EXPECT_EQ(batch.outcome(k).iterations, simulation.outcome().iterations);
    Simulation again = batch.simulation(k);
    again.run();
    EXPECT_EQ(again.pose(3).x, batch.pose(k, 3).x);
    EXPECT_TRUE(batch.resolved(k));
  }
}

TEST(SceneBatch, SettersWriteTheirParameters) {
  SceneBatch batch(scenes::stack(3, 0.5, 3), 2);
  const ParameterLayout& layout = batch.layout();
  const auto at = [&](std::size_t variant, int index) {
    return batch.parameters(variant)[static_cast<std::size_t>(index)];
  };
  const int box = batch.body("box2");
  EXPECT_EQ(box, 2);
  const std::vector<double> before(batch.parameters(0).begin(), batch.parameters(0).end());
  batch.set_pose(1, box, Pose{0.25, 3.5, 0.125});
  batch.set_velocity(1, box, Twist{1.0, 2.0, 3.0});
  batch.set_friction(1, 2, 1, 0.75);
  const double inertia = at(1, layout.inertia(box));
  batch.set_mass(1, box, 20.0);
  EXPECT_EQ(at(1, layout.pose(box)), 0.25);
  EXPECT_EQ(at(1, layout.pose(box) + 2), 0.125);
  EXPECT_EQ(at(1, layout.velocity(box) + 1), 2.0);
  EXPECT_EQ(at(1, layout.friction(friction_slot(batch.scene(), 1, 2))), 0.75);
  EXPECT_EQ(at(1, layout.mass(box)), 20.0);
  EXPECT_EQ(at(1, layout.inertia(box)), 2.0 * inertia);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), batch.parameters(0).begin()))
      << "the other variant is untouched";
}

TEST(SceneBatch, PosesInThreeDimensions) {
  SceneBatch batch(ball_on_ground(), 2, {.duration = 0.1});
  batch.set_pose(1, 1, SpatialPose{{1.0, 2.0, 0.1}, {}});
  batch.set_velocity(1, 1, SpatialTwist{{1.0, 0.0, 0.0}, {}});
  ASSERT_TRUE(batch.run(BackendKind::cpu));
  EXPECT_NEAR(batch.spatial_pose(0, 1).position.x, 0.0, 1e-12);
  EXPECT_NEAR(batch.spatial_pose(1, 1).position.x, 1.1, 1e-9);
  EXPECT_NEAR(batch.spatial_pose(1, 1).position.y, 2.0, 1e-12);
  EXPECT_THROW(batch.pose(0, 1), std::logic_error);
  EXPECT_THROW(batch.set_pose(0, 1, Pose{}), std::logic_error);
}

TEST(SceneBatch, RefusesWhatDoesNotFit) {
  SceneBatch batch(scenes::stack(3, 0.5, 3), 2, {.duration = 0.05});
  EXPECT_THROW(batch.outcome(0), std::logic_error) << "nothing was run";
  EXPECT_THROW(batch.pose(0, 1), std::logic_error);
  EXPECT_THROW(batch.body("box9"), std::invalid_argument);
  EXPECT_THROW(batch.set_friction(2, 0.5), std::out_of_range);
  EXPECT_THROW(batch.set_pose(0, 3, Pose{}), std::out_of_range);
  EXPECT_THROW(batch.set_pose(0, -1, Pose{}), std::out_of_range);
  EXPECT_THROW(batch.set_friction(0, 1, 1, 0.5), std::invalid_argument) << "a body does not touch itself";
  EXPECT_THROW(batch.set_mass(0, 1, 0.0), std::invalid_argument);
  const auto fast = make_backend(BackendKind::cpu, Arithmetic::fast, 1);
  EXPECT_EQ(fast->arithmetic(), Arithmetic::fast);
  EXPECT_THROW(batch.run(*fast), std::invalid_argument);
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(batch.run(BackendKind::cpu, &stop));
  EXPECT_THROW(batch.outcome(0), std::logic_error) << "a run that was stopped has no results";
  ASSERT_TRUE(batch.run(BackendKind::cpu));
  EXPECT_THROW(batch.outcome(2), std::out_of_range);
  EXPECT_THROW(batch.spatial_pose(0, 1), std::logic_error);
}

TEST(SceneBatch, OptionsAreDerivedForItsArithmetic) {
  const SceneSpec scene = scenes::stack(3, 0.5, 3);
  const SceneBatch fast(scene, 1, {}, Arithmetic::fast);
  EXPECT_EQ(fast.options().tolerance, derive_options({}, scene, Arithmetic::fast).tolerance);
  EXPECT_EQ(fast.arithmetic(), Arithmetic::fast);
  EXPECT_THROW(SceneBatch({}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp
