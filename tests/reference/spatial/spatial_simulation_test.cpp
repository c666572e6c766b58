// SPDX-License-Identifier: Apache-2.0
// The reference in 3D against closed formulas, and step by step against the product where velocities are unique.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "src/geometry/placement.hpp"
#include "src/reference/validate/spatial_lockstep.hpp"
#include "tests/joint/coupling_scenes.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/reference/spatial/cases.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp::reference::spatial {
namespace {

constexpr double g = 10.0;  // [m/s^2]

// Torque-free: the momentum is kept to rounding, the energy to 3e-4 at h |w| = 0.08.
TEST(SpatialReference, AFreeTopKeepsMomentumAndEnergy) {
  SceneSpec scene = scenes::scene_3d("top");
  scene.gravity_z = 0.0;
  BodySpec top = scenes::solid_body("top", scenes::cuboid(0.3, 0.2, 0.1), 100.0);
  top.spatial().velocity.angular = {0.02, 8.0, 0.01};  // about the middle axis: it tumbles
  scene.bodies.push_back(top);
  SpatialSimulation simulation = simulated(scene, 0.01, 20.0);
  const Vector3 momentum = simulation.momentum(0);
  const double energy = simulation.kinetic_energy();
  double farthest = 0.0;
  while (simulation.step()) {
    farthest = std::max(farthest, std::abs(simulation.kinetic_energy() - energy) / energy);
  }
  EXPECT_LT((simulation.momentum(0) - momentum).norm(), 1e-12 * momentum.norm());
  EXPECT_LT(farthest, 3e-4);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

TEST(SpatialReference, ABoxOnAnInclineSticksOrSlides) {
  constexpr double mu = 0.3, duration = 0.4, heading = 0.7;
  for (const double angle : {0.9 * std::atan(mu), 1.1 * std::atan(mu), 0.6}) {
    SceneSpec scene = scenes::scene_3d("incline");
    scene.gravity = {g * std::sin(angle) * std::cos(heading), g * std::sin(angle) * std::sin(heading)};
    scene.gravity_z = -g * std::cos(angle);
    scene.bodies.push_back(scenes::fixed_cuboid("plane", {50.0, 50.0, 0.5}, {0.0, 0.0, -0.5}, mu));
    BodySpec block = scenes::solid_body("block", scenes::cuboid(0.2, 0.2, 0.05), 100.0);
    block.spatial().pose.position = {0.0, 0.0, 0.05};
    block.friction = mu;
    scene.bodies.push_back(block);
    SpatialSimulation simulation = simulated(scene, 0.008, duration);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok) << angle;
    const double speed = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle))) * duration;
    const SpatialTwist v = simulation.velocity(1);
    EXPECT_NEAR(v.velocity.x, speed * std::cos(heading), 1e-7 * (1.0 + speed)) << angle;
    EXPECT_NEAR(v.velocity.y, speed * std::sin(heading), 1e-7 * (1.0 + speed)) << angle;
    EXPECT_NEAR(v.velocity.z, 0.0, 1e-8) << angle;
  }
}

TEST(SpatialReference, ARodSwingsWithItsPeriod) {
  const double amplitude = 0.3;
  const SceneSpec scene = test::hanging_rod(amplitude, JointKind::revolute);
  const double period = test::rod_period(amplitude);
  SpatialSimulation simulation = simulated(scene, 0.002, 1.2 * period);
  double last_speed = 0.0;
  double turned_back = 0.0;  // when it is back at its amplitude
  double apart = 0.0;
  while (simulation.step()) {
    const double speed = simulation.velocity(0).angular.y;
    const double share = speed / (speed - last_speed);
    if (simulation.time() > 0.75 * period && speed * last_speed < 0.0) turned_back = simulation.time() - 0.002 * share;
    last_speed = speed;
    const SpatialPose pose = simulation.pose(0);
    const Placement frame{vector3(pose.position), turn(pose.turn).toRotationMatrix()};
    apart = std::max(apart, frame(Vector3(0.0, 0.0, 0.5 * test::rod_length)).norm());
  }
  EXPECT_NEAR(turned_back, period, 0.002);
  EXPECT_LT(apart, 7e-5);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A bead on a slide falls onto its lower stop, and is held there by it.
TEST(SpatialReference, ASlideStopsAtItsLimit) {
  SceneSpec scene = scenes::scene_3d("slide");
  scene.bodies.push_back(scenes::solid_body("bead", scenes::cuboid(0.05, 0.05, 0.05), 1000.0));
  scene.joints.push_back(make_joint(scene, "slide", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  scene.joints.back().slide = JointRange{-0.1, 0.1};
  SpatialSimulation simulation = simulated(scene, 0.005, 0.1);
  simulation.run();
  EXPECT_NEAR(simulation.velocity(0).velocity.z, -scenes::standard_gravity * 0.1, 1e-9);
  SpatialSimulation longer = simulated(scene, 0.005, 0.5);
  longer.run();
  EXPECT_NEAR(longer.pose(0).position.z, -0.1, 1e-7);
  EXPECT_NEAR(longer.velocity(0).velocity.z, 0.0, 1e-9);
  EXPECT_EQ(longer.outcome().status, status_ok);
}

// Both simulators let a rod lean over in the cone of its ball joint, spinning or not, step by step alike.
TEST(SpatialReference, ABallJointHasAConeToLeanIn) {
  for (const SceneSpec& scene :
       {test::leaning_rod(0.5, 1.0, 0.0), test::leaning_rod(0.5, 1.0, 20.0), test::crossing_rod(0.3, 80.0)}) {
    const double spin = scene.bodies[0].spatial().velocity.angular.z;
    SpatialSimulation simulation = simulated(scene, 0.005, 2.0);
    Simulation product = test::simulate(scene, 0.005, 2.0);
    double apart = 0.0;
    while (simulation.step() && product.step()) {
      apart = std::max(apart, length(simulation.pose(0).position - product.spatial_pose(0).position));
    }
    EXPECT_LT(apart, 1e-5) << spin;
    EXPECT_GT(product.joint_turn(0), 0.29) << spin;
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Both simulators couple joints alike: of geared pendulums, of sleds on a base that moves freely, and of a gripper
// whose jaws share a motor.
TEST(SpatialReference, JointsAreCoupled) {
  test::Mechanism free(true, 9.81);
  const int base = free.box("base", 0.3, 0.1, 2.0, 0.0, 1.0);
  const int first = free.sled("first", 1.0, 1.2, base);
  const int second = free.sled("second", 0.5, 0.8, base);
  free.couple(first, second, -0.6);
  free.drive(second, ActuatorKind::velocity_servo, 0.5, 3.0);
  free.scene.bodies[0].spatial().velocity.angular = {0.5, 1.0, -0.7};
  const double weak = 0.8 * test::CentringGripper::to_overcome();
  const double strong = 1.3 * test::CentringGripper::to_overcome();
  for (const SceneSpec& scene :
       {test::GearedPendulums::scene(true), free.scene, test::CentringGripper::scene(true, 0.01, weak),
        test::CentringGripper::scene(true, 0.01, strong)}) {
    SpatialSimulation simulation = simulated(scene, 0.005, 0.8);
    Simulation product = test::simulate(scene, 0.005, 0.8);
    double apart = 0.0;
    while (simulation.step() && product.step()) {
      for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
        apart = std::max(apart, length(simulation.pose(body).position - product.spatial_pose(body).position));
      }
    }
    EXPECT_EQ(simulation.time(), product.time());
    EXPECT_LT(apart, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_EQ(product.outcome().status, status_ok);
  }
}

// Both simulators drive a rod by the motor of its ball joint, at the motor's limit and below it, step by step alike: on
// the world, on a body that turns for itself, and on a free one.
TEST(SpatialReference, ABallJointHasAMotor) {
  SceneSpec servo = test::held_by_a_ball_motor();
  SceneSpec speed = servo;
  speed.actuators = {test::ball_motor(ActuatorKind::velocity_servo, {1.0, -2.0, 0.5}, 6.0)};
  speed.actuators[0].program = {{0.0, 0.0, {}}, {1.0, 0.0, {0.0, 3.0, 1.0}}};
  SceneSpec torque = servo;
  torque.actuators = {test::ball_motor(ActuatorKind::force, {0.5, -4.0, 0.1}, 0.0)};
  for (const SceneSpec& of_world : {servo, speed, torque}) {
    for (const int base : {-1, 0, 1}) {
      SCOPED_TRACE(base);
      SceneSpec scene = of_world;
      if (base >= 0) {
        BodySpec hand = scenes::solid_body("hand", scenes::cuboid(0.1, 0.08, 0.06), 1500.0);
        if (base == 1) {
          hand.kind = BodyKind::kinematic;
          hand.spatial().motion = {{0.0, {}}, {1.5, {{0.1, 0.0, 0.2}, turn_by({0.3, -0.4, 1.0})}}};
        }
        scene.bodies.push_back(hand);
        scene.joints = {make_joint(scene, "ball", JointKind::spherical, 1, 0, {}, {0.6, 0.0, 0.8})};
      }
      SpatialSimulation simulation = simulated(scene, 0.005, 1.5);
      Simulation product = test::simulate(scene, 0.005, 1.5);
      double apart = 0.0, turned_apart = 0.0, moved = 0.0;
      while (simulation.step() && product.step()) {
        const SpatialPose at = product.spatial_pose(0);
        const Quaternion q = simulation.pose(0).turn;
        apart = std::max(apart, length(simulation.pose(0).position - at.position));
        turned_apart = std::max(turned_apart, length(turn_vector(at.turn * Quaternion{q.w, -q.x, -q.y, -q.z})));
        moved = std::max(moved, length(at.position - scene.bodies[0].spatial().pose.position));
      }
      EXPECT_EQ(simulation.time(), product.time());
      EXPECT_LT(apart, 1e-5);
      EXPECT_LT(turned_apart, 1e-5);
      EXPECT_GT(moved, 0.05);
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_EQ(product.outcome().status, status_ok);
    }
  }
}

// More than half a turn in a step: the limit is met by the turn that is counted, not by one of its likes.
TEST(SpatialReference, AWheelMeetsALimitTurnsAway) {
  SceneSpec scene = scenes::scene_3d("winch");
  scene.gravity_z = 0.0;
  BodySpec drum = scenes::solid_body("drum", scenes::cuboid(0.1, 0.1, 0.05), 1000.0);
  drum.spatial().velocity.angular = {0.0, 0.0, 250.0};
  scene.bodies.push_back(drum);
  scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, -1, 0, {}, {0.0, 0.0, 1.0}));
  scene.joints[0].turn = JointRange{-1.0, 9.0};
  SpatialSimulation simulation = simulated(scene, 0.016, 0.2);
  const auto turned = [&] {
    const Quaternion q = simulation.pose(0).turn;
    return std::remainder(2.0 * std::atan2(q.z, q.w) - 9.0, 2.0 * std::numbers::pi);
  };
  for (int steps = 0; steps < 3; ++steps) ASSERT_TRUE(simulation.step());  // 4 rad each, if nothing held it
  EXPECT_LT(std::abs(simulation.velocity(0).angular.z), 250.0 - 1.0) << "went through";
  simulation.run();
  EXPECT_NEAR(turned(), 0.0, 1e-4);
  EXPECT_NEAR(simulation.velocity(0).angular.z, 0.0, 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// The free motion of what servos move from rest has no energy to measure a gain by.
TEST(SpatialReference, ServosMoveTwoBoxesFromRest) {
  for (const ActuatorKind kind : {ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
    SceneSpec scene = scenes::scene_3d("arm");
    scene.gravity_z = 0.0;
    for (int k = 0; k < 2; ++k) {
      BodySpec link = scenes::solid_body("link" + std::to_string(k), scenes::cuboid(0.25, 0.05, 0.05), 1000.0);
      link.spatial().pose.position = {0.25 + 0.5 * k, 0.0, 0.0};
      scene.bodies.push_back(link);
      scene.joints.push_back(make_joint(scene, "joint" + std::to_string(k), JointKind::revolute, k - 1, k,
                                        {0.5 * k, 0.0, 0.0}, {0.0, k == 0 ? 1.0 : 0.6, k == 0 ? 0.0 : 0.8}));
      ActuatorSpec servo;
      servo.name = "servo" + std::to_string(k);
      servo.kind = kind;
      servo.joint = k;
      servo.rotary = true;
      servo.target = k == 0 ? 0.3 : -0.3;
      servo.limit = 500.0;
      servo.stiffness = 200.0;
      servo.damping = 20.0;
      scene.actuators.push_back(servo);
    }
    SpatialSimulation simulation = simulated(scene, 0.01, 0.5);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok) << static_cast<int>(kind);
    EXPECT_EQ(simulation.outcome().substeps_rejected, 0) << static_cast<int>(kind);
    EXPECT_GT(simulation.kinetic_energy(), 0.0);
  }
}

TEST(SpatialReference, InternalEdgesOfAUnionAreNoSurface) {
  std::vector<Solid> parts{make_solid(scenes::cuboid(1.0, 1.0, 1.0)),
                           make_solid(moved(scenes::cuboid(1.0, 1.0, 1.0), {{2.0, 0.0, 0.0}, {}}))};
  mark_internal_edges(parts);
  for (const Solid& part : parts) {
    EXPECT_EQ(std::count_if(part.faces.begin(), part.faces.end(), [](const SolidFace& f) { return f.covered; }), 1);
  }
  const PlacedSolid left(parts, 0, {});
  int at_internal_edge = 0;
  for (int v = 0; v < 8; ++v) {
    if (!(left.vertices(0, v) > 0.0)) continue;
    ++at_internal_edge;
    const Vector3 out(0.0, left.vertices(1, v), 0.0);
    EXPECT_TRUE(left.vertex_on_surface(v, out));
    EXPECT_FALSE(left.vertex_on_surface(v, Vector3(1.0, 0.0, 0.0)));
  }
  EXPECT_EQ(at_internal_edge, 4);
}

void expect_refused(const SceneSpec& scene, const std::string& why) {
  try {
    const SpatialScene refused(scene);
    ADD_FAILURE() << "taken: " << why;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(SpatialReference, RefusesWhatItHasNot) {
  SceneSpec scene = scenes::scene_3d("ball");
  BodySpec ball = scenes::solid_body("ball", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  ball.spatial().parts = {make_sphere("ball", {}, 0.1)};
  ball.spatial().parts[0].support_sphere = true;
  scene.bodies.push_back(ball);
  expect_refused(scene, "takes no support spheres");
  scene.bodies[0] = scenes::solid_body("jaw", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  scene.bodies[0].slide_axis = Vec2{1.0, 0.0};
  expect_refused(scene, "takes no rails");
  scene.bodies[0].slide_axis.reset();
  ActuatorSpec push;
  push.name = "push";
  push.target = 1.0;
  scene.actuators.push_back(push);
  expect_refused(scene, "motors on joints alone");
  scene.actuators.clear();
  BodySpec table;
  table.form = SpatialBody{};
  table.name = "table";
  table.kind = BodyKind::fixed;
  table.spatial().parts = {make_half_space("top", {0.0, 0.0, 1.0}, 0.0)};
  table.spatial().parts[0].support_spheres_only = true;
  scene.bodies.push_back(table);
  expect_refused(scene, "takes no half-spaces for support spheres alone");
}

// As tests/spatial/prescribed_yaw_test.cpp has it for the product.
TEST(SpatialReference, PrescribedMotionTurnsWithTheYaw) {
  SceneSpec scene = scenes::scene_3d("hand");
  BodySpec hand = scenes::solid_body("hand", scenes::cuboid(0.1, 0.05, 0.05), 1000.0);
  hand.kind = BodyKind::kinematic;
  hand.spatial().pose.position = {0.2, -0.1, 0.5};
  SpatialPose last = hand.spatial().pose;
  last.position = {0.5, 0.0, 0.4};
  hand.spatial().motion = {{0.0, hand.spatial().pose}, {0.5, last}};
  scene.bodies.push_back(hand);
  scene.bodies.push_back(
      scenes::solid_body("aside", scenes::cuboid(0.1, 0.1, 0.1), 100.0));  // a scene needs one that moves
  scene.bodies.back().spatial().pose.position = {5.0, 0.0, 0.0};
  constexpr double yaw = 0.7;
  std::vector<double> parameters = scene_parameters(scene);
  parameters[static_cast<std::size_t>(parameter_layout(scene).yaw(0))] = yaw;
  SpatialSimulation simulation(std::make_shared<const SpatialScene>(scene),
                               derive_options(test::steps_of(0.01, 1.0), scene), parameters);
  simulation.run();
  const Vec3 end = simulation.pose(0).position;
  EXPECT_NEAR(end.x, 0.2 + 0.3 * std::cos(yaw) - 0.1 * std::sin(yaw), 1e-12);
  EXPECT_NEAR(end.y, -0.1 + 0.3 * std::sin(yaw) + 0.1 * std::cos(yaw), 1e-12);
  EXPECT_NEAR(end.z, 0.4, 1e-12);
}

// A rod that swings, and two boxes in flight, joined by springs, soft and as stiff as a rod: both simulators go the
// same way.
TEST(SpatialReference, SpringsSoftAndStiff) {
  for (const double stiffness : {50.0, 1e4, 1e9}) {
    for (const double across : {0.0, 2.0}) {
      SCOPED_TRACE(testing::Message() << stiffness << " N/m, across " << across);
      SceneSpec scene = test::hanging_rod(0.4, JointKind::revolute);
      scene.bodies.push_back(scenes::solid_body("a", scenes::cuboid(0.1, 0.08, 0.06), 200.0));
      scene.bodies.push_back(scenes::solid_body("b", scenes::cuboid(0.05, 0.1, 0.06), 300.0));
      scene.bodies[1].spatial().pose.position = {0.6, 0.4, 0.1};
      scene.bodies[2].spatial().pose.position = {1.2, 0.1, 0.5};
      scene.ignored_pairs = {{0, 1}, {0, 2}, {1, 2}};
      const Vec3 on_rod{-0.15, 0.0, -0.4}, on_a{0.55, 0.4, 0.08};
      const double begins = std::hypot(0.7, 0.4, 0.48);
      SpringSpec spring{"to_rod", 0, 1, on_rod, on_a, stiffness, begins, 1.0};
      spring.across_damping = across;
      spring.damps_across = across > 0.0;
      add_spring(scene, spring);
      add_spring(scene, {"between", 1, 2, {0.6, 0.4, 0.15}, {1.2, 0.15, 0.5}, 80.0, 0.5, 0.3});
      SpatialSimulation exact = simulated(scene, 0.005, 0.4);
      Simulation product = test::simulate(scene, 0.005, 0.4);
      double apart = 0.0;
      while (exact.step() && product.step()) {
        for (int body = 0; body < 3; ++body) {
          const Vec3 x = exact.pose(body).position, y = product.spatial_pose(body).position;
          apart = std::max({apart, std::fabs(x.x - y.x), std::fabs(x.y - y.y), std::fabs(x.z - y.z)});
        }
      }
      EXPECT_EQ(exact.outcome().status, status_ok);
      EXPECT_EQ(product.outcome().status, status_ok);
      EXPECT_LT(apart, 1e-6);
    }
  }
}

// Without friction velocities are unique: those of the product and of the reference simulator, from the same states.
TEST(SpatialReference, StepsAsTheProductWithoutFriction) {
  const SceneSpec scene = scenes::polyhedron_box(3, 0.0, 4);
  const ValidateCase job = case_of(scene, 0.004, 2.0);
  const StepComparison steps = compare_steps(job, tolerances_for(job.options), Watch{});
  EXPECT_GT(steps.unique_steps, 400);
  EXPECT_LT(steps.unique_largest, 1e-5);
  EXPECT_LT(steps.frictionless_quantile_99, 1e-6);
  EXPECT_EQ(steps.unexplained, 0);
  EXPECT_EQ(steps.other.unresolved, 0);
}

TEST(SpatialReference, TheProductsStepsAreSolutions) {
  const SceneSpec scene = scenes::polyhedron_box(3, 0.3, 4);
  const ValidateCase job = case_of(scene, 0.004, 1.5);
  const StepComparison steps = compare_steps(job, tolerances_for(job.options), Watch{});
  EXPECT_GT(steps.assessed, 300);
  EXPECT_EQ(steps.unexplained, 0);
  EXPECT_LT(steps.residual_99, 5e-6);
}

TEST(SpatialReference, LooksAheadAsTheProduct) {
  for (const double mu : {0.0, 0.3}) {
    SCOPED_TRACE(testing::Message() << "mu " << mu);
    ValidateCase job = case_of(scenes::polyhedron_box(3, mu, 4), 0.004, 1.5);
    job.options.look_ahead = true;
    const ValidateTolerances tolerances = tolerances_for(job);
    const StepComparison steps = compare_steps(job, tolerances, Watch{});
    for (const std::string& failure : failures(steps, tolerances)) ADD_FAILURE() << failure;
    EXPECT_GT(steps.assessed, 300);
    EXPECT_EQ(steps.unexplained, 0);
  }
}

// The product is compiled with gravity that is wrong by a hundredth, the reference simulator with the right one.
TEST(SpatialReference, AWrongProductIsFound) {
  for (const double mu : {0.0, 0.3}) {
    const SceneSpec scene = scenes::polyhedron_box(3, mu, 4);
    SceneSpec wrong = scene;
    wrong.gravity_z *= 0.99;
    const ValidateCase job = case_of(scene, wrong, 0.004, 0.6);
    const ValidateTolerances tolerances = tolerances_for(job.options);
    const StepComparison steps = compare_steps(job, tolerances, Watch{});
    EXPECT_GT(steps.unexplained, steps.assessed / 4) << "mu " << mu;
    EXPECT_FALSE(failures(steps, tolerances).empty()) << "mu " << mu;
  }
}

}  // namespace
}  // namespace pegrasp::reference::spatial
