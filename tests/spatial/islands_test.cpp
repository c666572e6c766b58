// SPDX-License-Identifier: Apache-2.0
// Islands: bodies that cannot touch within a step, nor are coupled, know nothing of each other, not even of each
// other's rejected steps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "src/metrics/spatial_overlap.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/heaps.hpp"

namespace pegrasp {
namespace {

bool same_bits(const SpatialPose& a, const SpatialPose& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// On both strategies.
class Islands : public testing::TestWithParam<Strategy> {
 protected:
  static Simulation simulate(const SceneSpec& scene, double h, double duration, bool islands = true) {
    StepOptions options = test::steps_of(h, duration);
    options.islands = islands;
    options.strategy = GetParam();
    if (options.strategy == Strategy::batched) {
      options.solver = SolverKind::aj;
      options.max_iterations = 100'000;
    }
    return test::simulate(scene, options);
  }
  static Simulation simulate_as_one(const SceneSpec& scene, double h, double duration) {
    return simulate(scene, h, duration, false);
  }
};
INSTANTIATE_TEST_SUITE_P(Strategies, Islands, testing::Values(Strategy::per_scene, Strategy::batched),
                         [](const auto& info) { return info.param == Strategy::per_scene ? "per_scene" : "batched"; });

Vec3 momentum(const SceneSpec& scene, const Simulation& simulation) {
  Vec3 sum{};
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    const Vec3 v = simulation.spatial_velocity(static_cast<int>(b)).velocity;
    const double m = scene.bodies[b].mass;
    sum = {sum.x + m * v.x, sum.y + m * v.y, sum.z + m * v.z};
  }
  return sum;
}

// The calm heap's bodies in scenes with and without the violent one, which comes first, step by step.
TEST_P(Islands, ARejectedStepDoesNotShowInAnother) {
  const SceneSpec both = scenes::two_heaps();
  SceneSpec alone = scenes::scene_3d("alone");
  scenes::add_heap(alone, "calm", {0.0, 0.0, 0.0}, false);
  const std::size_t first = both.bodies.size() - alone.bodies.size();
  Simulation together = simulate(both, 0.016, 1.0);
  Simulation apart = simulate(alone, 0.016, 1.0);
  int step = 0;
  for (; apart.step(); ++step) {
    ASSERT_TRUE(together.step());
    for (std::size_t i = 0; i < alone.bodies.size(); ++i) {
      ASSERT_TRUE(
          same_bits(together.spatial_pose(static_cast<int>(first + i)), apart.spatial_pose(static_cast<int>(i))))
          << "step " << step << ", " << alone.bodies[i].name;
    }
  }
  EXPECT_GT(step, 60);
  EXPECT_GT(together.outcome().substeps_rejected, apart.outcome().substeps_rejected);
  EXPECT_GT(apart.outcome().contacts_max, 2);
  // three bodies of six were halved each time: half the share that it would be of one island
  const double rejected = static_cast<double>(together.outcome().substeps_rejected);
  EXPECT_GT(together.rejected_share(), 0.0);
  EXPECT_LT(together.rejected_share(), 0.6 * rejected / (together.outcome().steps + rejected));
}

// What comes into another's reach within the step begins it anew with it: as if all had been one from the start, on the
// per-scene strategy to the bit; on the batched strategy its solves start from the impulses that the first try has
// left.
TEST_P(Islands, ThatMeetWithinAStepBecomeOne) {
  const SceneSpec scene = scenes::row_of_cubes();
  Simulation islands = simulate(scene, 0.016, 0.5);
  Simulation one = simulate_as_one(scene, 0.016, 0.5);
  const SpatialOverlap overlap(scene);
  const Vec3 before = momentum(scene, islands);
  std::vector<SpatialPose> poses(scene.bodies.size());
  const std::vector<bool> present(scene.bodies.size(), true);
  ASSERT_TRUE(islands.step());
  ASSERT_TRUE(one.step());
  EXPECT_GT(islands.spatial_velocity(2).velocity.x, 1.0) << "the third was to be reached in the first step";
  do {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      poses[b] = islands.spatial_pose(static_cast<int>(b));
      const SpatialPose other = one.spatial_pose(static_cast<int>(b));
      if (GetParam() == Strategy::per_scene) {
        ASSERT_TRUE(same_bits(poses[b], other)) << scene.bodies[b].name;
      } else {
        ASSERT_NEAR(poses[b].position.x, other.position.x, 1e-7) << scene.bodies[b].name;
      }
    }
    EXPECT_LT(overlap.total(poses, present), 1e-6 * overlap.dynamic_volume());
    const Vec3 now = momentum(scene, islands);
    EXPECT_NEAR(now.x, before.x, 1e-10 * before.x);
    EXPECT_NEAR(now.y, before.y, 1e-10 * before.x);
    EXPECT_NEAR(now.z, before.z, 1e-10 * before.x);
  } while (islands.step() && one.step() && islands.time() < 0.04);  // later they part, and are islands
}

// A joint holds bodies together that are nowhere near each other.
TEST_P(Islands, JointsCouple) {
  SceneSpec scene = scenes::scene_3d("dumb-bell");
  scene.gravity_z = 0.0;
  for (int i = 0; i < 2; ++i) {
    BodySpec body = scenes::solid_body("cube" + std::to_string(i), scenes::cuboid(0.1, 0.1, 0.1), 100.0);
    body.spatial().pose.position = {0.0, 5.0 * i, 0.0};
    scene.bodies.push_back(body);
  }
  scene.bodies[1].spatial().velocity.velocity = {1.0, 0.0, 0.0};
  scene.joints.push_back(make_joint(scene, "link", JointKind::fixed, 0, 1, {0.0, 2.5, 0.0}, {0.0, 0.0, 1.0}));
  Simulation simulation = simulate(scene, 0.004, 1.0);
  const Vec3 before = momentum(scene, simulation);
  while (simulation.step()) {
    const Vec3 now = momentum(scene, simulation);
    ASSERT_NEAR(now.x, before.x, 1e-9);
    ASSERT_NEAR(now.y, before.y, 1e-9);
    ASSERT_LT(simulation.joint_apart(0), 1e-5);
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  // half of the speed for both, and a turn of 0.2 rad about the middle: 2.5 m (1 - cos 0.2)
  EXPECT_NEAR(simulation.spatial_pose(0).position.y, 0.05, 0.002) << "the first was to be drawn along";
}

// All islands see a kinematic body where it is at their own substeps; at the end of a step it is where it must be.
TEST_P(Islands, ShareAKinematicFloor) {
  SceneSpec scene = scenes::two_heaps();
  const double speed = 0.5;
  for (BodySpec& body : scene.bodies) {
    if (body.kind != BodyKind::fixed) continue;
    body.kind = BodyKind::kinematic;
    body.spatial().velocity.velocity = {0.0, 0.0, speed};
  }
  Simulation simulation = simulate(scene, 0.016, 0.8);
  while (simulation.step()) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].kind != BodyKind::kinematic) continue;
      const double z = scene.bodies[b].spatial().pose.position.z + speed * simulation.time();
      ASSERT_NEAR(simulation.spatial_pose(static_cast<int>(b)).position.z, z, 1e-12);
    }
  }
  EXPECT_GT(simulation.outcome().substeps_rejected, 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind == BodyKind::dynamic) {
      EXPECT_GT(simulation.spatial_pose(static_cast<int>(b)).position.z, speed * simulation.time());
    }
  }
}

// One island for all, where that is asked for.
TEST_P(Islands, CanBeLeftOut) {
  const SceneSpec scene = scenes::two_heaps();
  Simulation one = simulate_as_one(scene, 0.016, 0.5);
  one.run();
  EXPECT_EQ(one.outcome().unresolved_steps, 0);
  const SceneOutcome outcome = one.outcome();
  const double attempts = static_cast<double>(outcome.substeps) + outcome.substeps_rejected;
  EXPECT_DOUBLE_EQ(one.rejected_share(), outcome.substeps_rejected / attempts);
}

// A box at rest, and far away a cart that a servo brakes: the servo's row, and its work, are those of the cart's
// island.
TEST_P(Islands, MotorsOfBodiesAreTheirIslandsOwn) {
  SceneSpec scene = scenes::scene_3d("brake");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {1.0, 1.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
  scene.bodies.push_back(scenes::solid_body("box", scenes::cuboid(0.1, 0.1, 0.1), 100.0));
  scene.bodies[1].spatial().pose.position.z = 0.1;
  BodySpec cart = scenes::solid_body("cart", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  cart.slide_axis = Vec2{1.0, 0.0};
  cart.spatial().pose.position = {20.0, 0.0, 0.0};
  cart.spatial().velocity.velocity.x = 5.0;
  scene.bodies.push_back(cart);
  ActuatorSpec brake;
  brake.name = "brake";
  brake.body = 2;
  brake.kind = ActuatorKind::velocity_servo;
  brake.limit = 2.0;
  scene.actuators.push_back(brake);
  Simulation apart = simulate(scene, 0.01, 1.0);
  apart.run();
  Simulation one = simulate_as_one(scene, 0.01, 1.0);
  one.run();
  EXPECT_EQ(apart.outcome().status, status_ok);
  EXPECT_EQ(apart.outcome().substeps_rejected, 0);
  EXPECT_NEAR(apart.spatial_velocity(2).velocity.x, 5.0 - 2.0 / scene.bodies[2].mass, 1e-9);
  EXPECT_EQ(one.outcome().status, status_ok);
}

// A halved step of an island whose motor drives a body directly, in a scene without joints.
TEST_P(Islands, HalvedStepsKeepTheImpulsesOfMotors) {
  SceneSpec scene = scenes::two_heaps();
  BodySpec cart = scenes::solid_body("cart", scenes::cuboid(0.05, 0.05, 0.05), 100.0);
  cart.slide_axis = Vec2{1.0, 0.0};
  cart.spatial().pose.position = {0.0, 0.0, 40.0};
  scene.bodies.push_back(cart);
  ActuatorSpec drive;
  drive.name = "drive";
  drive.body = static_cast<int>(scene.bodies.size()) - 1;
  drive.kind = ActuatorKind::velocity_servo;
  drive.target = 0.1;
  drive.limit = 100.0;
  scene.actuators.push_back(drive);
  Simulation simulation = simulate(scene, 0.016, 0.5);
  simulation.run();
  EXPECT_GT(simulation.outcome().substeps_rejected, 0);
  EXPECT_NEAR(simulation.spatial_velocity(drive.body).velocity.x, 0.1, 1e-6);
}

}  // namespace
}  // namespace pegrasp
