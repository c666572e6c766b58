// SPDX-License-Identifier: Apache-2.0
// Random drops of exact ellipses and superellipses on what lies on the ground, and on each other.
#include <algorithm>
#include <iostream>

#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

BodySpec dropped(scenes::Random& random, const std::string& name, double height, int most_order) {
  BodySpec body = scenes::box_body(name, 0.1, 0.1, 1.0);
  const double a = random.uniform(0.01, 0.05), b = random.uniform(0.01, 0.05);
  const int order = 2 + static_cast<int>(random.uniform(0.0, most_order - 1.01));
  body.planar().parts = {make_exact_superellipse(name, {{}, a, b, order, 0.0})};
  const AreaProperties whole = area_properties(body.planar().parts[0]);
  body.planar().inertia = body.mass * whole.second_moment / whole.area;
  body.friction = 0.4;
  const double aside = random.uniform(-0.03, 0.03);
  body.planar().pose = {aside, height, random.uniform(-3.0, 3.0)};
  body.planar().velocity = {random.uniform(-0.3, 0.3), 0.0, random.uniform(-5.0, 5.0)};
  return body;
}

// most: of unresolved steps.
void drop(std::uint64_t salt, int trials, int most_order, int most) {
  const std::uint64_t seed = fuzz_seed(salt);
  scenes::Random random(seed);
  int unresolved = 0, steps = 0;
  double deepest = 0.0;
  for (int trial = 0; trial < trials; ++trial) {
    SceneSpec scene = scenes::disc_on_plane(0.03, 1.0, random.uniform(0.0, 0.8), {});
    if (trial % 4 == 1) scene.bodies[1] = scenes::box_body("box", 0.08, 0.05, 1.0);
    if (trial % 4 == 1) scene.bodies[1].planar().pose = {0.0, 0.025, 0.0};
    if (trial % 4 >= 2) scene.bodies[1] = dropped(random, "first", 0.06, most_order);
    scene.bodies.push_back(dropped(random, "second", 0.17, most_order));
    scene.bodies.push_back(dropped(random, "third", 0.29, most_order));
    Simulation simulation = simulate(scene, steps_of(0.005, 0.8));
    double depth = 0.0;
    while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
    const SceneOutcome outcome = simulation.outcome();
    steps += outcome.steps;
    unresolved += outcome.unresolved_steps;
    deepest = std::max(deepest, depth);
    if (outcome.unresolved_steps > 0)
      std::cout << "trial " << trial << ": " << outcome.unresolved_steps << " unresolved, " << depth
                << " m deep, status " << outcome.status << "\n";
    EXPECT_LT(depth, 1e-5) << "trial " << trial << ", seed " << seed;
  }
  std::cout << trials << " drops, " << steps << " steps, " << unresolved << " unresolved, at most " << deepest
            << " m deep\n";
  EXPECT_LE(unresolved, most);
}

TEST(EllipseDrops, EndWell) { drop(20261133, 40, 2, 0); }
TEST(EllipseDropsLong, OfEllipsesEndWell) { drop(20261134, 400, 2, 0); }
TEST(EllipseDropsLong, OfSuperellipsesEndWell) { drop(20261135, 200, 8, 10); }

}  // namespace
}  // namespace pegrasp::test
