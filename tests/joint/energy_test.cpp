// SPDX-License-Identifier: Apache-2.0
// Steps that motors and limits end at rest, or begin from it, are no gain of energy: they are taken, and resolved.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

ActuatorSpec motor(ActuatorKind kind, int joint, bool rotary, double target, double limit) {
  ActuatorSpec spec;
  spec.name = "motor" + std::to_string(joint);
  spec.joint = joint;
  spec.kind = kind;
  spec.rotary = rotary;
  spec.target = target;
  spec.limit = limit;
  spec.stiffness = 2000.0;
  spec.damping = 200.0;
  return spec;
}

void expect_resolved(const SceneSpec& scene, const std::string& what) {
  for (const double h : {0.001, 0.005, 0.016}) {
    Simulation simulation = simulate(scene, h, 1.0);
    while (simulation.step()) {
    }
    EXPECT_EQ(simulation.outcome().unresolved_steps, 0) << what << ", h = " << h;
    EXPECT_EQ(simulation.outcome().substeps_rejected, 0) << what << ", h = " << h;
  }
}

// A sled without weight that a motor holds against the end of its rail.
TEST(JointEnergy, AMotorAgainstALimit) {
  for (const ActuatorKind kind : {ActuatorKind::force, ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
    SceneSpec scene = scenes::scene_3d("stop");
    scene.gravity_z = 0.0;
    scene.bodies.push_back(scenes::solid_body("sled", scenes::cuboid(0.2, 0.1, 0.05), 1000.0));
    scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 0, {0.01, 0.02, 0.03}, {1.0, 2.0, 0.5}));
    scene.joints[0].slide = JointRange{-0.1, 0.0};
    scene.actuators.push_back(motor(kind, 0, false, kind == ActuatorKind::force ? 50.0 : 1.0, 50.0));
    expect_resolved(scene, "kind " + std::to_string(static_cast<int>(kind)));
  }
}

// Two links without weight that servos hold still, or set in motion from rest.
TEST(JointEnergy, ServosFromRest) {
  for (const double target : {0.0, 1e-6, 0.3, 2.0}) {
    for (const ActuatorKind kind : {ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
      SceneSpec scene = scenes::scene_3d("arm");
      scene.gravity_z = 0.0;
      for (int k = 0; k < 2; ++k) {
        BodySpec link = scenes::solid_body("link" + std::to_string(k), scenes::cuboid(0.25, 0.05, 0.05), 1000.0);
        link.spatial().pose.position = {0.25 + 0.5 * k, 0.0, 0.0};
        scene.bodies.push_back(link);
        scene.joints.push_back(make_joint(scene, "joint" + std::to_string(k), JointKind::revolute, k - 1, k,
                                          {0.5 * k, 0.0, 0.0}, {0.0, k == 0 ? 1.0 : 0.6, k == 0 ? 0.0 : 0.8}));
        scene.actuators.push_back(motor(kind, k, true, k == 0 ? target : -target, 500.0));
      }
      expect_resolved(scene, std::to_string(target) + ", kind " + std::to_string(static_cast<int>(kind)));
    }
  }
}

}  // namespace
}  // namespace pegrasp
