// SPDX-License-Identifier: Apache-2.0
// Success by forces, grip force and margin to slip, by the reference simulator and by the product.
#include <gtest/gtest.h>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/lift_3d.hpp"

namespace pegrasp::reference {
namespace {

SceneOutcome reference(const SceneSpec& scene, const StepOptions& options) {
  const StepOptions derived = derive_options(options, scene);
  const std::vector<double> parameters = scene_parameters(scene);
  if (scene.spatial) {
    spatial::SpatialSimulation simulation(std::make_shared<const spatial::SpatialScene>(scene), derived, parameters,
                                          exact_solver());
    simulation.run();
    return simulation.outcome();
  }
  PlanarSimulation simulation(scene, derived, parameters);
  simulation.run();
  return simulation.outcome();
}

SceneOutcome product(const SceneSpec& scene, const StepOptions& options) {
  Simulation simulation = test::simulate(scene, options);
  simulation.run();
  return simulation.outcome();
}

Predicate about(PredicateKind kind, int body, int other) {
  Predicate p;
  p.kind = kind;
  p.body = body;
  p.body_b = other;
  return p;
}

// Asks both whether each predicate holds; returns how many do.
int expect_alike(SceneSpec scene, const StepOptions& options, const std::vector<Predicate>& predicates) {
  int hold = 0;
  for (const Predicate& p : predicates) {
    scene.success = {p};
    const int there = reference(scene, options).success;
    EXPECT_EQ(product(scene, options).success, there) << static_cast<int>(p.kind) << " " << p.value << " " << p.most;
    hold += there;
  }
  return hold;
}

std::vector<Predicate> predicates(int body, int other, double force, double lasted) {
  std::vector<Predicate> out;
  for (const double of : {0.9, 1.1}) {
    Predicate touch = about(PredicateKind::touching, body, other);
    touch.duration = of * lasted;
    out.push_back(touch);
    Predicate below = about(PredicateKind::contact_force, body, other);
    below.value = of * force;
    out.push_back(below);
    below.count = 1;
    below.since = 0.02;
    out.push_back(below);
    Predicate above = below;
    above.value = 0.0;
    above.most = of * force;
    out.push_back(above);
  }
  return out;
}

TEST(ReferenceForces, PlanarPredicatesAreAlike) {
  const double weight = 2.0 * scenes::standard_gravity;
  EXPECT_EQ(expect_alike(scenes::block_on_plane(0.3, 1.0), test::steps_of(0.005, 0.2), predicates(1, 0, weight, 0.2)),
            4);
}

TEST(ReferenceForces, SpatialPredicatesAreAlike) {
  const SceneSpec scene = scenes::stack_3d(1, 0.5);
  const double weight = scene.bodies[1].mass * scenes::standard_gravity;
  EXPECT_EQ(expect_alike(scene, test::steps_of(0.005, 0.2), predicates(1, -1, weight, 0.2)), 4);
}

// Scenes in which nothing is free to share a load in one way or another.
TEST(ReferenceForces, MeasuresAreAlike) {
  for (SceneSpec scene : {scenes::block_on_plane(0.3, 1.0), scenes::wedge(0.05, 0.01, 0.6)}) {
    scene.measure_forces = true;
    const StepOptions options = test::steps_of(0.005, 0.2);
    const SceneOutcome there = reference(scene, options), here = product(scene, options);
    EXPECT_GT(there.grip_force_max, 1.0) << scene.name;
    EXPECT_NEAR(here.grip_force_max, there.grip_force_max, 1e-3 * there.grip_force_max) << scene.name;
    EXPECT_NEAR(here.slip_margin_min, there.slip_margin_min, 1e-3) << scene.name;
    EXPECT_NEAR(here.slip_margin_end, there.slip_margin_end, 1e-3) << scene.name;
  }
}

}  // namespace
}  // namespace pegrasp::reference
