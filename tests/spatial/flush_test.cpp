// SPDX-License-Identifier: Apache-2.0
// Flush surfaces in 3D: the surface of one body goes on in that of another, and nothing that slides over it may notice.
// What is higher than the accepted overlap is a step, and stops what hits it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/scenes/tiles.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::brick_body;
using scenes::cube_on;
using scenes::square_tiles;
constexpr double half = scenes::slider_half;

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

class SpatialFlushSurfaces : public ::testing::TestWithParam<Strategy> {
 protected:
  Simulation run(const SceneSpec& scene, double h, double duration) const {
    StepOptions options;
    options.h = h;
    options.duration = duration;
    options.strategy = GetParam();
    Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    return simulation;
  }
};

TEST_P(SpatialFlushSurfaces, ABoxSlidesOverTilesUnchecked) {
  for (const double speed : {0.05, 0.3, 1.0, 3.0}) {
    for (const double gap : {0.0, 1e-9}) {
      for (const double yaw : {0.0, 0.4}) {
        const double h = 0.005;
        const double time = h * std::ceil(std::min(0.5, 0.06 / speed + 0.2) / h);
        Simulation simulation = run(cube_on(square_tiles(8, 2, gap), speed, 0.0, yaw), h, time);
        const SpatialTwist v = simulation.spatial_velocity(16);
        EXPECT_NEAR(v.velocity.x, speed, 1e-6) << "gap " << gap << ", yaw " << yaw;
        EXPECT_NEAR(v.velocity.y, 0.0, 1e-6);
        EXPECT_NEAR(simulation.spatial_pose(16).position.x, -0.04 + speed * time, 1e-6);
        EXPECT_NEAR(simulation.spatial_pose(16).position.z, half, 1e-7);
      }
    }
  }
}

TEST_P(SpatialFlushSurfaces, FrictionStopsABoxWhereItDoesOnOneSlab) {
  const double h = 0.005;
  for (const double speed : {0.3, 0.8}) {
    const double friction = 0.3;
    const double time = h * std::ceil(speed / (friction * 9.81) / h + 2.0);
    Simulation one = run(cube_on({brick_body({-1.0, -0.1, -0.04}, {1.0, 0.1, 0.0}, "slab")}, speed, friction), h, time);
    Simulation simulation = run(cube_on(square_tiles(8, 2), speed, friction), h, time);
    EXPECT_NEAR(simulation.spatial_pose(16).position.x, one.spatial_pose(1).position.x, 1e-6) << speed;
    EXPECT_NEAR(simulation.spatial_pose(16).position.y, 0.0, 1e-6) << speed;
    EXPECT_NEAR(simulation.spatial_velocity(16).velocity.x, 0.0, 1e-6) << speed;
  }
}

TEST_P(SpatialFlushSurfaces, TilesTurnedAsAWholeAreAsSmooth) {
  const Quaternion turn{0.8, 0.36, -0.48, 0.0};
  for (const double speed : {0.05, 3.0}) {
    SceneSpec scene = cube_on(square_tiles(8, 2), speed, 0.0);
    const auto rotated = [&turn](Vec3 v) {
      const Quaternion q = product(product(turn, {0.0, v.x, v.y, v.z}), {turn.w, -turn.x, -turn.y, -turn.z});
      return Vec3{q.x, q.y, q.z};
    };
    for (BodySpec& body : scene.bodies) {
      body.spatial().pose.position = rotated(body.spatial().pose.position);
      body.spatial().pose.turn = product(turn, body.spatial().pose.turn);
      body.spatial().velocity.velocity = rotated(body.spatial().velocity.velocity);
    }
    const Vec3 down = rotated({0.0, 0.0, -9.81});
    scene.gravity = {down.x, down.y};
    scene.gravity_z = down.z;
    Simulation simulation = run(scene, 0.005, speed > 1.0 ? 0.2 : 1.0);
    const Vec3 v = simulation.spatial_velocity(16).velocity;
    const Vec3 along = rotated({1.0, 0.0, 0.0});
    EXPECT_NEAR(v.x * along.x + v.y * along.y + v.z * along.z, speed, 1e-6);
    EXPECT_NEAR(std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z), speed, 1e-6);
  }
}

// At a step the lower edge of the cube stops, and the cube begins to turn about it: it keeps less than half its speed.
TEST_P(SpatialFlushSurfaces, AStepUpCatches) {
  for (const double speed : {0.05, 0.3, 1.0}) {
    SceneSpec scene = cube_on(square_tiles(8, 2, 0.0, 1e-4), speed, 0.0);
    Simulation up = run(scene, 0.005, 0.02 / speed + 0.02);
    EXPECT_LT(up.spatial_velocity(16).velocity.x, 0.5 * speed) << speed;
  }
}

TEST_P(SpatialFlushSurfaces, ASphereRollsOverTilesWithoutLoss) {
  SceneSpec scene = cube_on(square_tiles(8, 2), 0.5, 0.5);
  BodySpec& ball = scene.bodies.back();
  ball.spatial().parts = {make_sphere("ball", {0.0, 0.0, 0.0}, half)};
  ball.spatial().velocity = {{0.5, 0.0, 0.0}, {0.0, 0.5 / half, 0.0}};
  ball.spatial().pose.position.y = 0.013;
  Simulation simulation = run(scene, 0.005, 0.6);
  EXPECT_NEAR(simulation.spatial_velocity(16).velocity.x, 0.5, 1e-4);
  EXPECT_NEAR(simulation.spatial_pose(16).position.z, half, 1e-7);
  EXPECT_NEAR(simulation.spatial_velocity(16).velocity.z, 0.0, 1e-6);
}

TEST_P(SpatialFlushSurfaces, PlatesOfAConveyorCarryOn) {
  for (const double friction : {0.0, 0.4}) {
    const double speed = friction > 0.0 ? 0.2 : 0.5;
    SceneSpec scene = cube_on(square_tiles(6, 1), speed, friction);
    for (int i = 0; i < 6; ++i) {
      scene.bodies[static_cast<std::size_t>(i)].kind = BodyKind::kinematic;
      scene.bodies[static_cast<std::size_t>(i)].spatial().velocity.velocity = {0.2, 0.0, 0.0};
    }
    Simulation simulation = run(scene, 0.005, 0.4);
    EXPECT_NEAR(simulation.spatial_velocity(6).velocity.x, speed, 1e-6);
    EXPECT_NEAR(simulation.spatial_pose(6).position.x, -0.04 + 0.4 * speed, 1e-6);
    EXPECT_NEAR(simulation.spatial_pose(6).position.z, half, 1e-7);
  }
}

// Two blocks side by side on the floor, which nothing holds, and a box that slides over both.
TEST_P(SpatialFlushSurfaces, ABoxSlidesOverBlocksSideBySide) {
  for (const double speed : {0.3, 1.0}) {
    SceneSpec scene = cube_on({brick_body({-1.0, -1.0, -0.3}, {1.0, 1.0, -0.2}, "floor")}, speed, 0.0);
    const BodySpec box = scene.bodies.back();
    scene.bodies.pop_back();
    for (const double x : {-0.1, 0.1}) {
      BodySpec block = scenes::solid_body(x < 0.0 ? "left" : "right", scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
      block.spatial().pose.position = {x, 0.0, -0.1};
      block.friction = 0.0;
      scene.bodies.push_back(block);
    }
    scene.bodies.push_back(box);
    const double time = 0.005 * std::ceil(0.1 / speed / 0.005);
    Simulation simulation = run(scene, 0.005, time);
    EXPECT_NEAR(simulation.spatial_velocity(3).velocity.x, speed, 1e-6) << speed;
    EXPECT_NEAR(simulation.spatial_pose(3).position.z, half, 1e-6) << speed;
    EXPECT_NEAR(simulation.spatial_pose(1).position.x, -0.1, 1e-6) << speed;
    EXPECT_NEAR(simulation.spatial_pose(2).position.x, 0.1, 1e-6) << speed;
  }
}

// A wall that stands on the floor as a body of its own stops what hits it.
TEST_P(SpatialFlushSurfaces, AWallStillStopsWhatHitsIt) {
  for (const double yaw : {0.0, 0.4}) {
    SceneSpec scene = cube_on({brick_body({-0.5, -0.5, -0.1}, {0.5, 0.5, 0.0}, "floor"),
                               brick_body({0.0, -0.5, 0.0}, {0.1, 0.5, 0.3}, "wall")},
                              1.0, 0.0, yaw);
    Simulation simulation = run(scene, 0.005, 0.5);
    EXPECT_LT(simulation.spatial_pose(2).position.x, -half + 1e-6) << yaw;
    EXPECT_NEAR(simulation.spatial_pose(2).position.z, half, 1e-6) << yaw;
  }
}

// Parts of one body of different thickness: the side of the thicker one is covered in part.
TEST_P(SpatialFlushSurfaces, APartCoveredInPartIsNoSurfaceThere) {
  BodySpec floor = brick_body({-0.5, -0.1, -0.02}, {0.0, 0.1, 0.0}, "thin");
  floor.spatial().parts.push_back(scenes::brick("thick", {0.0, -0.1, -0.2}, {1.0, 0.1, 0.0}));
  Simulation simulation = run(cube_on({floor}, 0.3, 0.0), 0.005, 0.5);
  EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, 0.3, 1e-6);
  EXPECT_NEAR(simulation.spatial_pose(1).position.z, half, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Strategies, SpatialFlushSurfaces, ::testing::Values(Strategy::per_scene, Strategy::batched),
                         [](const auto& info) {
                           return std::string(info.param == Strategy::per_scene ? "PerScene" : "Batched");
                         });

}  // namespace
}  // namespace pegrasp
