// SPDX-License-Identifier: Apache-2.0
// The thesis' cart (chapter 6) rolls: no wheel slides, a turn takes it as far as the wheel's edges are long, and its
// speed is that of formulas: down the slope on round wheels without loss, on polygons until every edge costs what the
// slope gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "pegrasp/scene_json.hpp"
#include "tests/places.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

constexpr int chassis = 1;
constexpr std::array<int, 4> wheels{2, 3, 4, 5};
constexpr double radius = 0.25;  // [m] of a wheel's corners
constexpr int sides = 20;
constexpr double h = 0.005;
constexpr double gravity = 9.81;
constexpr double slope = 0.1;  // tan of the angle; the cart rolls along +y

SceneSpec cart() { return load_scene_json(test::source_file("examples/scenes/rolling_cart.json")).scene; }

// Same mass and inertia, but the part is a sphere.
SceneSpec cart_on_spheres() {
  SceneSpec scene = cart();
  for (const int w : wheels)
    scene.bodies[static_cast<std::size_t>(w)].spatial().parts = {make_sphere("wheel", {}, radius)};
  return scene;
}

double along_slope() { return gravity * slope / std::hypot(1.0, slope); }

struct Masses {
  double all = 0.0, axle = 0.0, spin = 0.0;  // [kg]; of two wheels; of what turns, as mass at the rim
};

Masses masses(const SceneSpec& scene) {
  Masses sum;
  sum.all = scene.bodies[chassis].mass;
  for (const int w : wheels) {
    const BodySpec& wheel = scene.bodies[static_cast<std::size_t>(w)];
    sum.all += wheel.mass;
    sum.axle += 0.5 * wheel.mass;
    sum.spin += wheel.spatial().inertia.xx / (radius * radius);
  }
  return sum;
}

double speed_of(const Simulation& simulation, int body) {
  const Vec3 v = simulation.spatial_velocity(body).velocity;
  return std::hypot(v.x, v.y, v.z);
}

double turn_about_axle(const Simulation& simulation, int wheel) {
  const Quaternion q = simulation.spatial_pose(wheel).turn;
  return 2.0 * std::atan2(q.x, q.w);
}

// On a corner the axle moves on a circle about it, as fast as the corner moves about the axle. In the step in which the
// next corner lands the wheel changes from one circle to the other.
TEST(RollingCart, NoWheelSlides) {
  Simulation simulation = test::simulate(cart(), h, 3.0);
  double off = 0.0, sideways = 0.0;
  for (int step = 1; simulation.step(); ++step) {
    if (step * h < 0.5) continue;  // it is dropped, and landed by then
    for (const int w : wheels) {
      const double rim = -radius * simulation.spatial_velocity(w).angular.x;
      EXPECT_GT(rim, 0.4);
      off = std::max(off, std::fabs(speed_of(simulation, w) / rim - 1.0));
    }
    sideways = std::max(sideways, std::fabs(simulation.spatial_velocity(chassis).velocity.x));
  }
  EXPECT_LT(off, 0.02);
  EXPECT_LT(sideways, 2e-3);
}

TEST(RollingCart, ATurnTakesItAsFarAsItsEdgesAreLong) {
  Simulation simulation = test::simulate(cart(), h, 3.0);
  std::array<double, 4> turned{}, before{};
  Vec3 from{};
  for (int step = 1; simulation.step(); ++step) {
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const double now = turn_about_axle(simulation, wheels[k]);
      if (step * h > 1.0) turned[k] -= std::remainder(now - before[k], 2.0 * std::numbers::pi);
      before[k] = now;
    }
    if (step * h <= 1.0) from = simulation.spatial_pose(chassis).position;
  }
  const Vec3 to = simulation.spatial_pose(chassis).position;
  const double distance = std::hypot(to.y - from.y, to.z - from.z);
  const double edge = 2.0 * radius * std::sin(std::numbers::pi / sides);
  EXPECT_GT(distance, 2.0);
  for (const double angle : turned) {
    EXPECT_NEAR(angle / (2.0 * std::numbers::pi) * sides * edge, distance, 0.002 * distance);
  }
}

// g sin a M / (M + I / r^2): nothing is lost between steps, whatever the cart was when it landed.
TEST(RollingCart, OnRoundWheelsItGainsWhatRollingLeavesOfTheSlope) {
  const SceneSpec scene = cart_on_spheres();
  const Masses m = masses(scene);
  Simulation simulation = test::simulate(scene, h, 3.0);
  double landed = 0.0, off = 0.0;
  for (int step = 1; simulation.step(); ++step) {
    const double speed = speed_of(simulation, chassis);
    if (step == 100) landed = speed;
    if (step <= 100) continue;
    const double gained = along_slope() * m.all / (m.all + m.spin) * (step - 100) * h;
    off = std::max(off, std::fabs(speed - landed - gained));
    for (const int w : wheels) {
      EXPECT_NEAR(-radius * simulation.spatial_velocity(w).angular.x, speed, 1e-4);
    }
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_GT(speed_of(simulation, chassis), 2.0);
  EXPECT_LT(off, 1e-3);
}

// When a corner lands the axle above it changes its direction by 2 pi / n, at once and without rebound. The front
// axle's turn and the rear axle's come one after the other. With u the speed along the slope, an axle at the angle f
// from above its corner has the speed u tan f across it, and its wheels turn at u / (r cos f): momentum along the new
// motion goes on, all else is lost. The cart goes as fast, on average, as makes that loss what the slope gives along an
// edge.
double steady_speed(const SceneSpec& scene) {
  const Masses m = masses(scene);
  const BodySpec& body = scene.bodies[chassis];
  const double base =
      scene.bodies[wheels[0]].spatial().pose.position.y - scene.bodies[wheels[2]].spatial().pose.position.y;
  const double tilt = body.spatial().inertia.xx / (base * base);
  const double own = 0.25 * body.mass + tilt + m.axle, cross = 0.25 * body.mass - tilt;
  const double half = std::numbers::pi / sides;
  const double t2 = std::pow(std::tan(half), 2), level = m.all + m.spin / std::pow(std::cos(half), 2);
  const double alike = level + 2.0 * (own + cross) * t2, unlike = level + 2.0 * (own - cross) * t2;
  const double left = level / unlike * level / alike;  // of u, after both axles' corners have landed
  const double edge = 2.0 * radius * std::sin(half);
  const double given = m.all * along_slope() * edge;
  const double fastest = std::sqrt(2.0 * given / (alike * (1.0 - left * left)));
  // From one landing to the next: over the corner, where the cart is highest.
  const double rise = m.all * gravity / std::hypot(1.0, slope) * radius * (1.0 - std::cos(half));
  const double after = left * fastest;
  const double middle = std::sqrt((alike * after * after + given - 2.0 * rise) / (m.all + m.spin));
  return 6.0 / (1.0 / after + 4.0 / middle + 1.0 / fastest);
}

// Wheels lift off for a few milliseconds where the other axle lands, which the formula leaves out: the cart is 3 to 5 %
// faster at small steps. Longer steps, up to the thesis' own 10 ms and beyond, make it up to 8 % slower than that.
TEST(RollingCart, OnPolygonsItGoesAsFastAsEdgesLet) {
  const SceneSpec scene = cart();
  for (const double step : {0.02, 0.01, 0.005, 0.001}) {
    SCOPED_TRACE(testing::Message() << "h " << step);
    Simulation simulation = test::simulate(scene, step, 10.0);
    Vec3 from{};
    for (int k = 1; simulation.step(); ++k) {
      if (k * step <= 6.0) from = simulation.spatial_pose(chassis).position;
    }
    const Vec3 to = simulation.spatial_pose(chassis).position;
    const double speed = std::hypot(to.y - from.y, to.z - from.z) / 4.0;
    EXPECT_NEAR(speed, steady_speed(scene), (step > 0.005 ? 0.09 : 0.07) * speed);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp
