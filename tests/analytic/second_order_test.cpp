// SPDX-License-Identifier: Apache-2.0
// Smooth motion in 2D is of second order in the step, against closed forms and integrals of their equations of motion:
// pendulums, boxes that tip over a corner, boxes that stick to a turning tray. Impacts gain no energy.
#include <algorithm>
#include <array>

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

// Where a puck that spins and slides on three points is after 0.12 s, while it does both: error [m] of the way,
// friction at every point against its slip.
double spinning_puck_error(double h) {
  constexpr double mu = 0.3, radius = 0.03, speed = 0.5, spin = 40.0, seconds = 0.12;
  const SceneSpec scene = scenes::tripod_slider(scenes::regular_tripod(radius), mu, {speed, 0.0, spin});
  const double mass = scene.bodies[0].mass, inertia = scene.bodies[0].planar().inertia;
  Simulation simulation = simulate(scene, steps_of(h, seconds));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  // Explicit midpoints with steps of 2 us.
  using State = std::array<double, 6>;
  const auto rate = [&](const State& s) {
    State out{s[3], s[4], s[5], 0.0, 0.0, 0.0};
    for (const Vec2& point : scenes::regular_tripod(radius)) {
      const double x = std::cos(s[2]) * point.x - std::sin(s[2]) * point.y;
      const double y = std::sin(s[2]) * point.x + std::cos(s[2]) * point.y;
      const double vx = s[3] - s[5] * y, vy = s[4] + s[5] * x, slip = std::hypot(vx, vy);
      const double force = mu * mass * standard_gravity / 3.0;
      const double fx = -force * vx / slip, fy = -force * vy / slip;
      out[3] += fx / mass;
      out[4] += fy / mass;
      out[5] += (x * fy - y * fx) / inertia;
    }
    return out;
  };
  State s{0.0, 0.0, 0.0, speed, 0.0, spin};
  constexpr int steps = 60000;
  const auto moved = [](const State& from, const State& by, double time) {
    State out = from;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += time * by[i];
    return out;
  };
  for (int i = 0; i < steps; ++i) s = moved(s, rate(moved(s, rate(s), 0.5 * seconds / steps)), seconds / steps);
  return std::hypot(simulation.pose(0).x - s[0], simulation.pose(0).y - s[1]);
}

TEST(SecondOrder, ThePuckThatSpinsAndSlides) {
  const double coarse = spinning_puck_error(0.01);
  const double fine = spinning_puck_error(0.0025);
  EXPECT_LT(coarse, 1.5e-4);
  EXPECT_LT(fine, coarse / 12.0) << "two halvings";
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
