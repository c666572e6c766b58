// SPDX-License-Identifier: Apache-2.0
// A particle on a plate that tilts to and fro (Berard's thesis, 5.9; Vose and others): its mean velocity in closed
// form.
#include <cmath>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

constexpr double g = scenes::standard_gravity;
constexpr double period = 0.03;  // [s]
constexpr double alpha = 180.0;  // [rad/s^2] for half a period, then its opposite

// The plate's angle: it begins and ends each half of a period level.
double angle_at(double t) {
  const double phase = t - period * std::floor(t / period);
  const double half = 0.5 * period;
  const double tau = phase < half ? phase : phase - half;
  const double bow = 0.5 * alpha * tau * (tau - half);
  return phase < half ? bow : -bow;
}

// depth: of the axis under the plate's surface [m]; start: the particle's place [m].
SceneSpec tilting_plate(double mu, double depth, double start) {
  SceneSpec scene;
  scene.gravity = {0.0, -g};
  scene.length_scale = 0.1;
  BodySpec plate;
  plate.name = "plate";
  plate.kind = BodyKind::kinematic;
  plate.friction = mu;
  plate.planar().parts = {
      make_polygon("top", {{-0.25, depth - 0.01}, {0.25, depth - 0.01}, {0.25, depth}, {-0.25, depth}})};
  plate.planar().motion_function = [depth](double t) { return Pose{0.0, -depth, angle_at(t)}; };
  BodySpec particle = scenes::disc_body("particle", 0.001, 0.001);
  particle.turns = false;
  particle.friction = mu;
  particle.planar().pose = {start, 0.001, 0.0};
  const double omega = -0.25 * alpha * period;
  particle.planar().velocity = {-omega * depth, omega * start, 0.0};
  scene.bodies = {plate, particle};
  return scene;
}

// Mean velocity of an always sliding particle at r, terms of order alpha T^2 / 32 dropped.
double mean_velocity(double mu, double d, double r) {
  const double b = -mu * alpha * period / 8.0 * (3.0 - mu * mu * g * g / (alpha * alpha * d * d));
  const double c = -mu * mu * mu * alpha * period / (8.0 * d * d);
  return b * r + c * r * r * r;
}

class VoseLawLong : public testing::TestWithParam<double> {};

TEST_P(VoseLawLong, IsMetFromTheSixthPeriodOn) {
  const double mu = GetParam(), h = 1e-4, depth = 0.05;
  const int steps_a_period = 300;
  const SceneSpec scene = tilting_plate(mu, depth, 0.042);
  Simulation simulation = simulate(scene, steps_of(h, 6.0));
  double before = 0.042, worst = 0.0;
  int periods = 0, counted = 0;
  for (int step = 1; simulation.step(); ++step) {
    if (step % steps_a_period != 0) continue;
    const double now = simulation.pose(1).x, r = 0.5 * (before + now);
    if (++periods > 5 && r <= 0.04 && r >= 0.01) {
      const double found = (now - before) / period, expected = mean_velocity(mu, depth, r);
      worst = std::fmax(worst, std::fabs(found / expected - 1.0));
      ++counted;
    }
    before = now;
  }
  EXPECT_GT(counted, 20);
  EXPECT_LT(worst, 0.02) << "mu = " << mu;
}

INSTANTIATE_TEST_SUITE_P(Friction, VoseLawLong, testing::Values(0.3, 0.5));

// With the axis 2 cm below the particle sticks for part of the time, and the formula no longer holds (figure 5.5).
TEST(VoseLaw, FailsWhereTheParticleSticks) {
  const double mu = 0.3, h = 1e-4, depth = 0.02;
  Simulation simulation = simulate(tilting_plate(mu, depth, 0.02), steps_of(h, 0.18));
  simulation.watch_contacts();
  double before = 0.02;
  int sticks = 0, steps = 0, deviates = 0;
  for (int step = 1; simulation.step(); ++step) {
    if (step > 300 && simulation.pose(1).x > 0.018) {
      ++steps;
      for (const ContactReport& contact : simulation.contents().contacts) {
        sticks += contact.state == ContactState::stick ? 1 : 0;
      }
    }
    if (step % 300 != 0) continue;
    const double now = simulation.pose(1).x, r = 0.5 * (before + now);
    const double off = std::fabs((now - before) / period / mean_velocity(mu, depth, r) - 1.0);
    if (r > 0.018 && step > 300) deviates += off > 0.1 ? 1 : 0;
    before = now;
  }
  EXPECT_GT(deviates, 0);
  EXPECT_NEAR(static_cast<double>(sticks) / steps, 0.39, 0.02);
}

}  // namespace
}  // namespace pegrasp::test
