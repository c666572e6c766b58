// SPDX-License-Identifier: Apache-2.0
// Joints between bodies of very unlike masses: a gram between tons, a wrist of a gram under a heavy hand, fingers of a
// gram.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

enum class Start { hung, thrown };

// Bars in a row along x, joined end to end by axes that alternate; hung from the world, or free with parts that begin
// at odds.
SceneSpec bars(const std::vector<double>& masses, JointKind kind, Start start) {
  constexpr double half = 0.25;
  SceneSpec scene = scenes::scene_3d("bars");
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const double x = 2.0 * half * static_cast<double>(k);
    const double volume = 8.0 * half * 0.05 * 0.05;
    BodySpec bar = scenes::solid_body("bar" + std::to_string(k), scenes::cuboid(half, 0.05, 0.05), masses[k] / volume);
    bar.spatial().pose.position = {x + half, 0.0, 0.0};
    scene.bodies.push_back(bar);
    if (k == 0 && start == Start::thrown) continue;
    const Vec3 axis = k % 2 == 0 ? Vec3{0.0, 1.0, 0.0} : Vec3{0.0, 0.0, 1.0};
    scene.joints.push_back(make_joint(scene, "joint" + std::to_string(k), kind, static_cast<int>(k) - 1,
                                      static_cast<int>(k), {x, 0.0, 0.0}, axis));
  }
  if (start == Start::thrown) {
    scene.bodies[0].spatial().velocity.angular = {0.3, 0.5, -0.2};
    scene.bodies[1].spatial().velocity.velocity = {0.1, 0.2, -0.3};
  }
  return scene;
}

void expect_held(const SceneSpec& scene, double h, const std::string& what, double most_apart = 1e-6) {
  Simulation simulation = simulate(scene, h, 1.0);
  double apart = 0.0;
  while (simulation.step()) {
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      apart = std::max(apart, simulation.joint_apart(static_cast<int>(j)));
    }
  }
  EXPECT_EQ(simulation.outcome().status, status_ok) << what;
  EXPECT_LT(apart, most_apart) << what;
  EXPECT_LT(simulation.outcome().iterations, 12 * simulation.outcome().solves) << what;
}

class UnlikeMasses : public testing::TestWithParam<double> {};

TEST_P(UnlikeMasses, ALightBarBetweenHeavyOnes) {
  struct Named {
    const char* name;
    JointKind kind;
  };
  for (const Named& joint : {Named{"revolute", JointKind::revolute}, Named{"spherical", JointKind::spherical},
                             Named{"fixed", JointKind::fixed}, Named{"prismatic", JointKind::prismatic},
                             Named{"cylindrical", JointKind::cylindrical}}) {
    for (const Start start : {Start::hung, Start::thrown}) {
      const std::string what = std::string(joint.name) + (start == Start::hung ? ", hung" : ", thrown");
      expect_held(bars({1000.0, 0.001, 100.0}, joint.kind, start), GetParam(), what);
      expect_held(bars({0.001, 1000.0}, joint.kind, start), GetParam(), what + ", light first");
    }
  }
}

// A cube of a gram and 3 cm between the world and a beam of 100 kg and 2 m: inertias are as 1 to 10^9.
TEST_P(UnlikeMasses, ASmallWristUnderAHeavyBeam) {
  for (const JointKind kind : {JointKind::fixed, JointKind::revolute}) {
    SceneSpec scene = scenes::scene_3d("wrist");
    BodySpec wrist = scenes::solid_body("wrist", scenes::cuboid(0.015, 0.015, 0.015), 37.0);
    wrist.spatial().pose.position = {0.015, 0.0, 0.0};
    BodySpec beam = scenes::solid_body("beam", scenes::cuboid(1.0, 0.1, 0.1), 1250.0);
    beam.spatial().pose.position = {1.03, 0.0, 0.0};
    scene.bodies = {wrist, beam};
    scene.joints.push_back(make_joint(scene, "shoulder", kind, -1, 0, {}, {0.0, 0.0, 1.0}));
    scene.joints.push_back(make_joint(scene, "hand", kind, 0, 1, {0.03, 0.0, 0.0}, {0.0, 1.0, 0.0}));
    // what a step may leave open is a millionth of the scene's size
    expect_held(scene, GetParam(), kind == JointKind::fixed ? "fixed" : "revolute", 2e-6);
  }
}

// An arm of 20 kg, two fingers of a gram, a cube of 1 kg that friction holds.
TEST_P(UnlikeMasses, LightFingersHoldACube) {
  SceneSpec scene = scenes::scene_3d("fingers");
  BodySpec arm = scenes::solid_body("arm", scenes::cuboid(0.1, 0.1, 0.2), 2500.0);
  arm.spatial().pose.position = {0.0, 0.0, 0.4};
  scene.bodies.push_back(arm);
  scene.joints.push_back(make_joint(scene, "lift", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.6}, {0.0, 0.0, 1.0}));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.05, 0.05, 0.05), 1000.0);
  cube.spatial().pose.position = {0.0, 0.0, 0.1};
  cube.friction = 0.8;
  scene.bodies.push_back(cube);
  for (const double side : {-1.0, 1.0}) {
    BodySpec finger = scenes::solid_body(side < 0.0 ? "left" : "right", scenes::cuboid(0.005, 0.02, 0.05), 25.0);
    finger.spatial().pose.position = {side * 0.056, 0.0, 0.13};
    finger.friction = 0.8;
    scene.bodies.push_back(finger);
    const int body = static_cast<int>(scene.bodies.size()) - 1;
    scene.joints.push_back(make_joint(scene, scene.bodies.back().name, JointKind::prismatic, 0, body,
                                      {side * 0.056, 0.0, 0.18}, {1.0, 0.0, 0.0}));
  }
  const auto add = [&](const char* name, int joint, double target, double limit) {
    ActuatorSpec motor;
    motor.name = name;
    motor.joint = joint;
    motor.kind = ActuatorKind::velocity_servo;
    motor.target = target;
    motor.limit = limit;
    scene.actuators.push_back(motor);
  };
  add("hold", 0, 0.0, 1e4);
  add("left", 1, 0.1, 20.0);
  add("right", 2, -0.1, 20.0);
  Simulation simulation = simulate(scene, GetParam(), 1.0);
  double apart = 0.0;
  double low = 1.0;
  while (simulation.step()) {
    for (int j = 0; j < 3; ++j) apart = std::max(apart, simulation.joint_apart(j));
    if (simulation.time() > 0.1) low = std::min(low, simulation.spatial_pose(1).position.z);
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_LT(apart, 1e-6);
  EXPECT_GT(simulation.spatial_pose(1).position.z, low - 1e-5);  // once held it does not slip
  EXPECT_LT(simulation.outcome().iterations, 60 * simulation.outcome().solves);
}

// The same bars in 2D, hung.
TEST_P(UnlikeMasses, ALightBarBetweenHeavyOnesIn2D) {
  for (const JointKind kind : {JointKind::revolute, JointKind::fixed, JointKind::prismatic}) {
    SceneSpec scene;
    scene.name = "planar_bars";
    scene.gravity = {0.0, -scenes::standard_gravity};
    const double masses[] = {1000.0, 0.001, 100.0};
    for (int k = 0; k < 3; ++k) {
      BodySpec bar = scenes::box_body("bar" + std::to_string(k), 0.5, 0.1, masses[k]);
      bar.planar().pose = {0.25 + 0.5 * k, 0.0, 0.0};
      scene.bodies.push_back(bar);
      scene.joints.push_back(
          make_joint(scene, "joint" + std::to_string(k), kind, k - 1, k, {0.5 * k, 0.0, 0.0}, {1.0, 0.0, 0.0}));
    }
    // At 16 ms the light bar turns by more than a tenth of a radian a step.
    expect_held(scene, GetParam(), std::to_string(static_cast<int>(kind)), GetParam() > 0.01 ? 3e-6 : 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, UnlikeMasses, testing::Values(1e-3, 4e-3, 16e-3));

}  // namespace
}  // namespace pegrasp
