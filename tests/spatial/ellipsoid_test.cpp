// SPDX-License-Identifier: Apache-2.0
// Exact ellipsoids and superellipsoids in motion and at rest, against closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/geometry/placement.hpp"
#include "tests/scenes/smooth_solids.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::ellipsoid;
using scenes::sloping;
using test::simulate;

constexpr double gravity = scenes::standard_gravity;

TEST(Ellipsoid, HasTheVolumeAndTheInertiaOfItsFormula) {
  const double pi = std::numbers::pi;
  const SolidProperties plain = solid_properties(make_ellipsoid("e", {1.0, 2.0, 3.0}, {0.3, 0.1, 0.2}));
  EXPECT_NEAR(plain.volume, 4.0 / 3.0 * pi * 0.006, 1e-15);
  EXPECT_NEAR(plain.inertia.xx, 0.2 * plain.volume * (0.01 + 0.04), 1e-15);
  EXPECT_EQ(plain.centroid.z, 3.0);
  const SolidProperties turned = solid_properties(make_ellipsoid("e", {}, {0.3, 0.1, 0.2}, turn_by({0.0, 0.0, 0.4})));
  const double one = 0.2 * plain.volume * (0.01 + 0.04), other = 0.2 * plain.volume * (0.09 + 0.04);
  EXPECT_NEAR(turned.inertia.xy, (one - other) * std::sin(0.4) * std::cos(0.4), 1e-15);
  // of order 2 by the formula of all orders; a cube is the limit
  const SolidProperties cube = solid_properties(make_ellipsoid("e", {}, {1.0, 1.0, 1.0}, {}, 16));
  EXPECT_NEAR(cube.volume, 8.0, 0.5);
  EXPECT_NEAR(cube.inertia.xx / cube.volume, 2.0 / 3.0, 0.03);
}

TEST(Ellipsoid, RefusesWhatIsNone) {
  EXPECT_THROW(make_ellipsoid("e", {}, {0.0, 1.0, 1.0}), ShapeError);
  EXPECT_THROW(make_ellipsoid("e", {}, {1.0, 1.0, 1e-4}), ShapeError);
  EXPECT_THROW(make_ellipsoid("e", {}, {1.0, 1.0, 1.0}, {}, 1), ShapeError);
  EXPECT_THROW(make_ellipsoid("e", {}, {1.0, 1.0, 1.0}, {}, 17), ShapeError);
  EXPECT_THROW(make_ellipsoid("e", {std::nan(""), 0.0, 0.0}, {1.0, 1.0, 1.0}), ShapeError);
}

// With equal half-axes it goes where the sphere goes: down a slope, spinning about all axes.
TEST(Ellipsoid, WithEqualHalfAxesGoesAsTheSphereDoes) {
  for (const bool plate : {false, true}) {
    SpatialPose ends[2];
    for (const bool smooth : {false, true}) {
      SceneSpec scene = sloping(0.2, 0.5, plate);
      const SolidPart part = smooth ? make_ellipsoid("ball", {}, {0.05, 0.05, 0.05}) : make_sphere("ball", {}, 0.05);
      scene.bodies.push_back(scenes::of_water("ball", part, {0.0, 0.0, 0.06}, 0.5));
      scene.bodies[1].spatial().velocity = {{0.1, 0.3, 0.0}, {3.0, -2.0, 5.0}};
      Simulation simulation = simulate(scene, 0.005, 1.0);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      ends[smooth ? 1 : 0] = simulation.spatial_pose(1);
    }
    EXPECT_LT(length(ends[1].position - ends[0].position), 1e-7);
    EXPECT_NEAR(ends[1].position.z, 0.05, 1e-8);
  }
}

TEST(Ellipsoid, StaysAtRest) {
  for (const bool plate : {false, true}) {
    for (const double h : {0.001, 0.01}) {
      SceneSpec scene = sloping(0.0, 0.4, plate);
      scene.bodies.push_back(ellipsoid("part", {0.06, 0.05, 0.03}, {0.0, 0.0, 0.03}, 0.4));
      Simulation simulation = simulate(scene, h, 1.0);
      double depth = 0.0;
      while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_LT(depth, 1e-9);
      EXPECT_LT(length(simulation.spatial_pose(1).position - Vec3{0.0, 0.0, 0.03}), 1e-8);
    }
  }
}

// Small oscillations about its short axis: turned by theta about y the centre is c + (a^2 - c^2) theta^2 / (2 c) high;
// what rolls moves it along by c theta as well. About x likewise with b.
TEST(Ellipsoid, RocksInTheRightPeriods) {
  const Vec3 half{0.1, 0.08, 0.05};
  const double turn = 0.02;
  for (const double friction : {0.0, 0.9}) {
    for (const bool about_y : {true, false}) {
      const double a = about_y ? half.x : half.y, c = half.z;
      const double inertia = 0.2 * (a * a + c * c);
      const double swinging = friction > 0.0 ? inertia + c * c : inertia;
      const double period = 2.0 * std::numbers::pi / std::sqrt(gravity * (a * a - c * c) / (c * swinging));
      SceneSpec scene = sloping(0.0, friction);
      scene.bodies.push_back(
          ellipsoid("part", half, {0.0, 0.0, std::hypot(a * std::sin(turn), c * std::cos(turn))}, friction));
      scene.bodies[1].spatial().pose.turn = turn_by(about_y ? Vec3{0.0, turn, 0.0} : Vec3{turn, 0.0, 0.0});
      Simulation simulation = simulate(scene, 0.002, 2.0);
      double last = turn, since = 0.0, until = 0.0, time = 0.0, swing = 0.0;
      int crossings = 0;
      while (simulation.step()) {
        const Vec3 v = turn_vector(simulation.spatial_pose(1).turn);
        const double now = about_y ? v.y : v.x, then = simulation.time();
        if (then > 1.6) swing = std::max(swing, std::fabs(now));
        if ((now < 0.0) != (last < 0.0)) {
          until = time + (then - time) * last / (last - now);
          if (crossings++ == 0) since = until;
        }
        last = now;
        time = then;
      }
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(2.0 * (until - since) / (crossings - 1), period, 2e-3 * period) << friction << " " << about_y;
      EXPECT_NEAR(swing, turn, 0.03 * turn) << friction << " " << about_y;
    }
  }
}

// What rolls and spins without slip keeps its energy, to the order of the step.
TEST(Ellipsoid, RollsWithoutLoss) {
  const auto off = [](double h) {
    SceneSpec scene = sloping(0.3, 0.9);
    scene.bodies.push_back(ellipsoid("part", {0.12, 0.1, 0.09}, {0.0, 0.0, 0.09}, 0.9));
    Simulation simulation = simulate(scene, h, 1.0);
    const EnergyReport start = simulation.energy();
    double most = 0.0;
    while (simulation.step()) {
      const EnergyReport energy = simulation.energy();
      most = std::max(most, std::fabs(energy.kinetic + energy.potential - start.potential));
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_GT(simulation.spatial_pose(1).position.x, 0.2);
    return most / (scene.bodies[1].mass * gravity * std::sin(0.3) * simulation.spatial_pose(1).position.x);
  };
  const double coarse = off(0.004), fine = off(0.001);
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(fine, 0.3 * coarse);
}

// Without friction and weight two ellipsoids that meet keep momentum, and do not overlap.
TEST(Ellipsoid, MeetsAnotherAndKeepsMomentum) {
  SceneSpec scene = scenes::scene_3d("pair");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(ellipsoid("one", {0.1, 0.06, 0.04}, {0.0, 0.0, 0.0}, 0.3));
  scene.bodies.push_back(ellipsoid("two", {0.05, 0.08, 0.07}, {0.3, 0.03, 0.02}, 0.3));
  scene.bodies[1].spatial().velocity = {{-1.0, 0.0, 0.0}, {1.0, 2.0, 0.5}};
  Simulation simulation = simulate(scene, 0.005, 0.5);
  double depth = 0.0;
  while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_LT(depth, 1e-7);
  const double before = -scene.bodies[1].mass;
  const Vec3 v0 = simulation.spatial_velocity(0).velocity, v1 = simulation.spatial_velocity(1).velocity;
  EXPECT_NEAR(scene.bodies[0].mass * v0.x + scene.bodies[1].mass * v1.x, before, 1e-9);
  EXPECT_NEAR(scene.bodies[0].mass * v0.y + scene.bodies[1].mass * v1.y, 0.0, 1e-9);
  EXPECT_LT(v0.x, -0.1);
}

}  // namespace
}  // namespace pegrasp
