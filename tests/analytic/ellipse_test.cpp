// SPDX-License-Identifier: Apache-2.0
// Exact ellipses and superellipses against closed forms: area and inertia, a circle that rolls without loss, small
// oscillations about the flat side, energy down a slope, and rest on sides without curvature.
#include <cmath>
#include <numbers>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

// A homogeneous body of 1 kg that is one smooth part, on the half-plane y <= 0.
SceneSpec smooth_on_plane(const Superellipse& curve, double friction, Pose pose, Twist velocity = {}) {
  SceneSpec scene = scenes::disc_on_plane(1.0, 1.0, friction, velocity);
  scene.name = "smooth_on_plane";
  BodySpec& body = scene.bodies[1];
  body.planar().parts = {make_exact_superellipse("part", curve)};
  const AreaProperties whole = area_properties(body.planar().parts[0]);
  body.planar().inertia = body.mass * whole.second_moment / whole.area;
  body.planar().pose = pose;
  return scene;
}

TEST(SmoothArea, IsThatOfTheCurve) {
  const double pi = std::numbers::pi;
  const AreaProperties ellipse = area_properties(make_exact_ellipse("e", {1.0, 2.0}, 0.3, 0.1, 0.7));
  EXPECT_NEAR(ellipse.area, pi * 0.03, 1e-13);
  EXPECT_NEAR(ellipse.second_moment, 0.25 * pi * 0.03 * 0.1, 1e-14);
  EXPECT_EQ(ellipse.centroid.x, 1.0);
  EXPECT_EQ(ellipse.centroid.y, 2.0);
  // 4 a b Gamma(1 + 1/n)^2 / Gamma(1 + 2/n), a b (a^2 + b^2) Gamma(1 + 3/n) Gamma(1 + 1/n) 4 / (3 Gamma(1 + 4/n))
  for (const int order : {2, 3, 4, 7, 16}) {
    const double n = order, a = 2.0, b = 0.5;
    const AreaProperties exact = area_properties(make_exact_superellipse("s", {{}, a, b, order, 0.0}));
    EXPECT_NEAR(exact.area, 4.0 * a * b * std::pow(std::tgamma(1.0 + 1.0 / n), 2) / std::tgamma(1.0 + 2.0 / n), 1e-11);
    const double second = 4.0 / 3.0 * a * b * (a * a + b * b) * std::tgamma(1.0 + 3.0 / n) *
                          std::tgamma(1.0 + 1.0 / n) / std::tgamma(1.0 + 4.0 / n);
    EXPECT_NEAR(exact.second_moment, second, 1e-11 * second) << order;
  }
}

TEST(SmoothArea, RefusesWhatIsNoCurve) {
  EXPECT_THROW(make_exact_ellipse("e", {}, 0.0, 1.0), ShapeError);
  EXPECT_THROW(make_exact_ellipse("e", {}, 1.0, 1e-4), ShapeError);
  EXPECT_THROW(make_exact_superellipse("s", {{}, 1.0, 1.0, 1, 0.0}), ShapeError);
  EXPECT_THROW(make_exact_superellipse("s", {{}, 1.0, 1.0, 17, 0.0}), ShapeError);
  EXPECT_THROW(make_exact_ellipse("e", {std::nan(""), 0.0}, 1.0, 1.0), ShapeError);
}

// Berard 3.5.3.1: 6.75 J for ever, of a disc and of an ellipse with equal half-axes.
TEST(Ellipse, WithEqualHalfAxesRollsAsTheDiscDoes) {
  for (const bool smooth : {false, true}) {
    SceneSpec scene = scenes::disc_on_plane(1.0, 1.0, 0.4, {-3.0, 0.0, 3.0});
    if (smooth) scene.bodies[1].planar().parts = {make_exact_ellipse("ellipse", {}, 1.0, 1.0)};
    Simulation simulation = simulate(scene, steps_of(0.01, 10.0));
    while (simulation.step()) ASSERT_NEAR(kinetic_energy(scene, simulation, 1), 6.75, 1e-6) << smooth;
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.pose(1).x, -30.0, 1e-5);
    EXPECT_NEAR(simulation.pose(1).y, 1.0, 1e-8);
  }
}

// Small oscillations about the flat side: the centre is b + (a^2 - b^2) theta^2 / (2 b) high; what rolls moves it along
// by b theta as well.
TEST(Ellipse, RocksOnItsFlatSideInTheRightPeriod) {
  const double a = 0.1, b = 0.05, turn = 0.02;
  const double inertia = 0.25 * (a * a + b * b);
  for (const double friction : {0.0, 0.9}) {
    const double swinging = friction > 0.0 ? inertia + b * b : inertia;
    const double period =
        2.0 * std::numbers::pi / std::sqrt(scenes::standard_gravity * (a * a - b * b) / (b * swinging));
    const SceneSpec scene =
        smooth_on_plane({{}, a, b, 2, 0.0}, friction, {0.0, std::hypot(a * std::sin(turn), b * std::cos(turn)), turn});
    Simulation simulation = simulate(scene, steps_of(0.002, 3.0));
    double last = turn, since = 0.0, until = 0.0, time = 0.0, swing = 0.0;
    int crossings = 0;
    while (simulation.step()) {
      const double now = simulation.pose(1).theta, then = simulation.time();
      if (then > 2.5) swing = std::max(swing, std::abs(now));
      if ((now < 0.0) != (last < 0.0)) {
        until = time + (then - time) * last / (last - now);
        if (crossings++ == 0) since = until;
      }
      last = now;
      time = then;
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(2.0 * (until - since) / (crossings - 1), period, 1e-3 * period) << friction;
    EXPECT_NEAR(swing, turn, 0.02 * turn) << friction;
  }
}

// What rolls without slip keeps its energy: kinetic and potential, down a slope of 1 : 5.
TEST(Ellipse, RollsDownASlopeWithoutLoss) {
  SceneSpec scene = smooth_on_plane({{}, 0.12, 0.1, 2, 0.0}, 0.8, {0.0, 0.1, 0.0});
  scene.gravity.x = 0.2 * scenes::standard_gravity;
  const auto off = [&](double h) {
    Simulation simulation = simulate(scene, steps_of(h, 1.0));
    const double before = simulation.energy().potential;
    double most = 0.0;
    while (simulation.step()) {
      const EnergyReport energy = simulation.energy();
      most = std::max(most, std::abs(energy.kinetic + energy.potential - before));
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_GT(simulation.pose(1).x, 0.3);
    return most;
  };
  const double gained = 9.81 * 0.2 * 0.3;  // [J] at least
  const double coarse = off(0.004), fine = off(0.001);
  EXPECT_LT(coarse, 0.01 * gained);
  EXPECT_LT(fine, 0.25 * coarse);
}

// Sides without curvature: the point of contact runs along them for the least turn. At rest the part lies level.
TEST(Superellipse, ComesToRestOnItsFlatSide) {
  for (const int order : {3, 4, 8, 16}) {
    for (const double size : {0.1, 0.003}) {
      SceneSpec scene = smooth_on_plane({{}, size, 0.5 * size, order, 0.0}, 0.3, {0.0, 0.6 * size, 0.1});
      StepOptions options = steps_of(0.005, 5.0);
      Simulation simulation = simulate(scene, options);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok) << order << " " << size;
      EXPECT_NEAR(simulation.pose(1).y, 0.5 * size, 1e-4 * size) << order << " " << size;
      EXPECT_NEAR(simulation.pose(1).theta, 0.0, 0.01) << order << " " << size;
    }
  }
}

// On each of its four sides, with its middle beside the end of a table: it tips over, and stands where that is below.
TEST(Superellipse, TipsOverTheEndOfATable) {
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (const double end : {-0.005, 0.005}) {
      SceneSpec scene =
          smooth_on_plane({{}, 0.04, 0.04, 8, 0.0}, 0.5, {0.0, 0.04002, 0.5 * std::numbers::pi * quarter});
      scene.bodies[0].planar().parts = {make_polygon("table", {{-0.3, -0.1}, {end, -0.1}, {end, 0.0}, {-0.3, 0.0}})};
      Simulation simulation = simulate(scene, steps_of(0.002, 0.6));
      simulation.run();
      EXPECT_EQ(simulation.outcome().unresolved_steps, 0) << quarter << " " << end;
      if (end < 0.0) {
        EXPECT_LT(simulation.pose(1).y, 0.03) << quarter;
      } else {
        EXPECT_NEAR(simulation.pose(1).y, 0.04, 1e-6) << quarter;
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
