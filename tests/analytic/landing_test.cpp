// SPDX-License-Identifier: Apache-2.0
// Steps within which bodies land are halved around that time (StepOptions::landing_halvings): in both dimensions and on
// both strategies, and not where nobody lands.
#include <algorithm>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

constexpr double speed = 0.5, duration = 0.3;

struct Landed {
  double error;  // [m] of the way along the floor
  std::int64_t substeps;
  int steps;
};

// A flat plate falls from this height [m] while it moves along the floor, and sticks where it lands.
Landed landing(double height, double h, int halvings, Strategy strategy = Strategy::per_scene) {
  SceneSpec scene;
  scene.gravity = {0.0, -standard_gravity};
  BodySpec plate = scenes::box_body("plate", 0.2, 0.02, 1.0);
  plate.friction = 1.0;
  plate.planar().pose = {0.0, 0.01 + height, 0.0};
  plate.planar().velocity = {speed, 0.0, 0.0};
  scene.bodies = {scenes::ground_body(1.0), plate};
  StepOptions options = steps_of(h, duration);
  options.landing_halvings = halvings;
  options.strategy = strategy;
  Simulation simulation = simulate(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double exact = speed * std::sqrt(2.0 * height / standard_gravity);
  return {std::fabs(simulation.pose(1).x - exact), simulation.outcome().substeps, simulation.outcome().steps};
}

double largest_error(double h, int halvings, Strategy strategy = Strategy::per_scene) {
  double most = 0.0;
  for (int i = 0; i < 10; ++i) most = std::max(most, landing(0.05 + 0.001 * i, h, halvings, strategy).error);
  return most;
}

// The plate keeps its speed for up to one part of the step too long.
TEST(Landing, ALandingIsResolvedToAPartOfTheStep) {
  constexpr double h = 0.008;
  EXPECT_GT(largest_error(h, 0), 0.3 * speed * h);
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    EXPECT_LT(largest_error(h, 2, strategy), 0.27 * speed * h);
    EXPECT_LT(largest_error(h, 4, strategy), 0.07 * speed * h);
  }
}

TEST(Landing, OnlyTheStepOfTheLandingIsHalved) {
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const Landed two = landing(0.0547, 0.008, 2, strategy);
    EXPECT_GT(two.substeps, two.steps);
    EXPECT_LE(two.substeps, two.steps + 3) << "at most four quarters";
    const Landed none = landing(0.0547, 0.008, 0, strategy);
    EXPECT_EQ(none.substeps, none.steps);
  }
}

TEST(Landing, IsOnByDefaultInPlanarScenesOfFewBodies) {
  SceneSpec scene;
  scene.bodies = {scenes::ground_body(1.0)};
  for (int i = 0; i < 9; ++i) {
    scene.bodies.push_back(scenes::box_body("box" + std::to_string(i), 0.1, 0.1, 1.0));
    EXPECT_EQ(derive_options(StepOptions{}, scene).landing_halvings, i < 8 ? 2 : 0) << i;
  }
  StepOptions asked;
  asked.landing_halvings = 12;
  EXPECT_EQ(derive_options(asked, scene).landing_halvings, asked.max_substep_level);
  asked.landing_halvings = 13;
  EXPECT_THROW(derive_options(asked, scene), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp::test
