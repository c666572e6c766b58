// SPDX-License-Identifier: Apache-2.0
// Superellipsoids of orders at which sides are nearly flat rest on each other, under other parts and between jaws that
// are smaller than the side.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "src/geometry/placement.hpp"
#include "tests/scenes/smooth_solids.hpp"
#include "tests/spatial/lift_trials.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

constexpr Vec3 cushion{0.05, 0.04, 0.03};

// Each 1 mm beside the one below it and 0.1 mm above.
SceneSpec stack_of_cushions(int bodies, int order) {
  SceneSpec scene = scenes::sloping(0.0, 0.5);
  for (int k = 0; k < bodies; ++k) {
    const Vec3 at{0.001 * k, 0.0, 0.0301 + 0.0602 * k};
    scene.bodies.push_back(scenes::ellipsoid("body" + std::to_string(k), cushion, at, 0.5, order));
  }
  return scene;
}

TEST(FlatSides, OfTwoSuperellipsoidsRest) {
  for (const int order : {4, 8, 16}) {
    Simulation simulation = test::simulate(stack_of_cushions(2, order), 0.005, 2.0);
    double depth = 0.0, early = 0.0, late = 0.0, spin = 0.0;
    while (simulation.step()) {
      depth = std::max(depth, simulation.last_penetration());
      if (simulation.time() < 1.0) continue;
      const EnergyReport energy = simulation.energy();
      if (early == 0.0) early = energy.kinetic + energy.potential;
      late = energy.kinetic + energy.potential;
      for (const int body : {1, 2}) {
        spin = std::max(spin, std::fabs(simulation.spatial_velocity(body).angular.z));
      }
    }
    EXPECT_EQ(simulation.outcome().status, status_ok) << order;
    EXPECT_LT(depth, 1e-7) << order;
    EXPECT_LT(spin, 1e-6) << order;
    EXPECT_LT(late, early + 1e-6) << order;
    EXPECT_NEAR(simulation.spatial_pose(2).position.x, 0.001, 2e-5) << order;
  }
}

TEST(FlatSides, OfFourInAStackDoNotTurn) {
  for (const int order : {4, 8}) {
    Simulation simulation = test::simulate(stack_of_cushions(4, order), 0.005, 1.0);
    double depth = 0.0;
    while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
    EXPECT_EQ(simulation.outcome().status, status_ok) << order;
    EXPECT_LT(depth, 1e-7) << order;
    for (int body = 1; body < 5; ++body) {
      EXPECT_LT(length(turn_vector(simulation.spatial_pose(body).turn)), 1e-4) << order << " " << body;
    }
  }
}

// What lies along a line on the flat top bears at both ends of what lies on it.
TEST(FlatSides, CarryWhatLiesOnThem) {
  for (const int order : {8, 16}) {
    const std::vector<SolidPart> parts{
        make_cylinder("can", {0.0, -0.025, 0.0}, {0.0, 0.025, 0.0}, 0.02),
        make_cylinder("post", {0.0, 0.0, -0.02}, {0.0, 0.0, 0.02}, 0.02),
        make_capsule("pill", {0.0, -0.02, 0.0}, {0.0, 0.02, 0.0}, 0.02),
        {"box", scenes::cuboid(0.01, 0.02, 0.02)},
        make_ellipsoid("cushion", {}, {0.02, 0.02, 0.02}, {}, order),
    };
    for (const SolidPart& part : parts) {
      SceneSpec scene = stack_of_cushions(1, order);
      scene.bodies.push_back(scenes::of_water("part", part, {0.001, 0.0, 0.0803}, 0.5));
      Simulation simulation = test::simulate(scene, 0.005, 0.5);
      double depth = 0.0;
      while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
      EXPECT_EQ(simulation.outcome().status, status_ok) << part.name << " " << order;
      EXPECT_LT(depth, 1e-7) << part.name << " " << order;
      EXPECT_LT(length(simulation.spatial_pose(2).position - Vec3{0.001, 0.0, 0.08}), 1e-5) << part.name << order;
    }
  }
}

// One jaw presses; the side turns by itself until it lies flat on both.
TEST(FlatSides, AreHeldBySmallerJaws) {
  const std::string jaw = "part = [{ shape = \"box\", size_mm = [10, 20, 20] }]\n";
  const std::string between = "[[friction]]\nbetween = [\"part\", \"";
  for (const int order : {8, 16}) {
    const Problem problem = parse_problem(
        "dim = 3\n[map]\nsamples = 2\n[simulation]\nh_ms = 5\nduration_s = 0.25\n"
        "[[body]]\nname = \"fixed_jaw\"\nkind = \"fixed\"\nx_mm = -25.4\n" +
            jaw + "[[body]]\nname = \"jaw\"\nkind = \"kinematic\"\nx_mm = 25.4\nvx_mm_s = -100\nmax_force_n = 20\n" +
            jaw +
            "[[body]]\nname = \"part\"\nmass_kg = 0.1\n"
            "turn_x_deg = { distribution = \"uniform\", low = -20, high = 20 }\n"
            "turn_y_deg = { distribution = \"uniform\", low = -0.2, high = 0.2 }\n"
            "part = [{ shape = \"superellipsoid\", semi_axes_mm = [20, 25, 30], order = " +
            std::to_string(order) + " }]\n" + between + "jaw\"]\nmu = 0.5\n" + between +
            "fixed_jaw\"]\nmu = 0.5\n[success]\ndisplacement_below_mm = 10\nof = \"part\"\n",
        "jaws.toml");
    const std::vector<double> base = scene_parameters(problem.scene);
    std::vector<double> values(sampled_columns(problem).size()), row(base.size()), parameters;
    for (int sample = 0; sample < 2; ++sample) {
      draw_sample(problem, base, 0, sample, row, values);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    for (const SceneOutcome& outcome :
         test::run_batch(problem.scene, problem.options, Arithmetic::strict, 2, parameters).outcomes) {
      EXPECT_EQ(outcome.unresolved_steps, 0) << order;
      EXPECT_LT(outcome.penetration_max, 1e-6) << order;
      EXPECT_TRUE(outcome.success) << order;
    }
  }
}

}  // namespace
}  // namespace pegrasp
