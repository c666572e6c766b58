// SPDX-License-Identifier: Apache-2.0
// Piles of bodies that are unions: L, T, U, a stepped bar, a plus. Wherever an edge is covered, wholly or in part, the
// rest must keep bodies apart; the overlap is measured as area, without features.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp::test {
namespace {

// Seeds from `first` on.
void expect_apart(std::uint64_t first, int seeds, int count, const std::vector<double>& steps) {
  for (const double h : steps) {
    for (const double mu : {0.0, 0.25}) {
      for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(seeds); ++seed) {
        const SceneSpec scene = scenes::union_pile(seed, mu, count);
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
