// SPDX-License-Identifier: Apache-2.0
// The sparse road in space: the steps of the fused one, from other loops. Products of sparse matrices add in another order, so that
// states agree to a tolerance, not bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "joint/scenes.hpp"
#include "launch/sparse_scenes.hpp"
#include "model/model.hpp"
#include "runs.hpp"
#include "scenes/mixed_space.hpp"
#include "scenes/polyhedron_pour.hpp"
#include "scenes/space_lift.hpp"

namespace pegrasp {
namespace {

StepOptions on_road(Road road, const SceneSpec& scene, double h, double duration, double tolerance = 0.0,
                    ContactModel contact = ContactModel::peg) {
  StepOptions options = test::steps_of(h, duration, contact);
  options.solver = SolverKind::aj;
  options.road = road;
  options.max_iterations = 100'000;
  options.tolerance = tolerance;
  return derive_options(options, scene);
}

double farthest(Vec3 a, Vec3 b) {
  return std::max({std::fabs(a.x - b.x), std::fabs(a.y - b.y), std::fabs(a.z - b.z)});
}
double farthest(Quaternion a, Quaternion b) {
  return std::max(
      {std::fabs(a.w - b.w), std::fabs(a.x - b.x), std::fabs(a.y - b.y), std::fabs(a.z - b.z)});
}

// Largest difference of a coordinate or a quaternion's component between the two roads over the whole run.
double farthest_apart(const SceneSpec& scene, const StepOptions& fused, const StepOptions& sparse) {
  EXPECT_EQ(fused.road, Road::fused);
  EXPECT_EQ(sparse.road, Road::sparse);
  const auto model = compile_model(scene);
  Simulation a(model, fused, scene_parameters(scene));
  Simulation b(model, sparse, scene_parameters(scene));
  double most = 0.0;
  while (true) {
    const bool more = a.step();
    EXPECT_EQ(b.step(), more);
    if (!more) break;
    EXPECT_EQ(a.last_status(), b.last_status()) << a.time();
    for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
      EXPECT_EQ(a.present(body), b.present(body));
      const SpatialPose p = a.spatial_pose(body);
      const SpatialPose q = b.spatial_pose(body);
      most = std::max({most, farthest(p.position, q.position), farthest(p.turn, q.turn)});
    }
    for (int joint = 0; joint < static_cast<int>(scene.joints.size()); ++joint) {
      most = std::max({most, std::fabs(a.joint_turn(joint) - b.joint_turn(joint)),
                       std::fabs(a.joint_slide(joint) - b.joint_slide(joint))});
      EXPECT_NEAR(a.joint_apart(joint), b.joint_apart(joint), 1e-9);
    }
  }
  EXPECT_EQ(a.outcome().status, status_ok);
  EXPECT_EQ(a.outcome().steps, b.outcome().steps);
  EXPECT_EQ(a.outcome().status, b.outcome().status);
  EXPECT_EQ(a.outcome().contacts_sum, b.outcome().contacts_sum);
  EXPECT_EQ(a.outcome().substeps_rejected, b.outcome().substeps_rejected);
  EXPECT_NEAR(a.outcome().penetration_max, b.outcome().penetration_max, 1e-9);
  // The same iterations but for where a residual is the tolerance to the last digits.
  EXPECT_NEAR(static_cast<double>(a.outcome().iterations), static_cast<double>(b.outcome().iterations),
              3.0 + 1e-2 * static_cast<double>(a.outcome().iterations));
  EXPECT_NEAR(a.energy().explained, b.energy().explained, 1e-6 * (1.0 + std::fabs(a.energy().explained)));
  return most;
}

struct Named {
  std::string name;
  SceneSpec scene;
  double h, duration;
};

SceneSpec free_top() {
  SceneSpec scene = scenes::space_scene("top");
  scene.bodies.push_back(scenes::solid_body("top", scenes::cuboid(0.1, 0.2, 0.3), 100.0));
  scene.bodies[0].space.velocity = {{1.0, -0.5, 2.0}, {3.0, 0.1, -2.0}};
  return scene;
}

// A cube that is thrown along a floor, and a ball that appears in its way, or in the floor, where it must not be felt before. (Where
// faces meet flat, rounding decides which corners carry.)
SceneSpec cube_and_a_late_ball(double z) {
  SceneSpec scene = scenes::space_scene("late");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  cube.friction = 0.3;
  cube.space.pose.position.z = 0.1;
  cube.space.velocity.velocity = {1.5, 0.2, 0.0};
  scene.bodies.push_back(cube);
  BodySpec ball = scenes::round_solid(make_sphere("ball", {}, 0.1), 100.0);
  ball.friction = 0.3;
  ball.space.pose.position = {0.5, 0.0, z};
  ball.drop_time = z > 0.0 ? 0.2 : 100.0;
  scene.bodies.push_back(ball);
  return scene;
}

// A ball that slides, rolls and spins on a half-space, with friction of all kinds: blocks of six rows.
SceneSpec ball_with_moments() {
  SceneSpec scene = scenes::space_scene("ball");
  BodySpec plane;
  plane.name = "plane";
  plane.kind = BodyKind::fixed;
  plane.space.parts = {make_half_space("plane", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec ball = scenes::round_solid(make_sphere("ball", {}, 0.1), 100.0);
  ball.space.pose.position.z = 0.1;
  ball.space.velocity = {{1.0, 0.3, 0.0}, {2.0, -4.0, 15.0}};
  scene.bodies = {plane, ball};
  scene.friction.push_back({0, 1, 0.3, 0.01, 0.02});
  return scene;
}

SceneSpec rod_against_a_limit() {
  SceneSpec scene = test::hanging_rod(0.7, JointKind::revolute);
  scene.joints[0].turn = JointRange{-0.3, 2.0};
  return scene;
}

SceneSpec rod_that_appears() {
  SceneSpec scene = test::hanging_rod(0.7, JointKind::spherical);
  scene.bodies[0].drop_time = 0.1;
  return scene;
}

std::vector<Named> small_scenes() {
  return {
      {"top", free_top(), 0.01, 1.0},
      {"late", cube_and_a_late_ball(0.1), 0.01, 0.6},
      {"in the floor", cube_and_a_late_ball(-0.3), 0.01, 0.4},
      {"moments", ball_with_moments(), 0.005, 1.0},
      {"pendulum", test::hanging_rod(0.7, JointKind::revolute), 0.005, 1.0},
      {"spherical", test::hanging_rod(0.7, JointKind::spherical), 0.005, 1.0},
      {"fixed", test::hanging_rod(0.7, JointKind::fixed), 0.005, 0.2},
      {"limit", rod_against_a_limit(), 0.005, 1.0},
      {"appears", rod_that_appears(), 0.005, 0.5},
      {"motor", scenes::mixed_space(1), 0.005, 0.3},
      {"stack", scenes::space_stack(3, 0.3), 0.01, 0.3},
  };
}

TEST(SpatialSparseRoad, StepsSmallScenesAsTheFusedRoad) {
  for (const Named& named : small_scenes()) {
    SCOPED_TRACE(named.name);
    const auto options = [&](Road road) { return on_road(road, named.scene, named.h, named.duration, 1e-10); };
    EXPECT_LT(farthest_apart(named.scene, options(Road::fused), options(Road::sparse)), 1e-8);
  }
}

TEST(SpatialSparseRoad, TakesTheOtherContactModels) {
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    const SceneSpec scene = cube_and_a_late_ball(0.1);
    const auto options = [&](Road road) { return on_road(road, scene, 0.01, 0.5, 1e-10, contact); };
    EXPECT_LT(farthest_apart(scene, options(Road::fused), options(Road::sparse)), 1e-8);
  }
}

TEST(SpatialSparseRoad, PoursPolyhedraAsTheFusedRoad) {
  for (const double friction : {0.0, 0.3}) {
    SCOPED_TRACE(friction);
    const SceneSpec scene = scenes::polyhedron_box(3, friction, 4);
    const auto options = [&](Road road) { return on_road(road, scene, 0.004, 1.0, 1e-9); };
    EXPECT_LT(farthest_apart(scene, options(Road::fused), options(Road::sparse)), 1e-6);
  }
}

}  // namespace
}  // namespace pegrasp
