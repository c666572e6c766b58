// SPDX-License-Identifier: Apache-2.0
// Free bodies in 3D: tops that nothing touches, a projectile, a block on an incline.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

// Inertia 1 : 2 : 3, spinning near the middle axis, which is unstable.
SceneSpec top(double speed) {
  SceneSpec scene = scenes::scene_3d("top");
  scene.gravity_z = 0.0;
  BodySpec body = scenes::solid_body("top", scenes::cuboid(0.3, 0.2, 0.1), 100.0);
  body.spatial().inertia = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0};
  body.spatial().velocity.angular = {0.2 * speed, 0.96 * speed, 0.2 * speed};
  scene.bodies.push_back(body);
  return scene;
}

// R diag(1, 2, 3) R^T w
std::array<double, 3> angular_momentum(const Simulation& simulation) {
  const auto [v, w] = simulation.spatial_velocity(0);
  const Quaternion q = simulation.spatial_pose(0).turn;
  const double r[3][3] = {
      {1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)},
      {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)},
      {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)}};
  std::array<double, 3> result{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double own = r[0][k] * w.x + r[1][k] * w.y + r[2][k] * w.z;
    for (std::size_t i = 0; i < 3; ++i) result[i] += r[i][k] * static_cast<double>(k + 1) * own;
  }
  return result;
}

TEST(FreeBody, AsymmetricTopKeepsItsEnergyAndItsMomentum) {
  // numbers of a prototype: 1.7e-5 at h |w| = 0.02, 2.7e-4 at 0.08
  for (const auto& [turn, most] : {std::pair{0.02, 2e-5}, std::pair{0.08, 3e-4}}) {
    SCOPED_TRACE(testing::Message() << "h |w| = " << turn);
    constexpr double h = 0.001;
    Simulation simulation = simulate(top(turn / h), h, 100.0);
    const double before = simulation.energy().kinetic;
    const std::array<double, 3> momentum = angular_momentum(simulation);
    double worst = 0.0;
    while (simulation.step()) worst = std::max(worst, std::fabs(simulation.energy().kinetic / before - 1.0));
    EXPECT_EQ(simulation.outcome().steps, 100'000);
    EXPECT_LT(worst, most);
    EXPECT_GT(worst, 0.0);
    // the state itself: to rounding
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(angular_momentum(simulation)[i], momentum[i], 1e-12 * 3.0 * turn / h);
    }
  }
}

// The turn by a rotation vector [rad].
Quaternion turn_by(Vec3 r) {
  const double angle = std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z);
  const double s = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  return {std::cos(0.5 * angle), s * r.x, s * r.y, s * r.z};
}

Quaternion product(Quaternion a, Quaternion b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// The vector that is the body's third axis in the world.
Vec3 third_axis(Quaternion q) {
  return {2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
}

// How far apart two turns are [rad].
double angle_between(Quaternion a, Quaternion b) {
  const Quaternion d = product({a.w, -a.x, -a.y, -a.z}, b);
  return 2.0 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::fabs(d.w));
}

double angle_between(Vec3 a, Vec3 b) {
  const Vec3 c{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return std::atan2(std::sqrt(c.x * c.x + c.y * c.y + c.z * c.z), a.x * b.x + a.y * b.y + a.z * b.z);
}

// A free body of these moments of inertia [kg m^2] that begins with its axes along the world's.
SceneSpec free_top(Vec3 moments, Vec3 angular) {
  SceneSpec scene = top(0.0);
  scene.bodies[0].spatial().inertia = {moments.x, moments.y, moments.z, 0.0, 0.0, 0.0};
  scene.bodies[0].spatial().velocity.angular = angular;
  return scene;
}

constexpr double turning_time = 2.0;  // [s]: tops below turn about twice

// Errors [rad] that fall with the square of the step: three steps, 8 ms and each half the one before.
void expect_second_order(const std::array<double, 3>& errors) {
  EXPECT_LT(errors[0], 1e-3);
  for (std::size_t k = 1; k < errors.size(); ++k) {
    const double order = std::log2(errors[k - 1] / errors[k]);
    EXPECT_NEAR(order, 2.0, 0.02) << errors[k - 1] << " and " << errors[k];
  }
}

// Closed form: the axis of a symmetric top goes round its angular momentum L at L / I1, and the body turns about the
// axis by w3 (1 - I3 / I1) besides. Flat and long.
TEST(FreeBody, SymmetricTopPrecessesAsItShould) {
  for (const double third : {0.4, 1.8}) {
    SCOPED_TRACE(testing::Message() << "I3 / I1 = " << third);
    const Vec3 w{2.0, -1.0, 5.0};
    const Vec3 rate{w.x, w.y, third * w.z};  // L / I1
    const double spin = w.z * (1.0 - third);
    std::array<double, 3> turn_errors{}, axis_errors{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double h = 0.008 / static_cast<double>(1 << k);
      SCOPED_TRACE(testing::Message() << "h " << h);
      Simulation simulation = simulate(free_top({1.0, 1.0, third}, w), h, turning_time);
      double t = 0.0;
      while (simulation.step()) {
        t += h;
        const Quaternion exact = product(turn_by({rate.x * t, rate.y * t, rate.z * t}), turn_by({0.0, 0.0, spin * t}));
        const Quaternion is = simulation.spatial_pose(0).turn;
        turn_errors[k] = std::max(turn_errors[k], angle_between(is, exact));
        axis_errors[k] = std::max(axis_errors[k], angle_between(third_axis(is), third_axis(exact)));
      }
      EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
    }
    expect_second_order(turn_errors);
    expect_second_order(axis_errors);
  }
}

struct Turning {
  Quaternion q;
  Vec3 w;  // about the body's axes [rad/s]
};

// Euler's equations and the turn that follows from them, by steps of the classical method of Runge and Kutta.
Turning integrate_euler(Vec3 moments, Turning from, double time, int steps) {
  const auto rate = [&](const Turning& s) {
    const Quaternion dq = product(s.q, {0.0, 0.5 * s.w.x, 0.5 * s.w.y, 0.5 * s.w.z});
    return Turning{
        dq,
        {(moments.y - moments.z) / moments.x * s.w.y * s.w.z, (moments.z - moments.x) / moments.y * s.w.z * s.w.x,
         (moments.x - moments.y) / moments.z * s.w.x * s.w.y}};
  };
  const auto after = [](const Turning& s, double h, const Turning& r) {
    return Turning{{s.q.w + h * r.q.w, s.q.x + h * r.q.x, s.q.y + h * r.q.y, s.q.z + h * r.q.z},
                   {s.w.x + h * r.w.x, s.w.y + h * r.w.y, s.w.z + h * r.w.z}};
  };
  const double h = time / steps;
  for (int k = 0; k < steps; ++k) {
    const Turning a = rate(from);
    const Turning b = rate(after(from, 0.5 * h, a));
    const Turning c = rate(after(from, 0.5 * h, b));
    const Turning d = rate(after(from, h, c));
    from = after(after(after(after(from, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
  }
  return from;
}

// An asymmetric top near each of its axes and far from all, against a fine integration of Euler's equations.
TEST(FreeBody, AsymmetricTopTurnsAsEulersEquationsSay) {
  const Vec3 moments{1.0, 2.0, 2.5};
  for (const Vec3 w : {Vec3{5.0, 0.5, 0.5}, Vec3{0.5, 5.0, 0.5}, Vec3{0.5, 0.5, 5.0}, Vec3{3.0, 2.0, -4.0}}) {
    SCOPED_TRACE(testing::Message() << w.x << ", " << w.y << ", " << w.z << " rad/s");
    const Turning start{{1.0, 0.0, 0.0, 0.0}, w};
    const Quaternion exact = integrate_euler(moments, start, turning_time, 8000).q;
    EXPECT_LT(angle_between(exact, integrate_euler(moments, start, turning_time, 4000).q), 1e-9);
    std::array<double, 3> errors{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double h = 0.008 / static_cast<double>(1 << k);
      Simulation simulation = simulate(free_top(moments, w), h, turning_time);
      while (simulation.step()) {
      }
      EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
      errors[k] = angle_between(simulation.spatial_pose(0).turn, exact);
    }
    expect_second_order(errors);
  }
}

// A needle that turns far in a step: the step is halved until its energy stays.
TEST(FreeBody, NeedleKeepsItsEnergyAtLargeSteps) {
  for (const double slenderness : {10.0, 30.0}) {
    for (const double speed : {10.0, 30.0}) {
      SCOPED_TRACE(testing::Message() << "1 : " << slenderness << ", " << speed << " rad/s");
      SceneSpec scene = scenes::scene_3d("needle");
      scene.gravity_z = 0.0;
      BodySpec body = scenes::solid_body("needle", scenes::cuboid(0.1, 0.1 / slenderness, 0.1 / slenderness), 1000.0);
      body.spatial().velocity.angular = {0.1 * speed, speed, 0.0};
      scene.bodies.push_back(body);
      Simulation simulation = simulate(scene, 0.016, 2.0);
      const double before = simulation.energy().kinetic;
      while (simulation.step()) ASSERT_NEAR(simulation.energy().kinetic, before, 0.05 * before);
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

TEST(FreeBody, FallsAsItShould) {
  SceneSpec scene = top(0.0);
  scene.gravity_z = -10.0;
  scene.bodies[0].spatial().velocity.velocity = {1.0, 2.0, 3.0};
  Simulation simulation = simulate(scene, 0.001, 1.0);
  while (simulation.step()) {
  }
  const Vec3 x = simulation.spatial_pose(0).position;
  EXPECT_NEAR(x.x, 1.0, 1e-12);
  EXPECT_NEAR(x.y, 2.0, 1e-12);
  EXPECT_NEAR(x.z, 3.0 - 5.0, 1e-11);
}

// A block on an incline (gravity is turned instead): it sticks below the friction angle and slides above it.
TEST(FreeBody, BlockOnAnIncline) {
  for (const double slope : {0.25, 0.35}) {  // tan of the angle; mu = 0.3
    SCOPED_TRACE(testing::Message() << "slope " << slope);
    SceneSpec scene = scenes::scene_3d("incline");
    const double cosine = 1.0 / std::sqrt(1.0 + slope * slope);
    scene.gravity = {0.6 * 10.0 * slope * cosine, 0.8 * 10.0 * slope * cosine};
    scene.gravity_z = -10.0 * cosine;
    scene.bodies.push_back(scenes::fixed_cuboid("plane", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
    BodySpec block = scenes::solid_body("block", scenes::cuboid(0.2, 0.2, 0.05), 100.0);
    block.spatial().pose.position = {0.0, 0.0, 0.05};
    block.friction = 0.3;
    scene.bodies.push_back(block);
    Simulation simulation = simulate(scene, 0.004, 1.0);
    while (simulation.step()) {
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const Vec3 v = simulation.spatial_velocity(1).velocity;
    const double expected = slope < 0.3 ? 0.0 : 10.0 * cosine * (slope - 0.3);
    EXPECT_NEAR(v.x, 0.6 * expected, 1e-4);
    EXPECT_NEAR(v.y, 0.8 * expected, 1e-4);
    EXPECT_NEAR(v.z, 0.0, 1e-5);
  }
}

TEST(FreeBody, AsksForItsOwnDimension) {
  const SceneSpec scene = top(1.0);
  const Simulation simulation = simulate(scene, 0.001, 0.01);
  EXPECT_THROW(simulation.pose(0), std::logic_error);
  EXPECT_THROW(simulation.velocity(0), std::logic_error);
  EXPECT_EQ(simulation.spatial_pose(0).turn.w, 1.0);
}

// Bodies that begin inside each other are pushed apart, which is no gain of energy that has to be refused.
TEST(FreeBody, OverlapAtTheStartIsUndone) {
  SceneSpec scene = scenes::scene_3d("overlap");
  scene.gravity_z = 0.0;
  for (int k = 0; k < 2; ++k) {
    BodySpec cube = scenes::solid_body("cube" + std::to_string(k), scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
    cube.spatial().pose.position.x = 0.199 * k;
    scene.bodies.push_back(cube);
  }
  Simulation simulation = simulate(scene, 0.016, 0.5);
  while (simulation.step()) {
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().substeps_rejected, 0);
  EXPECT_GE(simulation.spatial_pose(1).position.x - simulation.spatial_pose(0).position.x, 0.2 - 1e-6);
}

}  // namespace
}  // namespace pegrasp
