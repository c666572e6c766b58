// SPDX-License-Identifier: Apache-2.0
// Joints that turn by more than half a turn in one step.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

BodySpec wheel(const char* name, double speed) {
  BodySpec body = scenes::solid_body(name, scenes::cuboid(0.1, 0.1, 0.05), 1000.0);
  body.spatial().velocity.angular = {0.0, 0.0, speed};
  return body;
}

TEST(JointTurn, IsCountedWhateverAStepTurns) {
  constexpr double h = 0.016;
  for (const double speed : {150.0, 250.0, -250.0, 390.0, -600.0}) {  // 2.4 to 9.6 rad a step
    SceneSpec scene = scenes::scene_3d("wheel");
    scene.gravity_z = 0.0;
    scene.bodies.push_back(wheel("wheel", speed));
    scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, -1, 0, {}, {0.0, 0.0, 1.0}));
    Simulation simulation = simulate(scene, h, 0.5);
    while (simulation.step()) {
      ASSERT_NEAR(simulation.joint_turn(0), speed * simulation.time(), 1e-6) << speed << " rad/s";
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Both bodies turn: the joint counts the difference.
TEST(JointTurn, IsOfOneBodyAgainstTheOther) {
  SceneSpec scene = scenes::scene_3d("wheels");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(wheel("first", -120.0));
  scene.bodies.push_back(wheel("second", 200.0));
  scene.bodies[1].spatial().pose.position = {0.0, 0.0, 0.2};
  scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, 0, 1, {0.0, 0.0, 0.1}, {0.0, 0.0, 1.0}));
  Simulation simulation = simulate(scene, 0.016, 0.5);
  while (simulation.step()) ASSERT_NEAR(simulation.joint_turn(0), 320.0 * simulation.time(), 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A limit many turns away is met by the turn that is counted, not by one of its likes.
TEST(JointTurn, ReachesALimitTurnsAway) {
  SceneSpec scene = scenes::scene_3d("winch");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(wheel("drum", 250.0));
  scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, -1, 0, {}, {0.0, 0.0, 1.0}));
  scene.joints[0].turn = JointRange{-1.0, 50.0};
  Simulation simulation = simulate(scene, 0.016, 0.5);
  double most = 0.0;
  while (simulation.step()) most = std::max(most, simulation.joint_turn(0));
  EXPECT_NEAR(simulation.joint_turn(0), 50.0, 1e-4);
  EXPECT_LT(most, 50.0 + 1e-4);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

}  // namespace
}  // namespace pegrasp
