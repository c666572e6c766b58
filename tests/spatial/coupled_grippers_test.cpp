// SPDX-License-Identifier: Apache-2.0
// The grippers of examples/grippers/, whose fingers mimic one driven joint: they centre a block, press it by what one
// motor has, and lift it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/shapes.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/files.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"

namespace pegrasp {
namespace {

struct Grasp {
  SceneSpec scene;
  Vec3 block;            // where it ends
  double pressed = 0.0;  // [N] grip of the block, of both sides together, before the lift
  double turn = 0.0;     // of the driven joint [m or rad] then
  double apart = 0.0;    // [m] joints and couplings, at most
  SceneOutcome outcome;
};

Grasp grasp(const std::string& name) {
  Grasp out;
  const SceneFile file = load_scene_json(test::source_file("examples/grippers/" + name + ".json"));
  out.scene = file.scene;
  out.scene.gravity_z = file.scene.gravity_z;
  Simulation simulation = test::simulate(out.scene, test::steps_of(0.005, file.t_end));
  simulation.watch_contacts();
  while (simulation.step()) {
    for (int joint = 0; joint < static_cast<int>(out.scene.joints.size()); ++joint) {
      out.apart = std::max(out.apart, simulation.joint_apart(joint));
    }
    if (std::fabs(simulation.time() - 0.95) > 1e-6) continue;
    out.turn = out.scene.joints[0].kind == JointKind::revolute ? simulation.joint_turn(0) : simulation.joint_slide(0);
    for (const ContactReport& contact : simulation.contents().step_contacts) {
      if (std::fabs(contact.normal.z) < 0.5) out.pressed += contact.normal_impulse / contact.duration;
    }
  }
  out.block = simulation.spatial_pose(1).position;
  out.outcome = simulation.outcome();
  return out;
}

TEST(CoupledGrippers, OnLinkages) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const Grasp it = grasp("linkage_85");
  EXPECT_EQ(it.scene.joints.size(), 6u);
  EXPECT_EQ(it.scene.couplings.size(), 5u);
  EXPECT_EQ(it.outcome.status, status_ok);
  EXPECT_LT(it.apart, 1e-6);
  EXPECT_NEAR(it.block.x, 0.0, 1e-4);
  EXPECT_NEAR(it.block.z, 0.1, 2e-3);
  // The pads are 2 L (sin(0.6 - q) + sin 0.2) apart, so that the work of the torque T, T dq, is 2 N L cos(0.6 - q) dq.
  constexpr double length = 0.0557, torque = 1.5;
  const double q = 0.6 - std::asin(0.02 / length - std::sin(0.2));
  EXPECT_NEAR(it.turn, q, 1e-4);
  EXPECT_NEAR(it.pressed, torque / (length * std::cos(0.6 - q)), 1e-2);
}

TEST(CoupledGrippers, OnOneRail) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const Grasp it = grasp("parallel_hand");
  EXPECT_EQ(it.scene.joints.size(), 2u);
  EXPECT_EQ(it.scene.couplings.size(), 1u);
  EXPECT_EQ(it.outcome.status, status_ok);
  EXPECT_LT(it.apart, 1e-6);
  EXPECT_NEAR(it.block.y, 0.0, 1e-4);
  EXPECT_NEAR(it.block.z, 0.1, 2e-3);
  EXPECT_NEAR(it.turn, 0.02, 1e-5);
  EXPECT_NEAR(it.pressed, 30.0, 1e-2);
}

}  // namespace
}  // namespace pegrasp
