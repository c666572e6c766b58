// SPDX-License-Identifier: Apache-2.0
// examples/arm: six revolute joints from URDF follow a trajectory by servos, close a gripper on a block and carry it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "src/formats/urdf_file.hpp"
#include "src/geometry/placement.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

// Of a program, linear between its keys.
double target_at(const std::vector<TargetKey>& program, double time) {
  if (time <= program.front().time) return program.front().target;
  for (std::size_t k = 1; k < program.size(); ++k) {
    const TargetKey &a = program[k - 1], &b = program[k];
    if (time < b.time) return a.target + (b.target - a.target) * (time - a.time) / (b.time - a.time);
  }
  return program.back().target;
}

class Arm : public testing::TestWithParam<double> {};

TEST_P(Arm, FollowsItsTrajectoryAndCarriesTheBlock) {
  if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  const SceneFile file = load_scene_json(test::source_file("examples/arm/arm.json"));
  const SceneSpec& scene = file.scene;
  const auto body = [&](const std::string& name) {
    return static_cast<int>(std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                         [&](const BodySpec& spec) { return spec.name == name; }) -
                            scene.bodies.begin());
  };
  const int block = body("block"), flange = body("flange");
  StepOptions options;
  options.h = GetParam();
  options.duration = file.t_end;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  // Gravity's torque over the stiffness is up to 2 mrad; the rest is what accelerates, as the damping is against the
  // program's speed.
  constexpr double bound = 3e-3;  // [rad]
  SpatialPose held;               // the block in the gripper, once it is closed
  bool lifted = false;
  while (simulation.step()) {
    const double time = simulation.time();
    for (const ActuatorSpec& servo : scene.actuators) {
      if (!servo.rotary || servo.program.empty()) continue;
      ASSERT_NEAR(simulation.joint_turn(servo.joint), target_at(servo.program, time), bound)
          << servo.name << " at " << time << " s";
    }
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      ASSERT_LT(simulation.joint_apart(static_cast<int>(j)), 1e-6) << scene.joints[j].name;
    }
    const SpatialPose seen = inverse(simulation.spatial_pose(flange)) * simulation.spatial_pose(block);
    if (time < 2.0) held = seen;
    if (time >= 2.0) {
      ASSERT_LT(length(seen.position - held.position), 1e-3) << "slipped at " << time << " s";
      ASSERT_LT(length(turn_vector(conjugate(held.turn) * seen.turn)), 0.02) << "turned at " << time << " s";
    }
    lifted = lifted || simulation.spatial_pose(block).position.z > 0.17;
  }
  EXPECT_EQ(simulation.outcome().status, 0u);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_TRUE(lifted);
  // Carried round by 0.9 rad, and by 7 cm towards the arm.
  const Vec3 end = simulation.spatial_pose(block).position;
  EXPECT_NEAR(std::atan2(end.y, end.x), 0.9, 0.03);
  EXPECT_NEAR(std::hypot(end.x, end.y), 0.38, 0.01);
  EXPECT_NEAR(end.z, 0.18, 0.005);
}

INSTANTIATE_TEST_SUITE_P(Steps, Arm, testing::Values(1e-3, 5e-3, 1e-2));

}  // namespace
}  // namespace pegrasp
