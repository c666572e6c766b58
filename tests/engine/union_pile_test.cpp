// SPDX-License-Identifier: Apache-2.0
// Piles of bodies that are unions: L, T, U, a stepped bar, a plus. Wherever an edge is covered, wholly or in part, the rest must
// keep bodies apart; the overlap is measured as area, without features.
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz_seed.hpp"
#include "runs.hpp"
#include "scenes/polygon_box.hpp"

namespace pegrasp::test {
namespace {

ConvexPart bar(const char* name, double left, double right, double bottom, double top) {
  return make_polygon(name, {{left, bottom}, {right, bottom}, {right, top}, {left, top}});
}

std::vector<std::vector<ConvexPart>> unions() {
  return {
      {bar("foot", -0.2, 0.2, -0.2, -0.08), bar("leg", -0.2, -0.08, -0.2, 0.2)},  // L, overlapping
      {bar("top", -0.2, 0.2, 0.1, 0.2), bar("stem", -0.05, 0.05, -0.2, 0.1)},     // T, flush
      {bar("floor", -0.2, 0.2, -0.2, -0.1), bar("left", -0.2, -0.1, -0.1, 0.15),
       bar("right", 0.1, 0.2, -0.2, 0.15)},                                             // U
      {bar("thin", -0.25, 0.0, 0.0, 0.1), bar("thick", 0.0, 0.25, -0.15, 0.1)},         // a bar with a step
      {bar("lying", -0.2, 0.2, -0.06, 0.06), bar("standing", -0.06, 0.06, -0.2, 0.2)},  // a plus
  };
}

SceneSpec union_pile(std::uint64_t seed, double friction, int count) {
  SceneSpec scene;
  scene.name = "union_pile";
  scene.gravity = {0.0, -scenes::standard_gravity};
  scenes::add_container(scene, friction);
  scenes::Random random(seed);
  const auto shapes = unions();
  for (int i = 0; i < count; ++i) {
    BodySpec body = scenes::box_body("union" + std::to_string(i), 0.4, 0.4, 10.0);
    body.parts = shapes[static_cast<std::size_t>(random.uniform(0.0, 1.0) * static_cast<double>(shapes.size()))];
    body.pose = {(i % 2 == 0 ? -1.0 : 1.0) * random.uniform(0.3, 0.6), 3.0, random.uniform(-3.1, 3.1)};
    body.velocity.omega = random.uniform(-5.0, 5.0);
    body.drop_time = 0.4 * i;
    body.friction = friction;
    scene.bodies.push_back(body);
  }
  return scene;
}

// Seeds from `first` on.
void expect_apart(std::uint64_t first, int seeds, int count, const std::vector<double>& steps) {
  for (const double h : steps) {
    for (const double mu : {0.0, 0.25}) {
      for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(seeds); ++seed) {
        const SceneSpec scene = union_pile(seed, mu, count);
        Simulation simulation = simulate(scene, steps_of(h, 0.4 * count + 0.6));
        std::vector<double> overlaps;
        while (simulation.step()) overlaps.push_back(overlap_now(scene, simulation) / total_dynamic_area(scene));
        std::sort(overlaps.begin(), overlaps.end());
        const SceneOutcome outcome = simulation.outcome();
        const std::string what =
            "seed " + std::to_string(seed) + ", mu " + std::to_string(mu) + ", h " + std::to_string(h);
        EXPECT_EQ(outcome.status, status_ok) << what << ": " << status_words(outcome.status);
        EXPECT_LT(overlaps[overlaps.size() * 99 / 100], 1e-5) << what;
        EXPECT_LT(overlaps.back(), 1e-4) << what;
        EXPECT_GT(simulation.pose(3).y, -0.1) << what;
      }
    }
  }
}

TEST(UnionPile, BodiesStayApart) { expect_apart(fuzz_seed(1), 3, 6, {0.004, 0.016}); }
TEST(LongUnionPile, BodiesStayApart) { expect_apart(fuzz_seed(100), 8, 12, {0.002, 0.004, 0.008, 0.016}); }

}  // namespace
}  // namespace pegrasp::test
