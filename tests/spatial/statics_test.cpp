// SPDX-License-Identifier: Apache-2.0
// Friction and balance in 3D against closed formulas: a box on an incline sticks, slides or tips over; a pinched cube
// stays, or slips as it must; structures of blocks stand above their friction limits and fall below.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

constexpr double g = 10.0;  // [m/s^2]

double length(Vec3 v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// Gravity leans by `angle` towards `heading` instead of the plane.
SceneSpec tilted(double angle, double heading, double friction) {
  SceneSpec scene = scenes::scene_3d("incline");
  scene.gravity = {g * std::sin(angle) * std::cos(heading), g * std::sin(angle) * std::sin(heading)};
  scene.gravity_z = -g * std::cos(angle);
  scene.bodies.push_back(scenes::fixed_cuboid("plane", {50.0, 50.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  return scene;
}

BodySpec block(Vec3 half, Vec3 at, double yaw, double friction, double density = 100.0) {
  BodySpec body = scenes::solid_body("block", scenes::cuboid(half.x, half.y, half.z), density);
  body.spatial().pose.position = at;
  body.spatial().pose.turn = {std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)};
  body.friction = friction;
  return body;
}

constexpr double all_steps[] = {0.001, 0.002, 0.004, 0.008, 0.016};

// However the box is turned about the normal, and whichever way the slope goes.
TEST(SpatialIncline, ABoxSticksOrSlides) {
  constexpr double mu = 0.3;
  for (const double h : all_steps) {
    for (const double angle : {0.9 * std::atan(mu), 1.1 * std::atan(mu), 0.6}) {
      for (const double yaw : {0.0, 0.4}) {
        SCOPED_TRACE(testing::Message() << "h " << h << ", angle " << angle << ", yaw " << yaw);
        SceneSpec scene = tilted(angle, 0.7, mu);
        scene.bodies.push_back(block({0.2, 0.2, 0.05}, {0.0, 0.0, 0.05}, yaw, mu));
        Simulation simulation = simulate(scene, h, 0.8);
        simulation.run();
        EXPECT_EQ(simulation.outcome().status, status_ok);
        const SpatialTwist v = simulation.spatial_velocity(1);
        const double speed = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle))) * 0.8;
        EXPECT_NEAR(v.velocity.x, speed * std::cos(0.7), 1e-4 * (1.0 + speed));
        EXPECT_NEAR(v.velocity.y, speed * std::sin(0.7), 1e-4 * (1.0 + speed));
        EXPECT_NEAR(v.velocity.z, 0.0, 1e-5);
        EXPECT_LT(length(v.angular), 1e-4);
      }
    }
  }
}

// A narrow one with grip enough tips about its lower edge where tan a > width / height, and not before; as a rod about
// that edge, as long as it is near.
TEST(SpatialIncline, ANarrowBoxTipsOver) {
  constexpr double mu = 2.0;
  const Vec3 half{0.05, 0.1, 0.2};
  const double limit = std::atan(half.x / half.z);
  for (const double h : all_steps) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    for (const double angle : {0.97 * limit, 1.03 * limit}) {
      SceneSpec scene = tilted(angle, 0.0, mu);
      scene.bodies.push_back(block(half, {0.0, 0.0, half.z}, 0.0, mu));
      Simulation simulation = simulate(scene, h, 3.0);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Vec3 x = simulation.spatial_pose(1).position;
      if (angle < limit) {
        EXPECT_NEAR(x.z, half.z, 1e-6);
        EXPECT_NEAR(x.x, 0.0, 1e-5);
        EXPECT_LT(length(simulation.spatial_velocity(1).velocity), 1e-6);
      } else {  // it lies on its side, and has not slid up or aside
        EXPECT_NEAR(x.z, half.x, 1e-4);
        EXPECT_GT(x.x, half.x);
        EXPECT_NEAR(x.y, 0.0, 1e-4);
      }
    }
    // The angular acceleration of the fall begins as m g (z sin a - x cos a) / I about the edge.
    const double angle = 0.6;
    SceneSpec scene = tilted(angle, 0.0, mu);
    scene.bodies.push_back(block(half, {0.0, 0.0, half.z}, 0.0, mu));
    Simulation simulation = simulate(scene, h, 0.064);
    simulation.run();
    const double inertia = (half.x * half.x + half.z * half.z) * (1.0 / 3.0 + 1.0);
    const double expected = g * (half.z * std::sin(angle) - half.x * std::cos(angle)) / inertia * 0.064;
    EXPECT_NEAR(simulation.spatial_velocity(1).angular.y, expected, (0.02 + 5.0 * h) * expected);
  }
}

// A cube in the air between a wall and a jaw on a rail, which presses so that friction could bear `times` the cube's
// weight.
SceneSpec pinched(double times, double yaw) {
  constexpr double mu = 0.8;
  SceneSpec scene = scenes::scene_3d("pinch");
  scene.gravity_z = -g;
  scene.bodies.push_back(scenes::fixed_cuboid("wall", {0.5, 1.0, 1.0}, {-0.6, 0.0, 0.0}, mu));
  scene.bodies.push_back(block({0.1, 0.1, 0.1}, {}, yaw, mu, 1000.0));
  scene.bodies.push_back(block({0.05, 0.2, 0.2}, {0.15, 0.0, 0.0}, 0.0, mu, 1000.0));
  scene.bodies[2].name = "jaw";
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 2, {0.2, 0.0, 0.0}, {1.0, 0.0, 0.0}));
  ActuatorSpec push;
  push.name = "push";
  push.joint = 0;
  push.kind = ActuatorKind::force;
  push.target = -times * scene.bodies[1].mass * g / (2.0 * mu);
  scene.actuators.push_back(push);
  return scene;
}

TEST(SpatialPinch, WhatIsHeldDoesNotCreep) {
  for (const double h : all_steps) {
    for (const double times : {1.05, 20.0}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", " << times << " times the friction needed");
      Simulation simulation = simulate(pinched(times, 0.0), h, 2.0);
      while (simulation.time() < 0.5) simulation.step();
      const Vec3 from = simulation.spatial_pose(1).position;
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Vec3 to = simulation.spatial_pose(1).position;
      EXPECT_LT(length({to.x - from.x, to.y - from.y, to.z - from.z}), 1e-6 * 1.5);  // 1e-6 m/s
      EXPECT_LT(length(simulation.spatial_velocity(1).velocity), 1e-6);
      EXPECT_NEAR(to.z, 0.0, 1e-5);
    }
  }
}

// Held by two of its edges, within both cones of friction: nothing lets it part from what it overlaps. Load sharing are
// on, as in problems.
TEST(SpatialPinch, WhatIsJammedByItsEdgesStays) {
  for (const double h : {0.002, 0.005, 0.01}) {
    for (const double yaw : {0.2, 0.25, 0.3, 0.35}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", yaw " << yaw);
      SceneSpec scene = pinched(20.0, yaw);
      const double reach = 0.1 * (std::cos(yaw) + std::sin(yaw)) - 0.1;
      scene.bodies[0].spatial().pose.position.x -= reach;
      scene.bodies[2].spatial().pose.position.x += reach;
      StepOptions options;
      options.h = h;
      options.duration = 4.0;
      options.load_sharing = true;
      const std::vector<double> parameters = scene_parameters(scene);
      Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
      while (simulation.time() < 0.5) simulation.step();
      const SpatialPose from = simulation.spatial_pose(1);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const SpatialPose to = simulation.spatial_pose(1);
      const Vec3 moved{to.position.x - from.position.x, to.position.y - from.position.y,
                       to.position.z - from.position.z};
      const Vec3 turned{to.turn.x - from.turn.x, to.turn.y - from.turn.y, to.turn.z - from.turn.z};
      EXPECT_LT(length(moved), 1e-6 * 3.5);  // 1e-6 m/s
      EXPECT_LT(length(turned), 1e-5);
    }
  }
}

TEST(SpatialPinch, WhatIsHeldTooLooselySlips) {
  for (const double h : all_steps) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    Simulation simulation = simulate(pinched(0.8, 0.0), h, 0.08);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_velocity(1).velocity.z, -0.2 * g * 0.08, 1e-4);
  }
}

// Friction acts below the centre of mass; a cube with mu < 1 does not tip, and nothing else may lift it. Turning about
// the normal it slows down in both.
TEST(SpatialSlide, ACubeThrownAlongAPlaneStaysOnIt) {
  for (const double h : all_steps) {
    for (const double spin : {0.0, 8.0}) {
      for (const double mu : {0.0, 0.5}) {
        SCOPED_TRACE(testing::Message() << "h " << h << ", spin " << spin << ", mu " << mu);
        SceneSpec scene = tilted(0.0, 0.0, mu);
        scene.bodies.push_back(block({0.1, 0.1, 0.1}, {0.0, 0.0, 0.1}, 0.3, mu));
        scene.bodies[1].spatial().velocity = {{4.0, 1.0, 0.0}, {0.0, 0.0, spin}};
        Simulation simulation = simulate(scene, h, 1.6);
        double high = 0.0, lean = 0.0;
        while (simulation.step()) {
          const SpatialPose at = simulation.spatial_pose(1);
          high = std::max(high, std::fabs(at.position.z - 0.1));
          lean = std::max(lean, std::hypot(at.turn.x, at.turn.y));
        }
        EXPECT_EQ(simulation.outcome().status, status_ok);
        EXPECT_LT(high, 1e-6);
        EXPECT_LT(lean, 1e-5);
        const SpatialTwist v = simulation.spatial_velocity(1);
        if (mu > 0.0) {
          EXPECT_LT(length(v.velocity) + length(v.angular), 1e-5);
        } else {
          EXPECT_NEAR(v.velocity.x, 4.0, 1e-9);
          EXPECT_NEAR(v.angular.z, spin, 1e-9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp
