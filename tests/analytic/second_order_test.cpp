// SPDX-License-Identifier: Apache-2.0
// Smooth motion in 2D is of second order in the step, against closed forms and integrals of their equations of motion:
// pendulums, boxes that tip over a corner, boxes that stick to a turning tray. Impacts gain no energy.
#include <algorithm>

#include "tests/integrate.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

constexpr double turned_by_joint = 1.9;  // [rad]

// Error of the angle [rad] of a rod that is let go at 1.9 rad, after two seconds.
double pendulum_error(double h) {
  const double half = 0.25, inertia = (0.25 + 0.01) / 12.0;
  SceneSpec scene;
  scene.gravity = {0.0, -standard_gravity};
  BodySpec rod = scenes::box_body("rod", 0.1, 0.5, 1.0);
  rod.planar().inertia = inertia;
  rod.planar().pose = {half * std::sin(turned_by_joint), -half * std::cos(turned_by_joint), turned_by_joint};
  scene.bodies = {rod};
  scene.joints.push_back(make_joint(scene, "hinge", JointKind::revolute, -1, 0, {}, {0.0, 0.0, 1.0}));
  Simulation simulation = simulate(scene, steps_of(h, 2.0));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double pull = standard_gravity * half / (inertia + half * half);
  const auto exact = integrate({turned_by_joint, 0.0}, 2.0, [&](double angle) { return -pull * std::sin(angle); });
  EXPECT_NEAR(simulation.velocity(0).omega, exact.speed, 250.0 * h * h);
  return std::fabs(simulation.pose(0).theta - exact.angle);
}

// Error of the angle [rad] of a box that leans over its corner, after 0.3 s.
double tipping_error(double h) {
  const double x = 0.05, y = 0.15, lean = 0.1;
  const double arm = std::hypot(x, y), inertia = (4.0 * x * x + 4.0 * y * y) / 12.0, corner = std::atan2(x, y);
  SceneSpec scene;
  scene.gravity = {0.0, -standard_gravity};
  BodySpec box = scenes::box_body("box", 2.0 * x, 2.0 * y, 1.0);
  box.friction = 2.0;
  const double turn = -(corner + lean);
  box.planar().inertia = inertia;
  box.planar().pose = {-(std::cos(turn) * x + std::sin(turn) * y), -(std::sin(turn) * x - std::cos(turn) * y), turn};
  scene.bodies = {scenes::ground_body(2.0), box};
  Simulation simulation = simulate(scene, steps_of(h, 0.3));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double pull = standard_gravity * arm / (inertia + arm * arm);
  const auto exact = integrate({lean, 0.0}, 0.3, [&](double angle) { return pull * std::sin(angle); });
  EXPECT_NEAR(simulation.velocity(1).omega, -exact.speed, 6.0 * h * h);
  return std::fabs(-simulation.pose(1).theta - corner - exact.angle);
}

TEST(SecondOrder, ThePendulum) {
  const double coarse = pendulum_error(0.01);
  const double fine = pendulum_error(0.0025);
  EXPECT_LT(coarse, 7e-3);
  EXPECT_LT(fine, coarse / 14.0) << "two halvings";
}

TEST(SecondOrder, TheBoxThatTips) {
  const double coarse = tipping_error(0.01);
  const double fine = tipping_error(0.0025);
  EXPECT_LT(coarse, 2e-4);
  EXPECT_LT(fine, coarse / 14.0) << "two halvings";
}

// The tray turns steadily about its own middle, below the angle at which the box would slide, which begins at its
// speed.
TEST(SecondOrder, ABoxDoesNotCreepOnATrayThatTurns) {
  const double turns = 0.4, seconds = 1.0;  // [rad/s], [s]
  for (const double h : {0.01, 0.005, 0.002}) {
    SceneSpec scene;
    scene.gravity = {0.0, -standard_gravity};
    BodySpec tray = scenes::box_body("tray", 2.0, 0.1, 1.0);
    tray.kind = BodyKind::kinematic;
    tray.friction = 0.8;
    tray.planar().velocity.omega = turns;
    BodySpec box = scenes::box_body("box", 0.1, 0.1, 1.0);
    box.friction = 0.8;
    box.planar().pose = {0.5, 0.1, 0.0};
    box.planar().velocity = {-0.1 * turns, 0.5 * turns, turns};
    scene.bodies = {tray, box};
    Simulation simulation = simulate(scene, steps_of(h, seconds));
    simulation.run();
    const Pose q = simulation.pose(1);
    const double c = std::cos(turns * seconds), s = std::sin(turns * seconds);
    EXPECT_NEAR(c * q.x + s * q.y, 0.5, 1e-6 * seconds) << h;
    EXPECT_NEAR(c * q.y - s * q.x, 0.1, 1e-6) << h;
  }
}

// A box thrown on the ground tumbles to rest. The rise of its energy over its least value so far [J]; it starts with
// 3.2.
TEST(SecondOrder, ATumblingBoxGainsNoEnergy) {
  for (const auto& [h, most] : {std::pair{0.01, 1e-3}, std::pair{0.005, 2.5e-4}, std::pair{0.0025, 6e-5}}) {
    for (int k = 0; k < 6; ++k) {
      SceneSpec scene;
      scene.gravity = {0.0, -standard_gravity};
      BodySpec box = scenes::box_body("box", 0.12, 0.06, 1.0);
      box.friction = 0.4;
      box.planar().pose = {0.0, 0.3 + 0.004 * k, 0.4};
      box.planar().velocity = {0.7, 0.0, 4.0};
      scene.bodies = {scenes::ground_body(0.4), box};
      Simulation simulation = simulate(scene, steps_of(h, 1.2));
      double least = 1e300, rise = 0.0;
      while (simulation.step()) {
        const EnergyReport energy = simulation.energy();
        const double now = energy.kinetic + energy.potential;
        least = std::min(least, now);
        rise = std::max(rise, now - least);
      }
      EXPECT_LT(rise, most) << h << " " << k;
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
