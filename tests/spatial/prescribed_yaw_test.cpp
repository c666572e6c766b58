// SPDX-License-Identifier: Apache-2.0
// A map over yaw turns a body's prescribed motion with its pose.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/geometry/placement.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

TEST(PrescribedYaw, TurnsTheMotion) {
  SceneSpec scene = scenes::scene_3d("hand");
  BodySpec hand = scenes::solid_body("hand", scenes::cuboid(0.1, 0.05, 0.05), 1000.0);
  hand.kind = BodyKind::kinematic;
  const Quaternion rolled{std::cos(0.25), std::sin(0.25), 0.0, 0.0};
  const Quaternion first{std::cos(0.1), 0.0, std::sin(0.1), 0.0};
  hand.spatial().pose = {{0.2, -0.1, 0.5}, first};
  hand.spatial().motion = {{0.0, hand.spatial().pose}, {0.5, {{0.5, 0.0, 0.4}, rolled * first}}};
  scene.bodies.push_back(hand);
  scene.bodies.push_back(scenes::solid_body("far", scenes::cuboid(0.1, 0.1, 0.1), 1000.0));
  scene.bodies[1].spatial().pose.position = {5.0, 5.0, 5.0};
  for (const double yaw : {0.0, 0.7, -2.5}) {
    std::vector<double> parameters = scene_parameters(scene);
    parameters[static_cast<std::size_t>(parameter_layout(scene).yaw(0))] = yaw;
    StepOptions options;
    options.h = 0.01;
    options.duration = 1.0;
    Simulation simulation(compile_model(scene), derive_options(options, scene), parameters);
    while (simulation.step()) {
    }
    const Quaternion z{std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)};
    const Vec3 wanted = hand.spatial().pose.position + turned(z, {0.3, 0.1, -0.1});
    const SpatialPose end = simulation.spatial_pose(0);
    EXPECT_LT(length(end.position - wanted), 1e-12) << yaw;
    EXPECT_LT(length(turn_vector(conjugate(z * rolled * first) * end.turn)), 1e-12) << yaw;
  }
}

}  // namespace
}  // namespace pegrasp
