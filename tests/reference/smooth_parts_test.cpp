// SPDX-License-Identifier: Apache-2.0
// Exact ellipses and superellipses of the product against two simulators that share no code with it: Berard's (3.82)
// and (3.83) for two bodies, whose closest points are unknowns, and the reference simulator for scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/workbench/implicit_step.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/smooth_pairs.hpp"

namespace pegrasp::reference {
namespace {

SceneSpec scene_of(const ImplicitStep& step) {
  SceneSpec scene;
  for (const SmoothBody& body : step.body) {
    BodySpec spec;
    spec.name = scene.bodies.empty() ? "a" : "b";
    spec.mass = body.mass;
    spec.friction = step.mu;
    spec.planar().inertia = body.inertia;
    spec.planar().pose = {body.pose[0], body.pose[1], body.pose[2]};
    spec.planar().velocity = {body.velocity[0], body.velocity[1], body.velocity[2]};
    const SmoothShape& shape = body.shape;
    spec.planar().parts = {
        make_exact_superellipse("part", {{}, shape.semi_x, shape.semi_y, static_cast<int>(shape.order), 0.0})};
    scene.bodies.push_back(spec);
  }
  return scene;
}

// How far [m] the bodies end from where the oracle has them after one step; turns by a decimetre.
double off_by(const ImplicitStep& step, const ImplicitSolution& solution, const Simulation& simulation) {
  double most = 0.0;
  for (int b = 0; b < 2; ++b) {
    const auto k = static_cast<std::size_t>(b);
    const Eigen::Vector3d end = step.body[k].pose + step.h * solution.velocity[k];
    const Pose pose = simulation.pose(b);
    most = std::max({most, std::abs(pose.x - end[0]), std::abs(pose.y - end[1]), 0.1 * std::abs(pose.theta - end[2])});
  }
  return most;
}

// Without friction both ask for the same: a gap of nothing at the end of the step, and an impulse along the normal
// there. (With friction the product asks for no slip over the step, the source for none at its end.) Where corners of
// high order meet, passes may not settle on a normal; then the product halves the step.
TEST(SmoothPartsLong, EndWhereTheLiteralStepHasThem) {
  mcp::Workspace workspace;
  for (const double order : {2.0, 3.0, 4.0, 8.0}) {
    scenes::Random random(test::fuzz_seed(7));
    int compared = 0, halved = 0, close = 0;
    for (int pair = 0; pair < 250; ++pair) {
      const ImplicitStep step = scenes::meeting(random, order, false);
      const ImplicitSolution solution = solve_implicit(step, &workspace);
      ASSERT_EQ(solution.status, mcp::Status::solved) << pair;
      StepOptions options = test::steps_of(step.h, step.h);
      options.landing_halvings = 0;
      options.penetration_tolerance = 1e-14;
      options.tolerance = 1e-13;
      options.max_passes = 50;
      options.solver = SolverKind::newton;
      Simulation simulation = test::simulate(scene_of(step), options);
      simulation.step();
      if (simulation.outcome().substeps_rejected > 0 || simulation.last_passes() >= options.max_passes) {
        ++halved;
        continue;
      }
      ++compared;
      const double off = off_by(step, solution, simulation);
      close += off < 1e-8 ? 1 : 0;
      EXPECT_LT(off, 2e-8) << order << " " << pair;
    }
    EXPECT_LE(halved, order < 4.0 ? 0 : order < 8.0 ? 10 : 25) << order;
    EXPECT_GT(compared, 220) << order;
    EXPECT_GE(close, compared - 2) << order;
  }
}

TEST(SmoothParts, FallAndRestAsInTheReferenceSimulator) {
  SceneSpec scene = scenes::disc_on_plane(0.1, 1.0, 0.4, {0.3, 0.0, 1.0});
  BodySpec& first = scene.bodies[1];
  first.planar().parts = {make_exact_ellipse("ellipse", {}, 0.1, 0.06)};
  first.planar().pose = {0.0, 0.08, 0.3};
  BodySpec box = scenes::box_body("box", 0.12, 0.08, 0.7);
  box.friction = 0.4;
  box.planar().pose = {0.05, 0.2, 0.4};
  scene.bodies.push_back(box);
  BodySpec tooth = scenes::box_body("tooth", 0.1, 0.05, 0.5);
  tooth.friction = 0.4;
  tooth.planar().parts = {make_exact_superellipse("tooth", {{}, 0.05, 0.03, 4, 0.2})};
  tooth.planar().pose = {-0.16, 0.1, 0.2};
  scene.bodies.push_back(tooth);
  const StepOptions options = derive_options(test::steps_of(0.004, 0.4), scene);
  const std::vector<double> parameters = scene_parameters(scene);
  Simulation product(compile_model(scene), options, parameters);
  PlanarSimulation reference(scene, options, parameters);
  for (int step = 0; step < 100; ++step) {
    product.step();
    reference.step();
    for (int body = 1; body < 4; ++body) {
      const Pose a = product.pose(body), b = reference.pose(body);
      ASSERT_NEAR(a.x, b.x, 1e-5) << step << " " << body;
      ASSERT_NEAR(a.y, b.y, 1e-5) << step << " " << body;
      ASSERT_NEAR(a.theta, b.theta, 1e-4) << step << " " << body;
    }
  }
}

}  // namespace
}  // namespace pegrasp::reference
