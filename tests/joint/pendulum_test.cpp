// SPDX-License-Identifier: Apache-2.0
// Hanging rods: the joint holds, energy stays, the period is that of the textbook.
#include <gtest/gtest.h>

#include <vector>

#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::hanging_rod;
using test::planar_rod;
using test::simulate;

constexpr double pi = 3.14159265358979323846;

// Time of a full swing, from where the angle passes zero, upwards, to where it does the second time, by linear
// interpolation.
double period(Simulation& simulation) {
  std::vector<double> crossings;
  double last = 0.0;
  double time = 0.0;
  bool first = true;
  while (simulation.step() && crossings.size() < 11) {
    // joints count from the pose they were made in; the rod hangs straight where its centre is below the hinge
    const double angle = simulation.joint_turn(0);
    if (!first && last < 0.0 && angle >= 0.0) {
      const double h = simulation.time() - time;
      crossings.push_back(time + h * last / (last - angle));
    }
    first = false;
    last = angle;
    time = simulation.time();
  }
  return crossings.size() < 2 ? 0.0
                              : (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
}

// Made hanging straight, then turned by an initial velocity that carries it to `amplitude`.
double swing_speed(double amplitude) {
  const double inertia =
      (test::rod_length * test::rod_length + 0.01) / 12.0 + 0.25 * test::rod_length * test::rod_length;
  return std::sqrt(2.0 * scenes::standard_gravity * 0.5 * test::rod_length * (1.0 - std::cos(amplitude)) / inertia);
}

TEST(Pendulum, PeriodIn2D) {
  const double amplitude = 0.2;
  SceneSpec scene = planar_rod(0.0);
  const double speed = swing_speed(amplitude);
  scene.bodies[0].planar().velocity = {0.5 * test::rod_length * speed, 0.0, speed};
  for (const auto& [h, within] : {std::pair{0.001, 1e-5}, std::pair{0.01, 1e-3}}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    Simulation simulation = simulate(scene, h, 15.0);
    EXPECT_NEAR(period(simulation) / test::rod_period(amplitude), 1.0, within);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

TEST(Pendulum, PeriodIn3D) {
  const double amplitude = 0.2;
  SceneSpec scene = hanging_rod(0.0, JointKind::revolute);
  const double speed = swing_speed(amplitude);
  scene.bodies[0].spatial().velocity.angular = {0.0, speed, 0.0};
  scene.bodies[0].spatial().velocity.velocity = {-0.5 * test::rod_length * speed, 0.0, 0.0};
  for (const auto& [h, within] : {std::pair{0.001, 1e-5}, std::pair{0.01, 1e-3}}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    Simulation simulation = simulate(scene, h, 15.0);
    EXPECT_NEAR(period(simulation) / test::rod_period(amplitude), 1.0, within);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

// Thesis, figure 6.4: below 7e-5 m over five seconds at its step of 10 ms.
TEST(Pendulum, JointOfTheHangingRodHolds) {
  for (const double h : {0.001, 0.01, 0.05}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    Simulation simulation = simulate(hanging_rod(pi / 5.0, JointKind::spherical), h, 5.0);
    double worst = 0.0;
    while (simulation.step()) worst = std::max(worst, simulation.joint_apart(0));
    EXPECT_LT(worst, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  }
}

// No drift of the energy: its error after a hundred swings is that of the first.
TEST(Pendulum, KeepsItsEnergy) {
  for (const bool spatial : {false, true}) {
    for (const double h : {0.002, 0.01}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "space" : "plane") << ", h " << h);
      const SceneSpec scene = spatial ? hanging_rod(1.0, JointKind::revolute) : planar_rod(1.0);
      Simulation simulation = simulate(scene, h, 120.0);
      const double weight = scene.bodies[0].mass * scenes::standard_gravity;
      const double top = -weight * 0.5 * test::rod_length * std::cos(1.0);
      const double depth = weight * test::rod_length * 0.5 + top;  // from where it starts to where it hangs
      double early = 0.0;
      double late = 0.0;
      while (simulation.step()) {
        const EnergyReport energy = simulation.energy();
        const double error = std::fabs(energy.kinetic + energy.potential - top) / depth;
        double& worst = simulation.time() < 5.0 ? early : late;
        worst = std::max(worst, error);
      }
      EXPECT_LT(early, 30.0 * h);
      EXPECT_LT(late, 1.2 * early + 1e-4);
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

// Without weight it goes round for ever, however far in a step.
TEST(Pendulum, SpinsByMoreThanARadianAStep) {
  for (const bool spatial : {false, true}) {
    for (const double turn : {0.9, 1.2, 1.8}) {
      SCOPED_TRACE(testing::Message() << (spatial ? "space" : "plane") << ", " << turn << " rad a step");
      const SceneSpec scene = test::spinning_rod(spatial, turn / 0.01);
      Simulation simulation = simulate(scene, 0.01, 1.0);
      const double start = simulation.energy().kinetic;
      while (simulation.step()) EXPECT_NEAR(simulation.energy().kinetic / start, 1.0, 1e-4);
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

// A double pendulum thrown about: its joints hold and its energy neither grows nor fades.
TEST(Pendulum, DoubleOneHolds) {
  SceneSpec scene = hanging_rod(1.5, JointKind::revolute);
  BodySpec second = scene.bodies[0];
  second.name = "second";
  const Vec3 at = scene.bodies[0].spatial().pose.position;
  second.spatial().pose.position = {3.0 * at.x, 0.0, 3.0 * at.z};
  scene.bodies.push_back(second);
  scene.joints.push_back(
      make_joint(scene, "elbow", JointKind::revolute, 0, 1, {2.0 * at.x, 0.0, 2.0 * at.z}, {0.0, 1.0, 0.0}));
  Simulation simulation = simulate(scene, 0.004, 20.0);
  const EnergyReport start = simulation.energy();
  double apart = 0.0;
  double error = 0.0;
  while (simulation.step()) {
    apart = std::max({apart, simulation.joint_apart(0), simulation.joint_apart(1)});
    const EnergyReport now = simulation.energy();
    error = std::max(error, std::fabs(now.kinetic + now.potential - start.kinetic - start.potential));
  }
  EXPECT_LT(apart, 1e-6);
  EXPECT_LT(error / std::fabs(start.potential), 0.2);
  EXPECT_EQ(simulation.outcome().status, status_ok);
}

}  // namespace
}  // namespace pegrasp
