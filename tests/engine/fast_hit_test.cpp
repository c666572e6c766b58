// SPDX-License-Identifier: Apache-2.0
// Fast bodies that a hit off their centres turns by radians within the step: none passes through what it
// hits with status ok.
#include <gtest/gtest.h>

#include <vector>

#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/fast_hits.hpp"

namespace pegrasp {
namespace {

using scenes::FastHit;
using scenes::Passages;

Passages fly(const FastHit& hit, Strategy strategy, int level, double h) {
  StepOptions options = test::steps_of(h, 4.0 * h);
  options.max_substep_level = level;
  options.strategy = strategy;
  options.solver = strategy == Strategy::batched ? SolverKind::aj : options.solver;
  Simulation run = test::simulate(hit.scene, options);
  return scenes::fly(run, hit);
}

TEST(FastHit, OffCentreDoesNotPassThrough) {
  std::vector<FastHit> hits{scenes::hit_on_box(), scenes::hit_on_disc()};
  for (const double a : {0.002, 0.005, 0.01, 0.02, 0.05}) hits.push_back(scenes::hit_on_ellipse(a));
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const Passages found = fly(hits[i], strategy, 4, 0.05);
      EXPECT_EQ(found.unhindered, 0) << i;
      EXPECT_EQ(found.through, 0) << i;
    }
  }
}

void shoot(std::uint64_t first, int shots) {
  int unresolved = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(shots); ++seed) {
    const FastHit hit = scenes::random_hit(seed, seed % 2 == 0);
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      for (const double h : {0.05, 0.005}) {
        const Passages found = fly(hit, strategy, seed % 3 == 0 ? 0 : 4, h);
        EXPECT_EQ(found.unhindered, 0) << seed << " " << h;
        EXPECT_EQ(found.through, 0) << seed << " " << h;
        unresolved += seed % 3 != 0 && found.unresolved > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_LE(unresolved, shots / 4);  // of runs that may halve steps, 8/3 times the shots
}

TEST(FastHit, AtRandomPassesNothingUnseen) { shoot(test::fuzz_seed(1000), 24); }
TEST(FastHitLong, AtRandomPassesNothingUnseen) { shoot(test::fuzz_seed(50'000), 1000); }

}  // namespace
}  // namespace pegrasp
