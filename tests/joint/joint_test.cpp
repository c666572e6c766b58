// SPDX-License-Identifier: Apache-2.0
// What each kind of joint leaves and holds, limits, motors on joints, and joints that make no sense.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::hanging_rod;
using test::simulate;

BodySpec block(const std::string& name, Vec3 at) {
  BodySpec body = scenes::solid_body(name, scenes::cuboid(0.2, 0.1, 0.05), 1000.0);
  body.spatial().pose.position = at;
  return body;
}

double worst_apart(Simulation& simulation, int joints) {
  double worst = 0.0;
  while (simulation.step()) {
    for (int k = 0; k < joints; ++k) worst = std::max(worst, simulation.joint_apart(k));
  }
  return worst;
}

TEST(Joint, PrismaticSlidesDownItsRail) {
  SceneSpec scene = scenes::scene_3d("rail");
  scene.bodies.push_back(block("sled", {0.0, 0.0, 0.0}));
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 0, {0.0, 0.3, 0.1}, {3.0, 0.0, -4.0}));
  constexpr double h = 0.004;
  Simulation simulation = simulate(scene, h, 1.0);
  EXPECT_LT(worst_apart(simulation, 1), 1e-9);
  const double t = simulation.time();
  EXPECT_NEAR(simulation.joint_slide(0), 0.5 * 0.8 * scenes::standard_gravity * t * t, 1e-6);
  EXPECT_NEAR(simulation.spatial_velocity(0).velocity.x, 0.6 * 0.8 * scenes::standard_gravity * t, 1e-6);
}

TEST(Joint, CylindricalTurnsAndSlidesAsItLikes) {
  SceneSpec scene = scenes::scene_3d("pole");
  BodySpec ring = block("ring", {0.0, 0.0, 0.0});
  ring.spatial().velocity.angular = {0.0, 0.0, 5.0};
  scene.bodies.push_back(ring);
  scene.joints.push_back(make_joint(scene, "pole", JointKind::cylindrical, -1, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  constexpr double h = 0.01;
  Simulation simulation = simulate(scene, h, 4.0);
  EXPECT_LT(worst_apart(simulation, 1), 1e-9);
  EXPECT_NEAR(simulation.joint_turn(0), 20.0, 1e-6);  // more than three turns, counted on
  EXPECT_NEAR(simulation.joint_slide(0), -0.5 * scenes::standard_gravity * 4.0 * 4.0, 1e-6);
}

// Two blocks held together fly as one: the momentum stays, and they do not turn against each other.
TEST(Joint, FixedHoldsTwoBodiesTogether) {
  SceneSpec scene = scenes::scene_3d("pair");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(block("first", {0.0, 0.0, 0.0}));
  BodySpec second = block("second", {0.0, 0.0, 0.3});
  scene.bodies.push_back(second);
  // about x through the common centre
  const double w = 3.0;
  scene.bodies[0].spatial().velocity = {{0.0, w * 0.15, 0.0}, {w, 0.0, 0.0}};
  scene.bodies[1].spatial().velocity = {{0.0, -w * 0.15, 0.0}, {w, 0.0, 0.0}};
  scene.joints.push_back(make_joint(scene, "weld", JointKind::fixed, 0, 1, {0.0, 0.0, 0.15}));
  Simulation simulation = simulate(scene, 0.01, 5.0);
  EXPECT_LT(worst_apart(simulation, 1), 1e-6);
  const SpatialTwist a = simulation.spatial_velocity(0);
  const SpatialTwist b = simulation.spatial_velocity(1);
  EXPECT_NEAR(a.velocity.y + b.velocity.y, 0.0, 1e-9);
  EXPECT_NEAR(a.velocity.z + b.velocity.z, 0.0, 1e-9);
  EXPECT_NEAR(a.angular.x, b.angular.x, 1e-6);
  EXPECT_NEAR(a.angular.x, w, 0.01 * w);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

TEST(Joint, LimitsStop) {
  SceneSpec scene = scenes::scene_3d("stop");
  scene.bodies.push_back(block("sled", {0.0, 0.0, 0.0}));
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, -1.0}));
  scene.joints[0].slide = JointRange{-0.1, 0.25};
  Simulation simulation = simulate(scene, 0.01, 1.0);
  double most = 0.0;
  while (simulation.step()) most = std::max(most, simulation.joint_slide(0));
  EXPECT_NEAR(simulation.joint_slide(0), 0.25, 1e-7);
  EXPECT_LT(most, 0.25 + 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);

  SceneSpec swing = hanging_rod(1.0, JointKind::revolute);
  swing.joints[0].turn = JointRange{-0.4, 0.1};  // from where it starts; hanging straight would be -1 or 1
  Simulation rod = simulate(swing, 0.01, 3.0);
  while (rod.step()) {
    EXPECT_GT(rod.joint_turn(0), -0.4 - 1e-5);
    EXPECT_LT(rod.joint_turn(0), 0.1 + 1e-5);
  }
  EXPECT_EQ(rod.outcome().status, status_ok);
  EXPECT_NEAR(std::min(std::fabs(rod.joint_turn(0) + 0.4), std::fabs(rod.joint_turn(0) - 0.1)), 0.0, 1e-5);
}

// A flywheel: torque over inertia while the limit binds, then the speed asked for.
TEST(Joint, VelocityServoSpinsAWheelUp) {
  for (const bool spatial : {false, true}) {
    SCOPED_TRACE(spatial ? "space" : "plane");
    SceneSpec scene = spatial ? scenes::scene_3d("wheel") : SceneSpec{};
    scene.gravity = {};
    scene.gravity_z = 0.0;
    scene.bodies.clear();
    BodySpec wheel = block("wheel", {0.0, 0.0, 0.0});
    wheel.mass = 2.0;
    if (spatial) {
      wheel.spatial().inertia = {0.4, 0.4, 0.5, 0.0, 0.0, 0.0};
    } else {
      PlanarBody disc;
      disc.parts = {make_disc("wheel", {0.0, 0.0}, 0.2)};
      disc.inertia = 0.5;
      wheel.form = disc;
    }
    scene.bodies.push_back(wheel);
    scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, -1, 0, {0.0, 0.0, 0.0}));
    ActuatorSpec motor;
    motor.name = "motor";
    motor.joint = 0;
    motor.kind = ActuatorKind::velocity_servo;
    motor.rotary = true;
    motor.target = 10.0;
    motor.limit = 2.5;  // 5 rad/s^2
    scene.actuators.push_back(motor);
    Simulation simulation = simulate(scene, 0.01, 3.0);
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step());
    const auto speed = [&] {
      return spatial ? simulation.spatial_velocity(0).angular.z : simulation.velocity(0).omega;
    };
    EXPECT_NEAR(speed(), 5.0, 1e-6);
    while (simulation.step()) {
    }
    EXPECT_NEAR(speed(), 10.0, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// A PD servo holds the rod against its weight with the sag of a spring, and follows a program.
TEST(Joint, PositionServoHoldsAndFollows) {
  SceneSpec scene = hanging_rod(0.0, JointKind::revolute);
  ActuatorSpec servo;
  servo.name = "servo";
  servo.joint = 0;
  servo.kind = ActuatorKind::position_servo;
  servo.rotary = true;
  servo.stiffness = 200.0;
  servo.damping = 20.0;
  servo.limit = 1e3;
  servo.program = {{0.0, 0.0}, {1.0, 1.2}};
  scene.actuators.push_back(servo);
  Simulation simulation = simulate(scene, 0.01, 4.0);
  double lag = 0.0;
  while (simulation.step()) {
    const double wanted = 1.2 * std::min(1.0, simulation.time());
    const double pull = scene.bodies[0].mass * scenes::standard_gravity * 0.5 * test::rod_length *
                        std::sin(simulation.joint_turn(0)) / servo.stiffness;
    if (simulation.time() > 0.6 && simulation.time() < 1.0) {
      lag = std::max(lag, std::fabs(wanted - pull - simulation.joint_turn(0)));
    }
  }
  EXPECT_LT(lag, 0.05);
  const double pull = scene.bodies[0].mass * scenes::standard_gravity * 0.5 * test::rod_length *
                      std::sin(simulation.joint_turn(0)) / servo.stiffness;
  EXPECT_NEAR(simulation.joint_turn(0), 1.2 - pull, 1e-4);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A motor between two bodies turns both, against each other, and gives no momentum.
TEST(Joint, MotorOfGivenTorqueActsOnBothBodies) {
  for (const bool servo : {false, true}) {
    SCOPED_TRACE(servo ? "servo" : "torque");
    SceneSpec scene = scenes::scene_3d("reaction");
    scene.gravity_z = 0.0;
    scene.bodies.push_back(block("base", {0.0, 0.0, 0.0}));
    scene.bodies.push_back(block("wheel", {0.0, 0.0, 0.2}));
    scene.joints.push_back(make_joint(scene, "axle", JointKind::revolute, 0, 1, {0.0, 0.0, 0.1}));
    ActuatorSpec motor;
    motor.name = "motor";
    motor.joint = 0;
    motor.kind = servo ? ActuatorKind::velocity_servo : ActuatorKind::force;
    motor.rotary = true;
    motor.target = servo ? 4.0 : 0.05;
    motor.limit = 100.0;
    scene.actuators.push_back(motor);
    Simulation simulation = simulate(scene, 0.01, 1.0);
    EXPECT_LT(worst_apart(simulation, 1), 1e-7);
    const double a = simulation.spatial_velocity(0).angular.z;
    const double b = simulation.spatial_velocity(1).angular.z;
    EXPECT_NEAR(a + b, 0.0, 1e-9);
    const double inertia = scene.bodies[0].spatial().inertia.zz;
    EXPECT_NEAR(b, servo ? 2.0 : 0.05 * 1.0 / inertia, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Kinematic bodies carry what is jointed to them.
TEST(Joint, HandOnAMovingPalm) {
  SceneSpec scene = scenes::scene_3d("palm");
  BodySpec palm = block("palm", {0.0, 0.0, 1.0});
  palm.kind = BodyKind::kinematic;
  palm.spatial().motion = {{0.0, palm.spatial().pose},
                           {0.5, {{0.3, 0.0, 1.2}, {std::cos(0.3), 0.0, 0.0, std::sin(0.3)}}}};
  scene.bodies.push_back(palm);
  scene.bodies.push_back(block("jaw", {0.0, 0.0, 0.8}));
  scene.joints.push_back(make_joint(scene, "rail", JointKind::prismatic, 0, 1, {0.0, 0.0, 0.9}, {1.0, 0.0, 0.0}));
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = 0;
  motor.kind = ActuatorKind::position_servo;
  motor.target = 0.1;
  motor.limit = 1e4;
  motor.stiffness = 1e4;
  motor.damping = 1e3;
  scene.actuators.push_back(motor);
  Simulation simulation = simulate(scene, 0.01, 2.0);
  EXPECT_LT(worst_apart(simulation, 1), 1e-6);
  EXPECT_NEAR(simulation.joint_slide(0), 0.1, 1e-6);
  const SpatialPose at = simulation.spatial_pose(0);
  EXPECT_NEAR(at.position.x, 0.3, 1e-12);
  EXPECT_NEAR(at.position.z, 1.2, 1e-12);
  EXPECT_NEAR(at.turn.w, std::cos(0.3), 1e-12);
  const Vec3 jaw = simulation.spatial_pose(1).position;
  EXPECT_NEAR(jaw.x, 0.3 + 0.1 * std::cos(0.6), 1e-6);
  EXPECT_NEAR(jaw.y, 0.1 * std::sin(0.6), 1e-6);
  EXPECT_NEAR(jaw.z, 1.0, 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

std::string refusal(const SceneSpec& scene) {
  try {
    compile_model(scene);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Joint, RefusesWhatMakesNoSense) {
  SceneSpec scene = hanging_rod(0.0, JointKind::revolute);
  scene.joints[0].spatial().b.position.x += 0.01;
  EXPECT_NE(refusal(scene).find("0.01 m apart"), std::string::npos) << refusal(scene);
  scene = hanging_rod(0.0, JointKind::revolute);
  scene.joints[0].turn = JointRange{0.2, 0.1};
  EXPECT_NE(refusal(scene).find("lower limit"), std::string::npos);
  scene = hanging_rod(0.0, JointKind::revolute);
  scene.joints[0].slide = JointRange{0.0, 0.1};
  EXPECT_NE(refusal(scene).find("slide limits"), std::string::npos);
  scene = hanging_rod(0.0, JointKind::revolute);
  scene.joints[0].swing = 0.5;
  EXPECT_NE(refusal(scene).find("spherical joints"), std::string::npos);
  for (const double swing : {0.0, 3.1, -1.0, std::nan("")}) {
    EXPECT_NE(refusal(test::leaning_rod(swing, 0.0, 0.0)).find("must be 0.01 to 3 rad"), std::string::npos) << swing;
  }
  scene = test::circling_rod(0.6, 1.0);
  scene.joints[0].swing = 0.5;
  EXPECT_NE(refusal(scene).find("begins with a swing of 0.6 rad"), std::string::npos) << refusal(scene);
  scene = hanging_rod(0.0, JointKind::revolute);
  scene.joints[0].spatial().a.turn = {2.0, 0.0, 0.0, 0.0};
  EXPECT_NE(refusal(scene).find("unit length"), std::string::npos);
  scene.joints[0].frames = PlanarFrames{};
  EXPECT_NE(refusal(scene).find("its frames are not those of the scene"), std::string::npos) << refusal(scene);
  scene = test::planar_rod(0.0);
  scene.joints[0].frames = SpatialFrames{};
  EXPECT_NE(refusal(scene).find("its frames are not those of the scene"), std::string::npos) << refusal(scene);
  scene = test::planar_rod(0.0);
  scene.joints[0].kind = JointKind::spherical;
  EXPECT_NE(refusal(scene).find("in 3D"), std::string::npos);
  EXPECT_THROW(make_joint(scene, "j", JointKind::fixed, 0, 0, {}), std::invalid_argument);
  ActuatorSpec motor;
  motor.name = "m";
  motor.joint = 0;
  motor.kind = ActuatorKind::force;
  scene = hanging_rod(0.0, JointKind::revolute);
  scene.actuators.push_back(motor);  // slides
  EXPECT_NE(refusal(scene).find("does not slide"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp
