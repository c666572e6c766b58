// SPDX-License-Identifier: Apache-2.0
// Limits and motors of joints against formulas: cylindrical joints along and about their axis, the plane, motors at
// their limits, and a mechanism whose motion is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pegrasp/scene_json.hpp"
#include "src/geometry/placement.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

ActuatorSpec motor(const std::string& name, ActuatorKind kind, bool rotary, double target, double limit) {
  ActuatorSpec actuator;
  actuator.name = name;
  actuator.joint = 0;
  actuator.kind = kind;
  actuator.rotary = rotary;
  actuator.target = target;
  actuator.limit = limit;
  return actuator;
}

// Turned and pushed at once: force over mass and torque over inertia, each until its stop, where it is held.
TEST(JointLimits, OfACylindricalJointWithTwoMotors) {
  SceneSpec scene = scenes::scene_3d("pole");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(scenes::solid_body("ring", scenes::cuboid(0.2, 0.2, 0.05), 1000.0));
  scene.joints.push_back(make_joint(scene, "pole", JointKind::cylindrical, -1, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  scene.joints[0].slide = JointRange{-0.3, 0.1};
  scene.joints[0].turn = JointRange{-1.0, 2.0};
  constexpr double force = 4.0, torque = 0.2;
  scene.actuators = {motor("push", ActuatorKind::velocity_servo, false, -1.0, force),
                     motor("spin", ActuatorKind::velocity_servo, true, 3.0, torque)};
  constexpr double h = 0.01;
  Simulation simulation = test::simulate(scene, h, 4.0);
  const BodySpec& ring = scene.bodies[0];
  double apart = 0.0;
  while (simulation.step()) {
    const double t = simulation.time();
    apart = std::max(apart, simulation.joint_apart(0));
    EXPECT_GE(simulation.joint_slide(0), -0.3 - 1e-6);
    EXPECT_LE(simulation.joint_turn(0), 2.0 + 1e-6);
    if (t > 0.3) continue;  // neither has come to its speed or its stop
    EXPECT_NEAR(simulation.joint_slide(0), -0.5 * force / ring.mass * t * t, 1e-7);
    EXPECT_NEAR(simulation.joint_turn(0), 0.5 * torque / ring.spatial().inertia.zz * t * t, 1e-7);
  }
  EXPECT_NEAR(simulation.joint_slide(0), -0.3, 1e-6);
  EXPECT_NEAR(simulation.joint_turn(0), 2.0, 1e-6);
  EXPECT_LT(apart, 1e-7);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A rod leans over until the cone of its ball joint stops it, whichever way, and rests there; what it spins about
// itself is its own.
TEST(JointLimits, OfABallJoint) {
  constexpr double h = 0.005;
  for (const double swing : {0.02, 0.5, 2.0, 2.9}) {
    for (int k = 0; k < 8; ++k) {
      const double heading = 0.3 + 0.25 * 3.14159265358979323846 * k;
      SCOPED_TRACE(swing);
      SCOPED_TRACE(heading);
      const SceneSpec scene = test::leaning_rod(swing, heading, 0.0);
      Simulation rod = test::simulate(scene, h, 3.0);
      double most = 0.0, apart = 0.0;
      while (rod.step()) {
        most = std::max(most, rod.joint_turn(0));
        apart = std::max(apart, rod.joint_apart(0));
      }
      EXPECT_LT(most, swing + 1e-5);
      EXPECT_LT(apart, 7e-5);
      EXPECT_EQ(rod.outcome().status, status_ok);
      const Vec3 middle = rod.spatial_pose(0).position;
      if (swing < 2.0) {  // wider cones let it hang lower, where it swings past the vertical
        EXPECT_NEAR(rod.joint_turn(0), swing, 1e-5);
        EXPECT_NEAR(middle.x, 0.5 * test::rod_length * std::sin(swing) * std::cos(heading), 1e-4);
        EXPECT_NEAR(middle.y, 0.5 * test::rod_length * std::sin(swing) * std::sin(heading), 1e-4);
      }
    }
  }
  Simulation spinning = test::simulate(test::leaning_rod(0.5, 1.0, 20.0), h, 3.0);
  while (spinning.step()) ASSERT_LT(spinning.joint_turn(0), 0.5 + 1e-5);
  EXPECT_EQ(spinning.outcome().status, status_ok);
}

// Round the cone, pressed to it by its own inertia: as fast as ever, without friction.
TEST(JointLimits, ARodCirclesInItsCone) {
  constexpr double speed = 4.0, h = 0.005, swing = 0.6;
  const SceneSpec scene = test::circling_rod(swing, speed);
  Simulation rod = test::simulate(scene, h, 5.0);
  double least = 4.0, most = 0.0;
  while (rod.step()) {
    least = std::min(least, rod.joint_turn(0));
    most = std::max(most, rod.joint_turn(0));
  }
  EXPECT_GT(least, swing - 1e-5);
  EXPECT_LT(most, swing + 1e-5);
  const SpatialTwist v = rod.spatial_velocity(0);
  EXPECT_NEAR(std::hypot(v.velocity.x, v.velocity.y), 0.5 * test::rod_length * std::sin(swing) * speed, 1e-4);
  EXPECT_EQ(rod.outcome().status, status_ok);
}

// A narrow cone that a step takes the rod across: it is stopped at the other side, and nothing pushes it on.
TEST(JointLimits, ARodIsThrownAcrossItsCone) {
  for (const double swing : {0.02, 0.3}) {
    for (const double speed : {2.0, 8.0, 12.0, 20.0}) {
      SCOPED_TRACE(swing);
      SCOPED_TRACE(speed);
      const SceneSpec scene = test::crossing_rod(swing, speed);
      Simulation rod = test::simulate(scene, 0.005, 1.0);
      ASSERT_TRUE(rod.step());
      EXPECT_LE(rod.outcome().solves, 5) << "each pass asks for more";
      while (rod.step()) {
        ASSERT_LT(rod.joint_turn(0), swing + 1e-5);
        ASSERT_LT(length(rod.spatial_velocity(0).angular), 1.01 * speed);
      }
      EXPECT_NEAR(rod.joint_turn(0), swing, 1e-5);
      EXPECT_NEAR(rod.spatial_pose(0).position.x, -0.5 * test::rod_length * std::sin(swing), 1e-4);
      EXPECT_EQ(rod.outcome().status, status_ok);
      EXPECT_EQ(rod.outcome().substeps_rejected, 0);
    }
  }
}

// Two bodies on one ball joint, neither of them held: the limit stops them against each other, and their momenta stay.
TEST(JointLimits, OfABallJointBetweenTwoFreeBodies) {
  SceneSpec scene = test::crossing_rod(0.5, 0.0);
  BodySpec other = scene.bodies[0];
  other.name = "other";
  other.spatial().pose = {{0.0, 0.0, -0.5 * test::rod_length}, {}};
  other.spatial().velocity = {};
  scene.bodies.push_back(other);
  scene.joints.clear();
  scene.bodies[0].spatial().pose = {{0.0, 0.0, 0.5 * test::rod_length}, {}};
  scene.bodies[0].spatial().velocity = {{0.25 * 2.0, -0.25 * 1.0, 0.0}, {1.0, 2.0, 3.0}};
  scene.joints.push_back(make_joint(scene, "ball", JointKind::spherical, 0, 1, {0.0, 0.0, 0.0}, {0.0, 0.0, -1.0}));
  scene.joints[0].swing = 0.5;
  Simulation pair = test::simulate(scene, 0.005, 2.0);
  const double mass = scene.bodies[0].mass;
  double most = 0.0;
  while (pair.step()) most = std::max(most, pair.joint_turn(0));
  EXPECT_NEAR(most, 0.5, 1e-5);
  const Vec3 a = pair.spatial_velocity(0).velocity;
  const Vec3 b = pair.spatial_velocity(1).velocity;
  EXPECT_NEAR(mass * (a.x + b.x), mass * 0.5, 1e-9);
  EXPECT_NEAR(mass * (a.y + b.y), mass * -0.25, 1e-9);
  EXPECT_NEAR(mass * (a.z + b.z), 0.0, 1e-9);
  EXPECT_EQ(pair.outcome().status, status_ok);
}

TEST(JointLimits, In2D) {
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  scene.bodies = {scenes::box_body("sled", 0.2, 0.1, 1.0)};
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.0}, {0.0, -1.0, 0.0}));
  scene.joints[0].slide = JointRange{-0.1, 0.25};
  constexpr double h = 0.01;
  Simulation sled = test::simulate(scene, test::steps_of(h, 1.0));
  while (sled.step()) {
    const double t = sled.time();
    EXPECT_NEAR(sled.joint_slide(0), std::min(0.25, 0.5 * scenes::standard_gravity * t * t), 1e-6) << t;
  }
  EXPECT_EQ(sled.outcome().status, status_ok);

  SceneSpec swing = test::planar_rod(1.0);
  swing.joints[0].turn = JointRange{-0.4, 0.4};  // from where it starts; hanging straight would be 1
  Simulation rod = test::simulate(swing, test::steps_of(h, 3.0));
  while (rod.step()) EXPECT_LE(std::fabs(rod.joint_turn(0)), 0.4 + 1e-5);
  EXPECT_NEAR(std::fabs(rod.joint_turn(0)), 0.4, 1e-5);
  EXPECT_EQ(rod.outcome().status, status_ok);
}

// A PD servo that is far from its target gives what it can and no more; near it, it holds with the sag of a spring.
TEST(JointMotor, PositionServoAtItsLimit) {
  for (const bool spatial : {false, true}) {
    SCOPED_TRACE(spatial ? "space" : "plane");
    SceneSpec scene = spatial ? scenes::scene_3d("lift") : SceneSpec{};
    scene.gravity = {0.0, spatial ? 0.0 : -scenes::standard_gravity};
    BodySpec load = spatial ? scenes::solid_body("load", scenes::cuboid(0.1, 0.1, 0.1), 250.0)
                            : scenes::box_body("load", 0.2, 0.2, 2.0);
    scene.bodies = {load};
    const Vec3 up = spatial ? Vec3{0.0, 0.0, 1.0} : Vec3{0.0, 1.0, 0.0};
    scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.0}, up));
    const double weight = load.mass * scenes::standard_gravity;
    scene.actuators = {motor("lift", ActuatorKind::position_servo, false, 0.5, weight + 0.5 * load.mass)};
    scene.actuators[0].stiffness = 1000.0;
    scene.actuators[0].damping = 200.0;
    constexpr double h = 0.01;
    Simulation simulation = spatial ? test::simulate(scene, h, 6.0) : test::simulate(scene, test::steps_of(h, 6.0));
    while (simulation.step()) {
      const double t = simulation.time();
      if (t > 1.0) continue;
      EXPECT_NEAR(simulation.joint_slide(0), 0.25 * t * t, 1e-6) << t;
    }
    EXPECT_NEAR(simulation.joint_slide(0), 0.5 - weight / 1000.0, 1e-5);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// examples/scenes/slider_crank.json: the slider is where the crank's angle says, and nothing comes apart.
TEST(JointMotor, SliderCrank) {
  const SceneFile file = load_scene_json(test::source_file("examples/scenes/slider_crank.json"));
  constexpr double crank = 0.1, rod = 0.3;
  for (const double h : {0.001, 0.005, 0.01}) {
    SCOPED_TRACE(h);
    Simulation simulation = test::simulate(file.scene, test::steps_of(h, file.t_end));
    double apart = 0.0, off = 0.0;
    while (simulation.step()) {
      for (int k = 0; k < 4; ++k) apart = std::max(apart, simulation.joint_apart(k));
      const double turn = simulation.joint_turn(0);
      const double across = crank * std::sin(turn);
      const double slider = crank * std::cos(turn) + std::sqrt(rod * rod - across * across);
      off = std::max(off, std::fabs(simulation.pose(2).x - slider));
    }
    EXPECT_NEAR(simulation.joint_turn(0), 6.283185307179586 * file.t_end, 0.07);  // the first step starts it
    EXPECT_LT(apart, 7e-5);
    EXPECT_LT(off, 1e-4);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp
