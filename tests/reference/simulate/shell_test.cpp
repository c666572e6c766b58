// SPDX-License-Identifier: Apache-2.0
// Compliant shells in the reference simulator: the thesis' disc, and the same motion as the kernels' step for step, in
// the plane and in space.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {
namespace {

using reference::PlanarSimulation;
using reference::spatial::SpatialSimulation;

SceneSpec disc_over_shell(double thickness) {
  SceneSpec scene = scenes::disc_on_plane(1.0, 1.0, 0.0, {});
  scene.gravity = {0.0, -9.81};
  scene.bodies[1].planar().pose.y = 1.5;
  scene.bodies[1].planar().inertia = 0.5;
  scene.bodies[0].shell = CompliantShell{thickness, 1000.0};
  return scene;
}

TEST(ReferenceShell, TheDiscOfTheThesisSwings) {
  const SceneSpec scene = disc_over_shell(1.0);
  const StepOptions options = derive_options(steps_of(1e-3, 0.8), scene);
  PlanarSimulation simulation(scene, options, scene_parameters(scene));
  double deepest = 0.0;
  while (simulation.step()) deepest = std::fmax(deepest, 1.0 - simulation.pose(1).y);
  // As implicit Euler has it at this step: y' = y + h v', v' = v + h (-g + K max(0, 1 - y')).
  double y = 1.5, v = -0.5 * 1e-3 * 9.81, expected = 0.0;
  y += 1e-3 * v;
  for (int step = 1; step < 800; ++step) {
    double next = v - 1e-3 * 9.81;
    if (y + 1e-3 * next < 1.0) next = (next + 1.0 * (1.0 - y)) / (1.0 + 1e-3);
    v = next;
    y += 1e-3 * v;
    expected = std::fmax(expected, 1.0 - y);
  }
  EXPECT_NEAR(deepest, expected, 1e-8);
}

// Both go on by themselves from the start.
void both_in_the_plane(const SceneSpec& scene, double h, double duration, SpringForce force, double apart) {
  StepOptions options = steps_of(h, duration);
  options.spring_force = force;
  options = derive_options(options, scene);
  Simulation fast(compile_model(scene), options, scene_parameters(scene));
  PlanarSimulation other(scene, options, scene_parameters(scene));
  double most = 0.0;
  while (fast.step() && other.step()) {
    for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
      const Pose p = fast.pose(body), q = other.pose(body);
      most = std::fmax(most, std::fmax(std::fabs(p.theta - q.theta), std::hypot(p.x - q.x, p.y - q.y)));
    }
  }
  EXPECT_LT(most, apart);
  EXPECT_EQ(fast.outcome().status, status_ok);
  EXPECT_EQ(other.outcome().status, status_ok);
  EXPECT_NEAR(fast.velocity(1).vx, other.velocity(1).vx, 1e-4);
  EXPECT_NEAR(fast.velocity(1).vy, other.velocity(1).vy, 1e-4);
  EXPECT_NEAR(fast.outcome().penetration_max, other.outcome().penetration_max, 1e-7);
}

TEST(ReferenceShell, TheDiscGoesAsInTheKernels) {
  for (const SpringForce force : {SpringForce::end, SpringForce::start}) {
    both_in_the_plane(disc_over_shell(0.05), 1e-3, 0.6, force, 1e-7);
    both_in_the_plane(disc_over_shell(1.0), 2e-3, 0.6, force, 1e-7);
  }
}

// A block that lands on a corner, tips, slides on tangential springs and sticks; both bodies have shells.
TEST(ReferenceShell, ABlockOnSpringsGoesAsInTheKernels) {
  SceneSpec scene = scenes::block_on_plane(0.4, 0.5);
  scene.bodies[1].planar().pose = {0.0, 0.1, 0.08};
  scene.bodies[0].shell = CompliantShell{0.004, 8e3, 20.0, 4e3, 10.0};
  scene.bodies[1].shell = CompliantShell{0.003, 2e4, 15.0};
  for (const SpringForce force : {SpringForce::end, SpringForce::start})
    both_in_the_plane(scene, 1e-3, 0.5, force, 1e-6);
}

TEST(ReferenceShell, ABoxInSpaceGoesAsInTheKernels) {
  SceneSpec scene = scenes::scene_3d("shell");
  BodySpec floor = scenes::fixed_cuboid("floor", {2.0, 2.0, 0.5}, {0.0, 0.0, -0.5}, 0.4);
  floor.shell = CompliantShell{0.008, 2e3, 10.0, 1e3, 5.0};
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.04, 0.03, 0.02), 600.0);
  box.friction = 0.4;
  box.spatial().pose.position = {0.0, 0.0, 0.028};
  box.spatial().tilt = {0.1, 0.07, 0.0};
  box.spatial().velocity.velocity = {0.2, 0.0, 0.0};
  scene.bodies = {floor, box};
  for (const SpringForce force : {SpringForce::end, SpringForce::start}) {
    StepOptions options = steps_of(2e-3, 0.3);
    options.spring_force = force;
    options = derive_options(options, scene);
    Simulation fast(compile_model(scene), options, scene_parameters(scene));
    SpatialSimulation other(std::make_shared<const reference::spatial::SpatialScene>(scene), options,
                            scene_parameters(scene));
    double most = 0.0;
    while (fast.step() && other.step()) {
      const Vec3 p = fast.spatial_pose(1).position, q = other.pose(1).position;
      most = std::fmax(most, std::hypot(p.x - q.x, p.y - q.y, p.z - q.z));
    }
    EXPECT_LT(most, 1e-6);
    EXPECT_EQ(fast.outcome().status, status_ok);
    EXPECT_EQ(other.outcome().status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp::test
