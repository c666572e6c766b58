// SPDX-License-Identifier: Apache-2.0
// Joints that contradict each other in motion: no velocities obey both, and the outcome says so.
#include <gtest/gtest.h>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

// A bar fixed to two hands; from 20 ms on they part by 100 mm/s.
SceneSpec torn_bar(bool parting) {
  SceneSpec scene = scenes::scene_3d("torn");
  for (const double side : {-1.0, 1.0}) {
    BodySpec hand = scenes::solid_body(side < 0.0 ? "left" : "right", scenes::cuboid(0.05, 0.05, 0.05), 1000.0);
    hand.kind = BodyKind::kinematic;
    hand.spatial().pose.position.x = 0.5 * side;
    if (parting && side > 0.0) {
      SpatialPose away = hand.spatial().pose;
      away.position.x += 0.1;
      hand.spatial().motion = {{0.0, hand.spatial().pose}, {0.02, hand.spatial().pose}, {1.02, away}};
    }
    scene.bodies.push_back(hand);
  }
  scene.bodies.push_back(scenes::solid_body("bar", scenes::cuboid(0.3, 0.05, 0.05), 1000.0));
  for (const int hand : {0, 1}) {
    scene.joints.push_back(
        make_joint(scene, hand == 0 ? "l" : "r", JointKind::fixed, hand, 2, {hand == 0 ? -0.4 : 0.4, 0.0, 0.0}));
  }
  return scene;
}

// One such step: it is halved as far as that goes.
void leaves_a_status_bit(double h) {
  Simulation simulation = test::simulate(torn_bar(true), h, 0.03);
  while (simulation.outcome().unresolved_steps == 0 && simulation.step()) continue;
  EXPECT_NE(simulation.outcome().status & (status_not_converged | status_too_deep), 0u) << h;
  EXPECT_GT(simulation.outcome().unresolved_steps, 0) << h;
  EXPECT_EQ(simulation.outcome().status & (status_capacity | status_non_finite), 0u) << h;
}

TEST(Contradiction, HandsThatPartLeaveAStatusBit) { leaves_a_status_bit(0.01); }
TEST(ContradictionLong, HandsThatPartLeaveAStatusBit) { leaves_a_status_bit(0.002); }

// Two joints that say the same are no contradiction.
TEST(Contradiction, HandsThatStayDoNot) {
  for (const double h : {0.001, 0.01}) {
    Simulation simulation = test::simulate(torn_bar(false), h, 0.5);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok) << h;
    EXPECT_NEAR(simulation.spatial_pose(2).position.z, 0.0, 1e-9) << h;
  }
}

}  // namespace
}  // namespace pegrasp
