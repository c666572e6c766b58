// SPDX-License-Identifier: Apache-2.0
// Torsional and rolling friction of a contact (Berard 3.82).
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

constexpr double radius = 0.1;

SceneSpec ball_on_plane(double mu, double torsion, double rolling, double slope = 0.0) {
  SceneSpec scene = scenes::scene_3d("ball");
  scene.gravity.x = scenes::standard_gravity * std::sin(slope);
  scene.gravity_z = -scenes::standard_gravity * std::cos(slope);
  BodySpec plane;
  plane.form = SpatialBody{};
  plane.name = "plane";
  plane.kind = BodyKind::fixed;
  plane.spatial().parts = {make_half_space("plane", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec ball;
  ball.form = SpatialBody{};
  ball.name = "ball";
  ball.spatial().parts = {make_sphere("ball", {}, radius)};
  ball.mass = 2.0;
  const double inertia = 0.4 * ball.mass * radius * radius;
  ball.spatial().inertia = {inertia, inertia, inertia, 0.0, 0.0, 0.0};
  ball.spatial().pose.position.z = radius;
  scene.bodies = {plane, ball};
  scene.friction.push_back({0, 1, mu, torsion, rolling});
  return scene;
}

// A ball that spins on the spot: its spin falls by mu e m g / I.
TEST(ContactMoments, TorsionStopsASpinningBall) {
  const double mu = 0.4, arm = 0.02;
  for (const double h : {0.001, 0.01}) {
    SceneSpec scene = ball_on_plane(mu, arm, 0.0);
    scene.bodies[1].spatial().velocity.angular.z = 20.0;
    const double rate = mu * arm * scenes::standard_gravity / (0.4 * radius * radius);
    Simulation simulation = simulate(scene, h, 1.5);
    while (simulation.step()) {
      const double expected = std::max(0.0, 20.0 - rate * simulation.time());
      EXPECT_NEAR(simulation.spatial_velocity(1).angular.z, expected, 1e-3 + rate * h) << simulation.time();
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_velocity(1).angular.z, 0.0, 1e-6);
    EXPECT_NEAR(simulation.spatial_pose(1).position.x, 0.0, 1e-9);
  }
}

// On a slope a ball with rolling friction lies still while (sin)^2 + (r sin / e)^2 <= (mu cos)^2.
TEST(ContactMoments, RollingFrictionHoldsABallOnASlope) {
  const double mu = 0.5, arm = 0.05;
  const double limit = std::atan(mu / std::sqrt(1.0 + radius * radius / (arm * arm)));
  for (const double h : {0.001, 0.01}) {
    for (const double part : {0.98, 1.02}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", " << part << " of the limit");
      Simulation simulation = simulate(ball_on_plane(mu, 0.0, arm, part * limit), h, 1.0);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const double moved = simulation.spatial_pose(1).position.x;
      if (part < 1.0) {
        EXPECT_LT(std::fabs(moved), 1e-6);
      } else {
        EXPECT_GT(moved, 1e-3);
      }
    }
  }
}

// All three at once: a ball that slides, spins and rolls loses energy and comes to rest.
TEST(ContactMoments, TogetherTheyBringABallToRest) {
  SceneSpec scene = ball_on_plane(0.3, 0.01, 0.02);
  scene.bodies[1].spatial().velocity = {{1.0, 0.3, 0.0}, {2.0, -4.0, 15.0}};
  Simulation simulation = simulate(scene, 0.005, 4.0);
  double last = simulation.energy().kinetic;
  while (simulation.step()) {
    EXPECT_LE(simulation.energy().kinetic, last * (1.0 + 1e-9) + 1e-9);
    last = simulation.energy().kinetic;
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_LT(last, 1e-10);
}

TEST(ContactMoments, RefusesArmsThatAreNoLengths) {
  EXPECT_THROW(compile_model(ball_on_plane(0.3, -0.01, 0.0)), std::invalid_argument);
  EXPECT_THROW(compile_model(ball_on_plane(0.3, 0.0, std::nan(""))), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp
