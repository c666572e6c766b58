// SPDX-License-Identifier: Apache-2.0
// Motors of spherical joints: against formulas, against those of revolute joints, and in any direction alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/scene_json.hpp"
#include "src/geometry/placement.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::ball_motor;

constexpr double pi = 3.14159265358979323846;

Vec3 unit(Vec3 v) { return (1.0 / length(v)) * v; }
const std::vector<Vec3> directions{
    {1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.6, 0.0, 0.8}, unit({1.0, -2.0, 0.5}), unit({-1.0, -1.0, -1.0})};

// A cube that floats about its centre on a ball joint of the world; all axes through its centre are alike.
SceneSpec cube_on_a_ball() {
  SceneSpec scene = scenes::scene_3d("cube");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(scenes::solid_body("cube", scenes::cuboid(0.2, 0.2, 0.2), 200.0));
  scene.joints.push_back(make_joint(scene, "ball", JointKind::spherical, -1, 0, {}));
  return scene;
}
double inertia(const SceneSpec& scene) { return scene.bodies[0].spatial().inertia.xx; }

// Rotation vector of a body since it lay along the world's axes.
Vec3 rotation(const Simulation& simulation, int body) { return turn_vector(simulation.spatial_pose(body).turn); }

double apart(Vec3 a, Vec3 b) { return length(a - b); }

TEST(BallMotor, ATorqueSpinsAFreeBodyUp) {
  for (const Vec3& d : directions) {
    SceneSpec scene = cube_on_a_ball();
    scene.actuators = {ball_motor(ActuatorKind::force, 0.3 * d, 0.0)};
    Simulation simulation = test::simulate(scene, 0.01, 1.0);
    while (simulation.step()) {
    }
    EXPECT_LT(apart(simulation.spatial_velocity(0).angular, (0.3 / inertia(scene)) * d), 1e-9);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
  }
}

// At its limit it pulls as strongly in any direction: a cube of bounds would do so along its corners by a factor of
// 1.7.
TEST(BallMotor, AVelocityServoPullsInAnyDirectionAlike) {
  constexpr double limit = 0.5, speed = 4.0, h = 0.01;
  for (const Vec3& d : directions) {
    SceneSpec scene = cube_on_a_ball();
    scene.actuators = {ball_motor(ActuatorKind::velocity_servo, speed * d, limit)};
    const double rate = limit / inertia(scene);
    Simulation simulation = test::simulate(scene, h, 2.0 * speed / rate);
    while (simulation.step()) {
      const double expected = std::min(speed, rate * simulation.time());
      ASSERT_LT(apart(simulation.spatial_velocity(0).angular, expected * d), 1e-6) << simulation.time();
    }
    EXPECT_NEAR(length(simulation.spatial_velocity(0).angular), speed, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Between two free bodies: what one gets the other loses, and neither is held by the world.
TEST(BallMotor, ActsOnBothBodies) {
  for (const ActuatorKind kind : {ActuatorKind::force, ActuatorKind::velocity_servo, ActuatorKind::position_servo}) {
    SceneSpec scene = cube_on_a_ball();
    BodySpec other = scenes::solid_body("plate", scenes::cuboid(0.3, 0.2, 0.02), 900.0);
    other.spatial().pose.position = {0.0, 0.0, 0.4};
    scene.bodies.push_back(other);
    scene.joints = {make_joint(scene, "ball", JointKind::spherical, 0, 1, {0.05, 0.0, 0.3})};
    scene.actuators = {ball_motor(kind, {0.4, -0.2, 0.3}, 0.4, 2.0, 0.1)};
    Simulation simulation = test::simulate(scene, 0.004, 1.5);
    while (simulation.step()) {
    }
    Vec3 momentum{}, spin{};
    for (int body = 0; body < 2; ++body) {
      const BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
      const SpatialTwist v = simulation.spatial_velocity(body);
      const SpatialPose pose = simulation.spatial_pose(body);
      momentum = momentum + spec.mass * v.velocity;
      const Quaternion back{pose.turn.w, -pose.turn.x, -pose.turn.y, -pose.turn.z};
      const Vec3 w = turned(back, v.angular);
      const InertiaTensor& i = spec.spatial().inertia;
      spin = spin + turned(pose.turn, Vec3{i.xx * w.x, i.yy * w.y, i.zz * w.z}) +
             spec.mass * cross(pose.position, v.velocity);
    }
    EXPECT_LT(length(momentum), 1e-9) << static_cast<int>(kind);
    EXPECT_LT(length(spin), 1e-8) << static_cast<int>(kind);
    EXPECT_GT(length(simulation.spatial_velocity(1).angular - simulation.spatial_velocity(0).angular) +
                  apart(rotation(simulation, 0), rotation(simulation, 1)),
              0.1);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// About one axis it is the motor of a revolute joint, step by step, with its limit, its damping and its program.
TEST(BallMotor, AboutOneAxisItIsThatOfARevoluteJoint) {
  for (const double limit : {0.05, 100.0}) {
    for (const Vec3& d : directions) {
      SceneSpec ball = cube_on_a_ball();
      ball.bodies[0].spatial().velocity.angular = -0.7 * d;
      ball.actuators = {ball_motor(ActuatorKind::position_servo, 0.6 * d, limit, 0.5, 0.05)};
      ball.actuators[0].program = {{0.3, 0.0, {}}, {1.1, 0.0, 0.9 * d}};
      SceneSpec hinge = ball;
      hinge.joints = {make_joint(hinge, "hinge", JointKind::revolute, -1, 0, {}, d)};
      hinge.actuators[0].ball = {};
      hinge.actuators[0].target = 0.6;
      hinge.actuators[0].program = {{0.3, 0.0}, {1.1, 0.9}};
      Simulation of_ball = test::simulate(ball, 0.008, 2.0);
      Simulation of_hinge = test::simulate(hinge, 0.008, 2.0);
      while (of_ball.step() && of_hinge.step()) {
        ASSERT_LT(apart(rotation(of_ball, 0), of_hinge.joint_turn(0) * d), 1e-6) << of_ball.time();
      }
      EXPECT_EQ(of_ball.time(), of_hinge.time());
      EXPECT_EQ(of_ball.outcome().status, status_ok);
    }
  }
}

// Held against its weight it sags as a spring does: K e = m g l / 2 sin(angle), about the horizontal.
TEST(BallMotor, HoldsARodThatSags) {
  for (const Vec3 target : {Vec3{0.0, 0.7, 0.0}, Vec3{0.5, 0.3, 0.0}, Vec3{0.4, -0.9, 0.6}}) {
    SceneSpec scene = test::hanging_rod(0.0, JointKind::spherical);
    scene.joints = {make_joint(scene, "ball", JointKind::spherical, -1, 0, {})};
    constexpr double stiffness = 60.0;
    scene.actuators = {ball_motor(ActuatorKind::position_servo, target, 1000.0, stiffness, 15.0)};
    Simulation simulation = test::simulate(scene, 0.005, 8.0);
    while (simulation.step()) {
    }
    const SpatialPose at = simulation.spatial_pose(0);
    const Quaternion back{at.turn.w, -at.turn.x, -at.turn.y, -at.turn.z};
    const Vec3 left = turn_vector(turn_by(target) * back);
    const Vec3 weight{0.0, 0.0, -scene.bodies[0].mass * scenes::standard_gravity};
    EXPECT_LT(length(stiffness * left + cross(at.position, weight)), 1e-4);
    EXPECT_GT(length(left), 0.05);
    EXPECT_LT(length(simulation.spatial_velocity(0).angular), 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// A target that goes on turning, far beyond half a turn, is followed without a lag: it is damped against its own speed.
TEST(BallMotor, FollowsAProgramRoundAndRound) {
  for (const Vec3& d : directions) {
    SceneSpec scene = cube_on_a_ball();
    scene.actuators = {ball_motor(ActuatorKind::position_servo, {}, 100.0, 40.0, 4.0)};
    scene.actuators[0].program = {{0.0, 0.0, {}}, {5.0, 0.0, 25.0 * d}};
    Simulation simulation = test::simulate(scene, 0.01, 4.0);
    while (simulation.step()) {
    }
    EXPECT_LT(apart(simulation.spatial_velocity(0).angular, 5.0 * d), 2e-5);
    const Vec3 there = turn_vector(turn_by(5.0 * simulation.time() * d));
    EXPECT_LT(apart(rotation(simulation, 0), there), 1e-5);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// The shorter way round, and from half a turn one of the two.
TEST(BallMotor, GoesTheShorterWayRound) {
  for (const double angle : {3.0, 4.0, -3.5, 6.0, pi}) {
    for (const Vec3& d : directions) {
      SceneSpec scene = cube_on_a_ball();
      scene.actuators = {ball_motor(ActuatorKind::position_servo, angle * d, 100.0, 5.0, 2.0)};
      Simulation simulation = test::simulate(scene, 0.01, 15.0);
      ASSERT_TRUE(simulation.step());
      const double way = std::remainder(angle, 2.0 * pi);
      const double turns = dot(simulation.spatial_velocity(0).angular, d);
      EXPECT_GT(std::fabs(turns), 0.03);
      if (angle != pi) {
        EXPECT_GT(turns * way, 0.0) << angle;
      }
      while (simulation.step()) {
      }
      const Quaternion q = simulation.spatial_pose(0).turn;
      const Vec3 left = turn_vector(turn_by(angle * d) * Quaternion{q.w, -q.x, -q.y, -q.z});
      EXPECT_LT(length(left), 1e-5) << angle;
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

// From anywhere to anywhere, with a body no two of whose axes are alike.
TEST(BallMotor, AnyTurnToAnyOther) {
  double x = 0.1;
  const auto next = [&x] { return x = std::fmod(937.0 * x + 0.317, 1.0), 2.0 * x - 1.0; };
  for (int k = 0; k < 20; ++k) {
    SCOPED_TRACE(k);
    const Vec3 from{pi * next(), pi * next(), pi * next()};
    const Vec3 to{pi * next(), pi * next(), pi * next()};
    SceneSpec scene = cube_on_a_ball();
    scene.bodies[0] = scenes::solid_body("plate", scenes::cuboid(0.3, 0.2, 0.05), 500.0);
    scene.joints = {make_joint(scene, "ball", JointKind::spherical, -1, 0, {})};
    scene.bodies[0].spatial().pose.turn = turn_by(from);
    scene.actuators = {ball_motor(ActuatorKind::position_servo, to, k % 2 == 0 ? 1.0 : 100.0, 4.0, 1.5)};
    Simulation simulation = test::simulate(scene, 0.01, 20.0);
    while (simulation.step()) {
    }
    const Quaternion q = simulation.spatial_pose(0).turn;
    EXPECT_LT(length(turn_vector(turn_by(to) * Quaternion{q.w, -q.x, -q.y, -q.z})), 1e-4);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Gains so soft that what the servo gives way by is most of its row, and none at all: whichever solver, from the first
// step on.
TEST(BallMotor, SoftServosWithEverySolver) {
  for (const double stiffness : {0.0, 0.01, 1.0, 300.0}) {
    SceneSpec scene = cube_on_a_ball();
    scene.bodies[0] = scenes::solid_body("plate", scenes::cuboid(0.2, 0.1, 0.06), 800.0);
    scene.bodies[0].spatial().velocity.angular = {1.0, -2.0, 0.5};
    scene.joints = {make_joint(scene, "ball", JointKind::spherical, -1, 0, {})};
    scene.actuators = {ball_motor(ActuatorKind::position_servo, {0.5, 0.3, -0.2}, 10.0, stiffness, 0.1 * stiffness)};
    const auto end = [&](SolverKind solver) {
      StepOptions options = test::steps_of(0.005, 1.0);
      options.solver = solver;
      Simulation simulation = test::simulate(scene, options);
      while (simulation.step()) {
      }
      EXPECT_EQ(simulation.outcome().status, status_ok);
      return rotation(simulation, 0);
    };
    const Vec3 expected = end(SolverKind::newton);
    for (const SolverKind solver : test::every_solver) {
      SCOPED_TRACE(name_of(solver) + " " + std::to_string(stiffness));
      EXPECT_LT(apart(end(solver), expected), 1e-4);
    }
  }
}

// A servo against a body that is kinematic does work on the other alone: no step is refused for energy that it had from
// nowhere.
TEST(BallMotor, OnATurntable) {
  for (const JointKind kind : {JointKind::spherical, JointKind::revolute}) {
    for (const double speed : {2.0, -2.0}) {
      for (const double target : {0.5, 2.0, 3.0}) {
        SceneSpec scene = cube_on_a_ball();
        BodySpec table = scene.bodies[0];
        table.name = "table";
        table.kind = BodyKind::kinematic;
        for (int k = 0; k <= 8; ++k) {
          table.spatial().motion.push_back({0.25 * k, {{}, turn_by({0.0, 0.0, 0.25 * k * speed})}});
        }
        scene.bodies.push_back(table);
        scene.joints = {make_joint(scene, "joint", kind, 1, 0, {}, {0.0, 0.0, 1.0})};
        scene.actuators = {ball_motor(ActuatorKind::position_servo, {0.0, 0.0, target}, 100.0, 50.0, 3.0)};
        if (kind == JointKind::revolute) {
          scene.actuators[0].ball = {};
          scene.actuators[0].target = target;
        }
        Simulation simulation = test::simulate(scene, 0.005, 2.0);
        while (simulation.step()) {
        }
        EXPECT_EQ(simulation.outcome().status, status_ok);
        EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
        EXPECT_LT(apart(rotation(simulation, 0), turn_vector(turn_by({0.0, 0.0, 2.0 * speed + target}))), 1e-3);
        // What the servo did is the kinetic energy that the cube has.
        const EnergyReport energy = simulation.energy();
        EXPECT_NEAR(energy.explained, energy.kinetic, 1e-3 * energy.kinetic);
      }
    }
  }
}

// Targets are those of frame a, which body a carries along.
TEST(BallMotor, TargetsTurnWithTheFirstBody) {
  SceneSpec scene = cube_on_a_ball();
  BodySpec carrier = scene.bodies[0];
  carrier.name = "carrier";
  carrier.kind = BodyKind::kinematic;
  carrier.spatial().motion = {{0.0, {}}, {2.0, {{}, turn_by({0.0, 0.0, 0.5 * pi})}}};
  scene.bodies.push_back(carrier);
  scene.joints = {make_joint(scene, "ball", JointKind::spherical, 1, 0, {})};
  scene.actuators = {ball_motor(ActuatorKind::position_servo, {0.8, 0.0, 0.0}, 100.0, 40.0, 8.0)};
  Simulation simulation = test::simulate(scene, 0.01, 4.0);
  while (simulation.step()) {
  }
  const Quaternion expected = turn_by({0.0, 0.0, 0.5 * pi}) * turn_by({0.8, 0.0, 0.0});
  EXPECT_LT(apart(rotation(simulation, 0), turn_vector(expected)), 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
}

// examples/scenes/shoulder.json: the arm comes where its program asks for, but for the weight that it carries there,
// and the block lies on its side.
TEST(BallMotor, AShoulderTipsABlockOver) {
  const SceneFile file = load_scene_json(test::source_file("examples/scenes/shoulder.json"));
  for (const double h : {0.001, 0.005, 0.01}) {
    Simulation arm = test::simulate(file.scene, h, file.t_end);
    double apart = 0.0;
    while (arm.step()) apart = std::max({apart, arm.joint_apart(0), arm.joint_apart(1)});
    EXPECT_LT(apart, 1e-6);
    const SpatialPose block = arm.spatial_pose(3);
    EXPECT_NEAR(block.position.z, 0.03, 1e-6);  // lies on the face that was at its side
    EXPECT_NEAR(block.position.x, 0.25, 0.02);
    EXPECT_LT(length(arm.spatial_velocity(3).velocity), 1e-6);
    // last target in the world: the joint's frame has x as the world, y and z the other way round
    const Quaternion asked = turn_by({-0.6, -0.5, -0.8});
    const Quaternion q = arm.spatial_pose(1).turn;
    EXPECT_LT(length(turn_vector(asked * Quaternion{q.w, -q.x, -q.y, -q.z})), 0.05);
    EXPECT_EQ(arm.outcome().status, status_ok);
    EXPECT_EQ(arm.outcome().substeps_rejected, 0);
  }
}

TEST(BallMotor, SceneFilesHaveVectors) {
  const std::string begin =
      R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, 0],
          "bodies": [{"name": "ball", "sphere": {"radius": 0.1}, "mass": 1}],
          "joints": [{"kind": "spherical", "bodies": ["world", "ball"], "anchor": [0, 0, 0]}],
          "actuators": [{"joint": "joint_1", )";
  const auto parse = [&](const std::string& rest) { return parse_scene_json(begin + rest + "}]}", "f.json").scene; };
  const SceneSpec scene = parse(R"("kind": "position_servo", "target": [0.1, 0.2, 0.3], "limit": 2, "stiffness": 3,
                                   "program": [[0, 0, 0, 0], [1, 4, 5, 6]])");
  ASSERT_EQ(scene.actuators.size(), 1u);
  const ActuatorSpec& motor = scene.actuators[0];
  EXPECT_TRUE(motor.rotary);
  EXPECT_EQ(motor.ball.y, 0.2);
  ASSERT_EQ(motor.program.size(), 2u);
  EXPECT_EQ(motor.program[1].time, 1.0);
  EXPECT_EQ(motor.program[1].ball.z, 6.0);
  const std::vector<double> values = scene_parameters(scene);
  const auto at = static_cast<std::size_t>(parameter_layout(scene).actuator(0));
  EXPECT_EQ((std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(at),
                                 values.begin() + static_cast<std::ptrdiff_t>(at + 6))),
            (std::vector<double>{0.1, 2.0, 3.0, 0.0, 0.2, 0.3}));
  EXPECT_EQ(parse(R"("kind": "velocity_servo", "limit": 2)").actuators[0].ball.x, 0.0);
  const auto refused = [&](const std::string& rest, const std::string& words) {
    try {
      compile_model(parse(rest));
      ADD_FAILURE() << rest << " was taken";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused(R"("kind": "velocity_servo", "limit": 2, "target": 3)", "actuators[0].target");
  refused(R"("kind": "velocity_servo", "limit": 2, "target": [3, 4])", "actuators[0].target");
  refused(R"("kind": "velocity_servo", "limit": 2, "program": [[0, 1]])", "actuators[0].program[0]");
  refused(R"("kind": "velocity_servo", "limit": 2, "program": [])", "give [time, x, y, z]");
  refused(R"("kind": "velocity_servo", "limit": 2, "rotary": false, "target": [3, 4, 5])",
          "actuators[0].rotary: is false");
  refused(R"("kind": "position_servo", "stiffness": 1, "limit": 2, "target": [0, 2e5, 0])",
          "actuators[0].target: is a rotation vector of more than");
}

TEST(BallMotor, TargetsThatMakeNoSenseAreRefused) {
  const auto message = [](const SceneSpec& scene) {
    try {
      compile_model(scene);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SceneSpec scene = test::held_by_a_ball_motor();
  EXPECT_EQ(message(scene), "");
  scene.actuators[0].target = 1.0;
  EXPECT_NE(message(scene).find("is a vector"), std::string::npos);
  scene = test::held_by_a_ball_motor();
  scene.actuators[0].program[1].ball.y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(scene).find("finite"), std::string::npos);
  scene = test::hanging_rod(0.5, JointKind::revolute);
  scene.actuators = {ball_motor(ActuatorKind::velocity_servo, {0.0, 1.0, 0.0}, 1.0)};
  EXPECT_NE(message(scene).find("only the motor of a spherical joint"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp
