// SPDX-License-Identifier: Apache-2.0
// The reference on planar scenes with joints, limits, motors and programs, beside the product.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/scene_json.hpp"
#include "src/reference/planar/simulation.hpp"
#include "src/reference/validate/planar_lockstep.hpp"
#include "tests/joint/coupling_scenes.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/finger_grasp.hpp"

namespace pegrasp::reference {
namespace {

using test::steps_of;

PlanarSimulation reference(const SceneSpec& scene, const StepOptions& options) {
  return {scene, derive_options(options, scene), scene_parameters(scene)};
}

// Each by itself: how far apart any body came to be [m, rad].
double largest_difference(const SceneSpec& scene, const StepOptions& options) {
  PlanarSimulation exact = reference(scene, options);
  Simulation product = test::simulate(scene, options);
  double apart = 0.0;
  while (exact.step() && product.step()) {
    for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
      const Pose a = exact.pose(body), b = product.pose(body);
      apart = std::max({apart, std::hypot(a.x - b.x, a.y - b.y), std::fabs(a.theta - b.theta)});
    }
  }
  EXPECT_EQ(exact.outcome().steps, product.outcome().steps);
  EXPECT_EQ(exact.outcome().status, status_ok);
  EXPECT_EQ(product.outcome().status, status_ok);
  return apart;
}

ActuatorSpec motor(ActuatorKind kind, bool rotary, double target, double limit) {
  ActuatorSpec out;
  out.name = "motor";
  out.joint = 0;
  out.kind = kind;
  out.rotary = rotary;
  out.target = target;
  out.limit = limit;
  out.stiffness = 40.0;
  out.damping = 3.0;
  return out;
}

TEST(ReferencePlanarJoints, AHangingRodSwings) {
  for (const double h : {0.002, 0.02})
    EXPECT_LT(largest_difference(test::planar_rod(0.7), steps_of(h, 2.0)), 1e-6) << h;
}

TEST(ReferencePlanarJoints, MotorsAndLimits) {
  for (const ActuatorKind kind : {ActuatorKind::force, ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
    for (const double limit : {2.0, 100.0}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << " " << limit);
      SceneSpec scene = test::planar_rod(0.3);
      scene.joints[0].turn = JointRange{-0.4, 0.6};
      scene.actuators = {motor(kind, true, 1.0, limit)};
      scene.actuators[0].program = {{0.2, 0.0}, {0.9, -2.0}};
      EXPECT_LT(largest_difference(scene, steps_of(0.005, 2.0)), 1e-6);
    }
  }
}

// Geared pendulums, sleds on a base that moves freely, and a gripper whose jaws share a motor.
TEST(ReferencePlanarJoints, CoupledOnes) {
  EXPECT_LT(largest_difference(test::GearedPendulums::scene(false), steps_of(0.01, 1.0)), 1e-6);
  test::Mechanism free(false, 9.81);
  const int base = free.box("base", 0.3, 0.1, 2.0, 0.0, 1.0);
  const int first = free.sled("first", 1.0, 1.2, base);
  const int second = free.sled("second", 0.5, 0.8, base);
  free.couple(first, second, -0.6);
  free.drive(second, ActuatorKind::velocity_servo, 0.5, 3.0);
  EXPECT_LT(largest_difference(free.scene, steps_of(0.01, 0.5)), 1e-6);
  for (const double share : {0.8, 1.3}) {
    const double force = share * test::CentringGripper::to_overcome();
    EXPECT_LT(largest_difference(test::CentringGripper::scene(false, 0.0103, force), steps_of(0.005, 1.5)), 1e-6);
  }
}

TEST(ReferencePlanarJoints, ASledOnARailOfAMovingBody) {
  SceneSpec scene;
  scene.name = "rail";
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec base = scenes::box_body("base", 0.4, 0.1, 1.0);
  base.kind = BodyKind::kinematic;
  base.planar().motion = {{0.0, base.planar().pose}, {1.0, {0.2, 0.1, 0.5}}};
  scene.bodies = {base, scenes::box_body("sled", 0.1, 0.06, 2.0), scenes::box_body("load", 0.05, 0.05, 0.5)};
  scene.bodies[1].planar().pose = {0.05, 0.2, 0.0};
  scene.bodies[2].planar().pose = {0.05, 0.3, 0.0};
  scene.joints = {make_joint(scene, "rail", JointKind::prismatic, 0, 1, {0.05, 0.2, 0.0}, {1.0, 0.2, 0.0}),
                  make_joint(scene, "weld", JointKind::fixed, 1, 2, {0.05, 0.25, 0.0})};
  scene.joints[0].slide = JointRange{-0.12, 0.08};
  scene.actuators = {motor(ActuatorKind::position_servo, false, 0.05, 30.0)};
  scene.actuators[0].stiffness = 400.0;
  scene.actuators[0].program = {{0.0, 0.0}, {0.6, -0.1}};
  EXPECT_LT(largest_difference(scene, steps_of(0.005, 1.5)), 1e-6);
  scene.actuators[0].kind = ActuatorKind::force;
  scene.actuators[0].target = 4.0;
  EXPECT_LT(largest_difference(scene, steps_of(0.005, 1.5)), 1e-6);
}

// Two boxes in flight, joined by springs to each other and to a rod that swings, soft and as stiff as a rod.
TEST(ReferencePlanarJoints, SpringsSoftAndStiff) {
  for (const double stiffness : {50.0, 1e4, 1e9}) {
    for (const double across : {0.0, 2.0}) {
      SCOPED_TRACE(testing::Message() << stiffness << " N/m, across " << across);
      SceneSpec scene = test::planar_rod(0.7);
      scene.bodies.push_back(scenes::box_body("a", 0.1, 0.1, 0.5));
      scene.bodies.push_back(scenes::box_body("b", 0.1, 0.1, 0.8));
      const int a = static_cast<int>(scene.bodies.size()) - 2;
      scene.bodies[static_cast<std::size_t>(a)].planar().pose = {0.9, 0.3, 0.2};
      scene.bodies[static_cast<std::size_t>(a) + 1].planar().pose = {1.4, 0.5, -0.3};
      scene.ignored_pairs = {{a - 1, a}, {a - 1, a + 1}, {a, a + 1}};
      const Vec3 on_rod{0.3, -0.2, 0.0}, on_a{0.86, 0.27, 0.0};
      SpringSpec spring{"to_rod", a - 1, a, on_rod, on_a, stiffness, std::hypot(0.56, 0.47), 1.0};
      spring.across_damping = across;
      spring.damps_across = across > 0.0;
      add_spring(scene, spring);
      add_spring(scene, {"between", a, a + 1, {0.9, 0.35, 0.0}, {1.35, 0.5, 0.0}, 80.0, 0.4, 0.3});
      EXPECT_LT(largest_difference(scene, steps_of(0.005, 0.5)), 1e-6);
    }
  }
}

// A loop of joints, and examples/scenes/slider_crank.json.
TEST(ReferencePlanarJoints, ASliderCrank) {
  const SceneFile file = load_scene_json(test::source_file("examples/scenes/slider_crank.json"));
  EXPECT_LT(largest_difference(file.scene, steps_of(0.005, file.t_end)), 1e-6);
}

// The five-link gripper of the thesis' experiment, joints and contacts together: every step of the product is a
// solution of the reference simulator's rows.
TEST(ReferencePlanarJoints, AFiveLinkGripperGrasps) {
  for (const double friction : {0.0, 0.4}) {
    for (const std::uint64_t seed : {1, 2}) {
      SCOPED_TRACE(testing::Message() << "mu " << friction << ", seed " << seed);
      ValidateCase job;
      job.scene = scenes::finger_grasp(seed, friction);
      job.model = compile_model(job.scene);
      job.planar_scene = std::make_shared<const PlanarScene>(job.scene);
      job.options = derive_options(steps_of(0.005, scenes::finger_grasp_duration), job.scene);
      job.trials = {Trial{-1, -1, scene_parameters(job.scene)}};
      const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{1, nullptr, {}});
      EXPECT_EQ(steps.steps, 500);
      EXPECT_EQ(steps.fast.unresolved, 0);
      EXPECT_EQ(steps.other.unresolved, 0);
      EXPECT_GT(steps.assessed, 450);
      EXPECT_EQ(steps.unexplained, 0);
      for (const std::string& failure : failures(steps, ValidateTolerances{})) ADD_FAILURE() << failure;
    }
  }
}

// What these tests are worth: a motor that may pull a twentieth less is reported.
TEST(ReferencePlanarJoints, AnotherLimitIsReported) {
  SceneSpec scene = test::planar_rod(0.3);
  scene.actuators = {motor(ActuatorKind::velocity_servo, true, 1.0, 2.0)};
  SceneSpec weaker = scene;
  weaker.actuators[0].limit = 1.9;
  PlanarSimulation exact = reference(weaker, steps_of(0.005, 0.5));
  Simulation product = test::simulate(scene, steps_of(0.005, 0.5));
  while (exact.step() && product.step()) {
  }
  EXPECT_GT(std::fabs(exact.pose(0).theta - product.pose(0).theta), 1e-3);
}

}  // namespace
}  // namespace pegrasp::reference
