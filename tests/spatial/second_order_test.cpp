// SPDX-License-Identifier: Apache-2.0
// Smooth motion in 3D is of second order in the step: slides and pendulums against closed forms; and a block does not
// creep on a turntable.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/integrate.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::standard_gravity;
using test::simulate;

TEST(SpatialSecondOrder, ASlideStopsWhereItShould) {
  for (const auto& [h, most] : {std::pair{0.01, 2e-4}, std::pair{0.005, 5e-5}}) {
    for (const double speed : {0.3, 1.3, 2.0}) {
      for (const double mu : {0.2, 0.5}) {
        SceneSpec scene = scenes::scene_3d("slide");
        scene.bodies.push_back(scenes::fixed_cuboid("floor", {3.0, 3.0, 0.1}, {0.0, 0.0, -0.1}, mu));
        BodySpec box = scenes::solid_body("box", scenes::cuboid(0.2, 0.2, 0.05), 1000.0);
        box.friction = mu;
        box.spatial().pose.position.z = 0.05;
        box.spatial().velocity.velocity = {0.6 * speed, 0.8 * speed, 0.0};
        scene.bodies.push_back(box);
        const double seconds = speed / (mu * standard_gravity);
        Simulation simulation = simulate(scene, h, seconds + 3.0 * h);
        simulation.run();
        const Vec3 at = simulation.spatial_pose(1).position;
        EXPECT_NEAR(std::hypot(at.x, at.y), 0.5 * speed * seconds, most) << mu << " " << h;
      }
    }
  }
}

// Error [m] of the end of a rod that is let go at 1.9 rad, after two seconds.
double pendulum_error(double h) {
  constexpr double angle = 1.9, half = 0.5 * test::rod_length;
  const SceneSpec scene = test::hanging_rod(angle, JointKind::revolute);
  Simulation simulation = simulate(scene, h, 2.0);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double inertia = (test::rod_length * test::rod_length + 0.01) / 12.0 + half * half;
  const auto pull = [&](double x) { return -standard_gravity * half / inertia * std::sin(x); };
  const test::Swing exact = test::integrate({angle, 0.0}, 2.0, pull);
  const Vec3 v = simulation.spatial_velocity(0).velocity;
  EXPECT_NEAR(std::hypot(v.x, v.z), half * std::fabs(exact.speed), 75.0 * h * h);
  const Vec3 at = simulation.spatial_pose(0).position;
  return std::hypot(at.x + half * std::sin(exact.angle), at.z + half * std::cos(exact.angle));
}

TEST(SpatialSecondOrder, ThePendulum) {
  const double coarse = pendulum_error(0.01);
  EXPECT_LT(coarse, 2e-3);
  EXPECT_LT(pendulum_error(0.0025), coarse / 14.0) << "two halvings";
}

// At half the speed at which it would fly off.
TEST(SpatialSecondOrder, ABlockDoesNotCreepOnATurntable) {
  constexpr double mu = 0.8, radius = 0.2, seconds = 2.0;
  const double turns = 0.5 * std::sqrt(mu * standard_gravity / radius);
  SceneSpec scene = scenes::scene_3d("turntable");
  BodySpec table = scenes::fixed_cuboid("table", {0.5, 0.5, 0.05}, {0.0, 0.0, -0.05}, mu);
  table.kind = BodyKind::kinematic;
  table.spatial().velocity.angular.z = turns;
  scene.bodies.push_back(table);
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.03, 0.03, 0.03), 1000.0);
  block.friction = mu;
  block.spatial().pose.position = {radius, 0.0, 0.03};
  block.spatial().velocity = {{0.0, radius * turns, 0.0}, {0.0, 0.0, turns}};
  scene.bodies.push_back(block);
  for (const double h : {0.01, 0.005}) {
    Simulation simulation = simulate(scene, h, seconds);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const Vec3 at = simulation.spatial_pose(1).position;
    EXPECT_NEAR(std::hypot(at.x, at.y), radius, 1e-6 * seconds) << h;
    const double ahead = std::remainder(std::atan2(at.y, at.x) - turns * simulation.time(), 2.0 * std::numbers::pi);
    EXPECT_NEAR(radius * ahead, 0.0, 1e-6 * seconds) << h;
    const Vec3 v = simulation.spatial_velocity(1).velocity;
    EXPECT_NEAR(std::hypot(v.x, v.y), radius * turns, 1e-5) << h;
  }
}

}  // namespace
}  // namespace pegrasp
