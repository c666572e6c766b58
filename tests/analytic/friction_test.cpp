// SPDX-License-Identifier: Apache-2.0
// Coulomb friction on a plane: stopping distances and times, the friction angle.
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

constexpr double at_rest = 1e-5;  // [m/s], ten times the solver's tolerance

// Runs until the body is slower than at_rest; the time at which it first was.
double stopping_time(Simulation& simulation, int body) {
  while (simulation.step()) {
    const Twist v = simulation.velocity(body);
    if (std::hypot(v.vx, v.vy) < at_rest && std::fabs(v.omega) < at_rest) return simulation.time();
  }
  return -1.0;
}

// How far a slide may miss v^2 / (2 mu g) [m]: in the step in which it stops, it stops in the middle of a step.
double stopping_error(double mu, double h) { return 0.13 * mu * standard_gravity * h * h + 1e-6; }

// A step takes mu g h off the speed in mid-step.
TEST(Sliding, BlockStopsAfterTheAnalyticTimeAndDistance) {
  for (const double mu : {0.1, 0.3, 0.9}) {
    for (const double h : {0.001, 0.005}) {
      const double speed = 1.0;
      Simulation simulation = simulate(scenes::block_on_plane(mu, speed), steps_of(h, 3.0));
      const double time = stopping_time(simulation, 1);
      const double x = simulation.pose(1).x;
      EXPECT_NEAR(time, speed / (mu * standard_gravity), h * 1.0001) << mu << " " << h;
      EXPECT_NEAR(x, speed * speed / (2.0 * mu * standard_gravity), stopping_error(mu, h)) << mu << " " << h;

      double discrete = 0.0;
      for (double v = speed - 0.5 * mu * standard_gravity * h; v > 0.0; v -= mu * standard_gravity * h) {
        discrete += h * v;
      }
      EXPECT_NEAR(x, discrete, 1e-6) << mu << " " << h;

      simulation.run();
      EXPECT_NEAR(simulation.pose(1).x, x, 1e-6) << "it must not creep";
      EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-6);
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

// The largest error over sixteen slides falls with the square of the step.
TEST(Sliding, IsOfSecondOrder) {
  for (const auto& [h, most] : {std::pair{0.01, 2e-4}, std::pair{0.005, 5e-5}, std::pair{0.0025, 1.3e-5}}) {
    for (const double speed : {0.3, 0.77, 1.3, 2.0}) {
      for (const double mu : {0.2, 0.37, 0.5, 1.0}) {
        const double seconds = speed / (mu * standard_gravity);
        Simulation simulation = simulate(scenes::block_on_plane(mu, speed), steps_of(h, seconds + 3.0 * h));
        while (simulation.step()) {
          const double now = std::fmax(0.0, speed - mu * standard_gravity * simulation.time());
          EXPECT_NEAR(simulation.velocity(1).vx, now, 0.5 * mu * standard_gravity * h) << mu << " " << h;
          if (simulation.time() < seconds - h) {
            EXPECT_NEAR(simulation.velocity(1).vx, now, 1e-6) << mu << " " << h;
          }
        }
        EXPECT_NEAR(simulation.pose(1).x, 0.5 * speed * seconds, most) << mu << " " << h;
      }
    }
  }
}

// A disc that slides without spin rolls at two thirds of its speed after v / (3 mu g).
TEST(Sliding, DiscRollsAtTwoThirdsOfItsSpeed) {
  const double mu = 0.2;
  const double speed = 1.5;
  const double h = 0.001;
  Simulation simulation = simulate(scenes::disc_on_plane(0.1, 2.0, mu, {speed, 0.0, 0.0}), steps_of(h, 1.5));
  double rolling_since = -1.0;
  while (simulation.step()) {
    const Twist v = simulation.velocity(1);
    if (rolling_since < 0.0 && std::fabs(v.vx + 0.1 * v.omega) < 1e-6) rolling_since = simulation.time();
  }
  EXPECT_NEAR(rolling_since, speed / (3.0 * mu * standard_gravity), h * 1.0001);
  EXPECT_NEAR(simulation.velocity(1).vx, speed * 2.0 / 3.0, 1e-6);
}

// The incline as a turned half-plane under a turned block, gravity straight down.
SceneSpec turned_incline(double angle, double friction) {
  SceneSpec scene = scenes::block_on_plane(friction, 0.0);
  scene.bodies[0].planar().parts = {make_half_plane("ground", {std::sin(angle), std::cos(angle)}, 0.0)};
  scene.bodies[1].planar().pose = {0.05 * std::sin(angle), 0.05 * std::cos(angle), -angle};
  return scene;
}

// How far the block has gone down the slope.
double slid(const Simulation& simulation, const SceneSpec& scene, double angle) {
  const Pose start = scene.bodies[1].planar().pose;
  const Pose now = simulation.pose(1);
  return std::cos(angle) * (now.x - start.x) - std::sin(angle) * (now.y - start.y);
}

TEST(Incline, BlockSticksBelowTheFrictionAngle) {
  for (const double angle : {0.1, 0.4, 0.7}) {
    const SceneSpec scene = turned_incline(angle, std::tan(angle) + 0.001);
    Simulation simulation = simulate(scene, steps_of(0.005, 2.0));
    simulation.run();
    EXPECT_LT(std::fabs(slid(simulation, scene, angle)), 2e-6) << angle;
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

TEST(Incline, BlockSlipsAboveTheFrictionAngle) {
  const double h = 0.005;
  const int n = 400;
  for (const double angle : {0.1, 0.4, 0.7}) {
    for (const double below : {0.001, 0.05}) {
      const double mu = std::tan(angle) - below;
      const SceneSpec scene = turned_incline(angle, mu);
      Simulation simulation = simulate(scene, steps_of(h, n * h));
      simulation.run();
      const double acceleration = standard_gravity * (std::sin(angle) - mu * std::cos(angle));
      EXPECT_NEAR(slid(simulation, scene, angle), 0.5 * n * n * h * h * acceleration, 1e-5) << angle;
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

TEST(Incline, TiltedGravityIsTheSame) {
  for (const double slope : {0.2, 0.8}) {
    for (const double beyond : {-0.002, 0.002}) {
      const SceneSpec scene = scenes::block_on_incline(slope, slope + beyond);
      Simulation simulation = simulate(scene, steps_of(0.005, 2.0));
      simulation.run();
      const double acceleration = -beyond * standard_gravity / std::sqrt(1.0 + slope * slope);
      const double expected = beyond > 0.0 ? 0.0 : 0.5 * 400 * 400 * 25e-6 * acceleration;
      EXPECT_NEAR(simulation.pose(1).x, expected, 1e-5) << slope << " " << beyond;
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
