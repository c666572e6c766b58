// SPDX-License-Identifier: Apache-2.0
// Coupled joints against formulas, in 2D and in 3D, by both strategies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tests/integrate.hpp"
#include "tests/joint/coupling_scenes.hpp"
#include "tests/runs.hpp"

namespace pegrasp {
namespace {

using test::CentringGripper;
using test::GearedPendulums;
using test::Mechanism;

class Couplings : public testing::TestWithParam<std::tuple<bool, Strategy>> {
 protected:
  static bool spatial() { return std::get<0>(GetParam()); }
  static Simulation begin(const SceneSpec& scene, double h, double duration) {
    StepOptions options = test::steps_of(h, duration);
    options.strategy = std::get<1>(GetParam());
    if (options.strategy == Strategy::batched) options.solver = SolverKind::aj;
    return test::simulate(scene, options);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Couplings,
                         testing::Combine(testing::Bool(), testing::Values(Strategy::per_scene, Strategy::batched)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "Space" : "Plane") +
                                  (std::get<1>(info.param) == Strategy::batched ? "Batched" : "PerScene");
                         });

// A force at one sled moves both as one mass does: m + f^2 m' seen from the other, m' + m / f^2 from the first.
TEST_P(Couplings, SledsMoveAsOneMass) {
  constexpr double m = 2.0, of = 3.0, f = -1.5, force = 4.0, t = 0.4;
  for (const bool at_first : {false, true}) {
    Mechanism mechanism(spatial());
    const int first = mechanism.sled("first", m, 0.0);
    const int second = mechanism.sled("second", of, 1.0);
    mechanism.couple(first, second, f);
    mechanism.drive(at_first ? first : second, ActuatorKind::force, force);
    Simulation simulation = begin(mechanism.scene, 0.01, t);
    while (simulation.step()) {
      ASSERT_NEAR(simulation.joint_slide(first), f * simulation.joint_slide(second), 1e-8);
    }
    const double a = at_first ? f * force / (of + f * f * m) : force / (of + f * f * m);
    EXPECT_NEAR(simulation.joint_slide(second), 0.5 * a * t * t, 1e-7);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// A rack and its pinion, of another zero: the sled is where the wheel says, and weighs on it with its mass times the
// radius squared. The other way round the factor is one over the radius.
TEST_P(Couplings, ARackAndItsPinion) {
  constexpr double radius = 0.05, inertia = 0.01, mass = 6.0, torque = 0.3, offset = 0.02, t = 1.0;
  for (const bool of_the_wheel : {true, false}) {
    Mechanism mechanism(spatial());
    const int rack = mechanism.sled("rack", mass, 0.0);
    const int wheel = mechanism.wheel("wheel", inertia, 1.0);
    mechanism.shift(0, offset);
    if (of_the_wheel) {
      mechanism.couple(rack, wheel, radius, offset);
    } else {
      mechanism.couple(wheel, rack, 1.0 / radius, -offset / radius);
    }
    mechanism.drive(wheel, ActuatorKind::force, torque);
    Simulation simulation = begin(mechanism.scene, 0.01, t);
    while (simulation.step()) {
      ASSERT_NEAR(simulation.joint_slide(rack), radius * simulation.joint_turn(wheel) + offset, 2e-8);
    }
    EXPECT_NEAR(simulation.joint_turn(wheel), 0.5 * torque / (inertia + mass * radius * radius) * t * t, 1e-5);
    EXPECT_GT(simulation.joint_turn(wheel), 6.0) << "a whole turn is counted on";
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Two geared pendulums: the exact motion of one angle, to second order.
TEST_P(Couplings, PendulumsAreOfSecondOrder) {
  const SceneSpec scene = GearedPendulums::scene(spatial());
  constexpr double t = 0.8;
  const double exact = test::integrate({0.0, 0.0}, t, GearedPendulums::pull).angle;
  double error[2];
  for (const int half : {0, 1}) {
    Simulation simulation = begin(scene, half == 0 ? 0.02 : 0.01, t);
    double apart = 0.0;
    while (simulation.step()) {
      apart = std::max(apart, std::fabs(simulation.joint_turn(0) - GearedPendulums::ratio * simulation.joint_turn(1)));
    }
    error[half] = std::fabs(simulation.joint_turn(1) - exact);
    EXPECT_LT(apart, 1e-5);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
  }
  EXPECT_LT(error[1], 5e-4);
  EXPECT_GT(error[0], 3.3 * error[1]);
  EXPECT_LT(error[0], 4.7 * error[1]);
}

// A joint that is geared to another keeps the energy of both.
TEST_P(Couplings, PendulumsKeepTheirEnergy) {
  const SceneSpec scene = GearedPendulums::scene(spatial());
  Simulation simulation = begin(scene, 0.005, 6.0);
  double most = 0.0, least = 1e9;
  while (simulation.step()) {
    double energy = 0.0;
    for (const int body : {0, 1}) {
      const double y = spatial() ? simulation.spatial_pose(body).position.y : simulation.pose(body).y;
      energy += scene.bodies[static_cast<std::size_t>(body)].mass * GearedPendulums::gravity * y;
      if (spatial()) {
        const SpatialTwist v = simulation.spatial_velocity(body);
        const BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
        energy += 0.5 * spec.mass * (v.velocity.x * v.velocity.x + v.velocity.y * v.velocity.y) +
                  0.5 * spec.spatial().inertia.zz * v.angular.z * v.angular.z;
      } else {
        energy += test::kinetic_energy(scene, simulation, body);
      }
    }
    most = std::max(most, energy);
    least = std::min(least, energy);
  }
  EXPECT_LT(most - least, 0.01);  // of 3.9 J that move to and fro
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// A servo moves what is geared to its joint, until what resists there is more than its limit.
TEST_P(Couplings, AVelocityServoActsThroughOne) {
  constexpr double f = -2.0, limit = 10.0, speed = 0.5, m = 1.0, of = 2.0;
  for (const double resistance : {4.9, 5.5}) {  // [N] at the first joint: f times that at the servo
    Mechanism mechanism(spatial());
    const int first = mechanism.sled("first", m, 0.0);
    const int second = mechanism.sled("second", of, 1.0);
    mechanism.couple(first, second, f);
    mechanism.drive(second, ActuatorKind::velocity_servo, speed, limit);
    mechanism.drive(first, ActuatorKind::force, resistance);
    Simulation simulation = begin(mechanism.scene, 0.01, 20.0);
    for (int k = 0; k < 1000 && simulation.step(); ++k) {
    }
    const double t = simulation.time();
    const double before = simulation.joint_slide(first);
    ASSERT_TRUE(simulation.step());
    const double gained = (simulation.joint_slide(first) - before) / 0.01;
    const double left = limit + f * resistance;  // [N] at the servo
    if (left > 0.0) {
      const double until = speed * (of + f * f * m) / left;  // [s]
      EXPECT_NEAR(gained, f * std::min(speed, speed * (t + 0.005) / until), 1e-6) << resistance;
    } else {
      EXPECT_NEAR(simulation.joint_slide(second), 0.5 * left / (of + f * f * m) * (t + 0.01) * (t + 0.01), 1e-4);
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// A PD servo gives way to a force at the geared joint like a spring: by f F / K.
TEST_P(Couplings, APositionServoGivesWayThroughOne) {
  constexpr double f = 0.5, stiffness = 200.0, force = 6.0, target = 0.1;
  Mechanism mechanism(spatial());
  const int first = mechanism.sled("first", 1.0, 0.0);
  const int second = mechanism.sled("second", 2.0, 1.0);
  mechanism.couple(first, second, f);
  ActuatorSpec& servo = mechanism.drive(second, ActuatorKind::position_servo, target, 1e3);
  servo.stiffness = stiffness;
  servo.damping = 40.0;
  mechanism.drive(first, ActuatorKind::force, force);
  Simulation simulation = begin(mechanism.scene, 0.01, 3.0);
  simulation.run();
  EXPECT_NEAR(simulation.joint_slide(second), target + f * force / stiffness, 1e-6);
  EXPECT_NEAR(simulation.joint_slide(first), f * simulation.joint_slide(second), 1e-8);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// The limit of one joint stops the other.
TEST_P(Couplings, ALimitActsThroughOne) {
  Mechanism mechanism(spatial());
  const int first = mechanism.sled("first", 1.0, 0.0);
  const int second = mechanism.sled("second", 2.0, 1.0);
  mechanism.couple(first, second, -2.0);
  mechanism.scene.joints[static_cast<std::size_t>(first)].slide = JointRange{-0.3, 1.0};
  mechanism.drive(second, ActuatorKind::velocity_servo, 1.0, 30.0);
  Simulation simulation = begin(mechanism.scene, 0.01, 1.0);
  simulation.run();
  EXPECT_NEAR(simulation.joint_slide(second), 0.15, 1e-6);
  EXPECT_NEAR(simulation.joint_slide(first), -0.3, 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// Sleds in a chain: each weighs on the last with the square of its ratio to that.
TEST_P(Couplings, AChainOfThem) {
  constexpr double f[] = {2.0, -0.5, 1.5};
  constexpr double mass[] = {1.0, 2.0, 0.5, 3.0};
  constexpr double force = 5.0, t = 0.5;
  Mechanism mechanism(spatial());
  int joint[4];
  for (int k = 0; k < 4; ++k) joint[k] = mechanism.sled("sled" + std::to_string(k), mass[k], k);
  for (int k = 0; k < 3; ++k) mechanism.couple(joint[k], joint[k + 1], f[k]);
  mechanism.drive(joint[0], ActuatorKind::force, force);
  Simulation simulation = begin(mechanism.scene, 0.01, t);
  simulation.run();
  double ratio = 1.0, inertia = mass[3];
  for (int k = 2; k >= 0; --k) {
    ratio *= f[k];
    inertia += ratio * ratio * mass[k];
  }
  const double x = 0.5 * ratio * force / inertia * t * t;
  EXPECT_NEAR(simulation.joint_slide(joint[3]), x, 1e-6);
  EXPECT_NEAR(simulation.joint_slide(joint[0]), ratio * x, 1e-6);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// On a free base the forces of a coupling act on the base too: momentum stays, and two equal sleds that are thrown
// apart leave it where it is.
TEST_P(Couplings, OnAFreeBaseMomentumStays) {
  for (const double f : {-1.0, -0.4, 2.0}) {
    Mechanism mechanism(spatial());
    const int base = mechanism.box("base", 0.1, 0.1, 4.0, 0.0, 3.0);
    const int first = mechanism.sled("first", 1.0, 3.5, base);
    const int second = mechanism.sled("second", 1.0, 2.5, base);
    mechanism.couple(first, second, f);
    mechanism.drive(second, ActuatorKind::force, 2.0);
    Simulation simulation = begin(mechanism.scene, 0.01, 0.4);
    while (simulation.step()) {
      double momentum = 0.0;
      for (int body = 0; body < 3; ++body) {
        const double v = spatial() ? simulation.spatial_velocity(body).velocity.x : simulation.velocity(body).vx;
        momentum += mechanism.scene.bodies[static_cast<std::size_t>(body)].mass * v;
      }
      ASSERT_NEAR(momentum, 0.0, 1e-7);
      ASSERT_NEAR(simulation.joint_slide(first), f * simulation.joint_slide(second), 1e-6);
      if (f == -1.0) {
        const double x = spatial() ? simulation.spatial_pose(0).position.x : simulation.pose(0).x;
        ASSERT_NEAR(x, 0.0, 1e-8);
      }
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// What a coupling does to each of its joints is reported, and is what accelerates the sleds.
TEST_P(Couplings, TheirForcesAreReported) {
  constexpr double m = 2.0, of = 3.0, f = -1.5, force = 4.0, h = 0.01;
  Mechanism mechanism(spatial());
  const int first = mechanism.sled("first", m, 0.0);
  const int second = mechanism.sled("second", of, 1.0);
  mechanism.couple(first, second, f);
  mechanism.drive(second, ActuatorKind::force, force);
  Simulation simulation = begin(mechanism.scene, h, 0.5);
  simulation.watch_contacts();
  ASSERT_TRUE(simulation.step());
  ASSERT_TRUE(simulation.step());
  const double a = force / (of + f * f * m);
  int seen = 0;
  for (const LoadReport& load : simulation.contents().loads) {
    if (load.kind != RowKind::coupling) continue;
    ++seen;
    EXPECT_EQ(load.index, 0);
    EXPECT_EQ(load.body_b, load.row == 0 ? 0 : 1);
    EXPECT_NEAR(load.impulse.x / load.duration, load.row == 0 ? m * f * a : of * a - force, 1e-5);
    EXPECT_NEAR(load.impulse.y, 0.0, 1e-9);
    EXPECT_NEAR(load.point.y, load.row == 0 ? 0.0 : 1.0, 1e-12);
  }
  EXPECT_EQ(seen, 2);
}

// A motor that is stronger than the friction at the ground pushes the part to the middle and holds it there; a weaker
// one leaves it where it is, but for what the jaw's own momentum pushes it.
TEST_P(Couplings, AGripperCentresAPartAgainstFriction) {
  constexpr double off = 0.015;
  for (const double share : {0.8, 1.3}) {
    const double force = share * CentringGripper::to_overcome();
    const SceneSpec scene = CentringGripper::scene(spatial(), off, force);
    Simulation simulation = begin(scene, 0.005, 3.0);
    simulation.run();
    const double x = spatial() ? simulation.spatial_pose(CentringGripper::part).position.x
                               : simulation.pose(CentringGripper::part).x;
    EXPECT_NEAR(simulation.joint_slide(1), -simulation.joint_slide(0), 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    if (share > 1.0) {
      EXPECT_NEAR(x, 0.0, 1e-5);
      EXPECT_NEAR(simulation.joint_slide(0), 0.5 * (CentringGripper::opening - CentringGripper::part_width), 1e-5);
    } else {
      const double mass = 2.0 * CentringGripper::jaw_mass + CentringGripper::part_mass;
      const double pushed =
          0.5 * mass * CentringGripper::speed * CentringGripper::speed / (CentringGripper::to_overcome() - force);
      EXPECT_LE(x, off + 1e-6);
      EXPECT_GE(x, off - pushed);
    }
  }
}

// As it is pushed the part is accelerated by what friction leaves of the force, with both jaws' masses.
TEST_P(Couplings, AGripperAcceleratesWhatItPushes) {
  const double force = 2.0 * CentringGripper::to_overcome();
  SceneSpec scene = CentringGripper::scene(spatial(), 0.03, force);  // the right jaw touches from the start
  scene.actuators[0].target = 10.0;
  Simulation simulation = begin(scene, 0.001, 0.05);
  simulation.run();
  const double mass = 2.0 * CentringGripper::jaw_mass + CentringGripper::part_mass;
  const double t = simulation.time();
  const double x =
      spatial() ? simulation.spatial_pose(CentringGripper::part).position.x : simulation.pose(CentringGripper::part).x;
  EXPECT_NEAR(x, 0.03 - 0.5 * (force - CentringGripper::to_overcome()) / mass * t * t, 2e-5);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

// Every solver of a scene finds the same motion.
TEST(CouplingSolvers, Agree) {
  for (const bool spatial : {false, true}) {
    const SceneSpec scene = CentringGripper::scene(spatial, 0.01, 1.5 * CentringGripper::to_overcome());
    for (const SolverKind solver : test::every_solver) {
      StepOptions options = test::steps_of(0.005, 1.2);
      options.solver = solver;
      options.max_iterations = 100'000;
      Simulation simulation = test::simulate(scene, options);
      simulation.run();
      EXPECT_NEAR(simulation.joint_slide(1), -simulation.joint_slide(0), 1e-5) << name_of(solver);
      const double x = spatial ? simulation.spatial_pose(0).position.x : simulation.pose(0).x;
      EXPECT_LT(x, 0.0095);
      EXPECT_EQ(simulation.outcome().status, status_ok) << name_of(solver);
    }
  }
}

// Scenes of too many bodies for Newton's matrix solve joints along their tree, and couplings with them.
TEST(CouplingSolvers, InLargeScenes) {
  for (const bool spatial : {false, true}) {
    SceneSpec scene = GearedPendulums::scene(spatial);
    Mechanism crowd(spatial);
    for (int k = 0; k < 60; ++k) crowd.box("box" + std::to_string(k), 0.1, 0.1, 1.0, 0.3 * k, 50.0);
    for (BodySpec& body : crowd.scene.bodies) scene.bodies.push_back(std::move(body));
    StepOptions options = test::steps_of(0.01, 0.8);
    options.strategy = Strategy::per_scene;
    options.islands = false;
    Simulation simulation = test::simulate(scene, options);
    simulation.run();
    const double exact = test::integrate({0.0, 0.0}, 0.8, GearedPendulums::pull).angle;
    EXPECT_NEAR(simulation.joint_turn(1), exact, 5e-4);
    EXPECT_NEAR(simulation.joint_turn(0), GearedPendulums::ratio * simulation.joint_turn(1), 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Where parameters put the bodies of one joint elsewhere, the coupling is drawn together at the recovery speed.
TEST_P(Couplings, AreDrawnTogether) {
  Mechanism mechanism(spatial());
  const int first = mechanism.sled("first", 1.0, 0.0);
  const int second = mechanism.sled("second", 1.0, 1.0);
  mechanism.couple(first, second, -1.0);
  std::vector<double> parameters = scene_parameters(mechanism.scene);
  parameters[static_cast<std::size_t>(parameter_layout(mechanism.scene).pose(0))] += 0.001;
  StepOptions options = test::steps_of(0.01, 1.0);
  options.strategy = std::get<1>(GetParam());
  if (options.strategy == Strategy::batched) options.solver = SolverKind::aj;
  options = derive_options(options, mechanism.scene);
  Simulation simulation(compile_model(mechanism.scene), options, parameters);
  EXPECT_NEAR(simulation.joint_apart(first), 0.001, 1e-12);
  const double a_step = options.recovery_speed * options.h;
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.joint_apart(first), std::max(0.0, 0.001 - a_step), 1e-8);
  simulation.run();
  EXPECT_NEAR(simulation.joint_apart(first), 0.0, 1e-8);
}

}  // namespace
}  // namespace pegrasp
