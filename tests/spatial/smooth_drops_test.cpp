// SPDX-License-Identifier: Apache-2.0
// Random drops of ellipsoids and superellipsoids on what lies on the ground, and on each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "src/geometry/placement.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/random.hpp"
#include "tests/scenes/smooth_solids.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::ellipsoid;
using scenes::sloping;

struct Drops {
  scenes::Random& random;
  int least_order, most_order;

  Vec3 point(double reach) const {
    const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
    return {x, y, random.uniform(-reach, reach)};
  }
  BodySpec body(const std::string& name, double height) const {
    const Vec3 half{random.uniform(0.01, 0.03), random.uniform(0.01, 0.03), random.uniform(0.01, 0.03)};
    const int order = least_order + static_cast<int>(random.uniform(0.0, most_order - least_order + 0.99));
    const double aside = random.uniform(-0.02, 0.02);
    BodySpec out = ellipsoid(name, half, {aside, random.uniform(-0.02, 0.02), height}, 0.5, order);
    out.spatial().pose.turn = turn_by(point(2.0));
    out.spatial().velocity.angular = point(5.0);
    return out;
  }
  // What lies below: the ground alone, a plate, a box, a ball, a capsule, a cylinder, another one, a roof.
  SceneSpec scene(int trial) const {
    const int kind = trial % 8;
    SceneSpec out = sloping(0.0, random.uniform(0.0, 0.8), kind == 1);
    const auto add_fixed = [&](const SolidPart& part, Vec3 at) {
      BodySpec below = scenes::of_water("below", part, at, 0.4);
      below.kind = BodyKind::fixed;
      below.spatial().pose.turn = turn_by(point(0.7));
      out.bodies.push_back(below);
    };
    if (kind == 2) add_fixed({"box", scenes::cuboid(0.03, 0.02, 0.015)}, {0.0, 0.0, 0.02});
    if (kind == 3) add_fixed(make_sphere("ball", {}, 0.02), {0.0, 0.0, 0.02});
    if (kind == 4) add_fixed(make_capsule("pill", {-0.02, 0.0, 0.0}, {0.02, 0.0, 0.0}, 0.01), {0.0, 0.0, 0.02});
    if (kind == 5) add_fixed(make_cylinder("can", {0.0, 0.0, -0.02}, {0.0, 0.0, 0.02}, 0.02), {0.0, 0.0, 0.02});
    if (kind == 6) add_fixed(make_ellipsoid("egg", {}, {0.03, 0.02, 0.015}), {0.0, 0.0, 0.02});
    if (kind == 7) out.bodies.push_back(scenes::fixed_roof(0.4));
    out.bodies.push_back(body("one", 0.09));
    out.bodies.push_back(body("two", 0.16));
    return out;
  }
};

// most: of unresolved steps, and of the depth [m] that they leave.
void drop(std::uint64_t salt, int trials, int least_order, int most_order, int most, double deep) {
  const std::uint64_t seed = test::fuzz_seed(salt);
  scenes::Random random(seed);
  const Drops drops{random, least_order, most_order};
  int unresolved = 0, steps = 0;
  double deepest = 0.0;
  for (int trial = 0; trial < trials; ++trial) {
    const SceneSpec scene = drops.scene(trial);
    Simulation simulation = test::simulate(scene, 0.005, 0.6);
    double depth = 0.0;
    while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
    const SceneOutcome outcome = simulation.outcome();
    steps += outcome.steps;
    unresolved += outcome.unresolved_steps;
    deepest = std::max(deepest, depth);
    if (outcome.unresolved_steps > 0 || depth > 1e-6)
      std::cout << "trial " << trial << ": " << outcome.unresolved_steps << " unresolved, " << depth
                << " m deep, status " << outcome.status << "\n";
    EXPECT_EQ(outcome.status & (status_non_finite | status_capacity), 0u) << "trial " << trial << ", seed " << seed;
    EXPECT_LT(depth, deep) << "trial " << trial << ", seed " << seed;
  }
  std::cout << trials << " drops, " << steps << " steps, " << unresolved << " unresolved, at most " << deepest
            << " m deep\n";
  EXPECT_LE(unresolved, most);
}

TEST(SmoothDrops, OfEllipsoidsEndWell) { drop(20261130, 24, 2, 2, 0, 1e-6); }
TEST(SmoothDropsLong, OfEllipsoidsEndWell) { drop(20261131, 400, 2, 2, 0, 1e-6); }
TEST(SmoothDropsLong, OfSuperellipsoidsEndWell) { drop(20261132, 100, 3, 8, 20, 1e-4); }

}  // namespace
}  // namespace pegrasp
