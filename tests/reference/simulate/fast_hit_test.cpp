// SPDX-License-Identifier: Apache-2.0
// Fast bodies that a hit off their centres turns by radians within the step, by the reference simulator: none passes
// through what it hits with status ok.
#include <gtest/gtest.h>

#include <vector>

#include "src/reference/planar/simulation.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/fast_hits.hpp"

namespace pegrasp {
namespace {

using scenes::FastHit;
using scenes::Passages;

Passages fly(const FastHit& hit, int level) {
  StepOptions options = test::steps_of(0.05, 0.2);
  options.max_substep_level = level;
  reference::PlanarSimulation run(hit.scene, derive_options(options, hit.scene), scene_parameters(hit.scene));
  return scenes::fly(run, hit);
}

TEST(FastHitInReference, OffCentreDoesNotPassThrough) {
  std::vector<FastHit> hits{scenes::hit_on_box(), scenes::hit_on_disc()};
  for (const double a : {0.002, 0.005, 0.01, 0.02, 0.05}) hits.push_back(scenes::hit_on_ellipse(a));
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Passages found = fly(hits[i], 4);
    EXPECT_EQ(found.unhindered, 0) << i;
    EXPECT_EQ(found.through, 0) << i;
  }
}

TEST(FastHitInReference, AtRandomPassesNothingUnseen) {
  const std::uint64_t first = test::fuzz_seed(1000);
  for (std::uint64_t seed = first; seed < first + 24; ++seed) {
    const FastHit hit = scenes::random_hit(seed, seed % 2 == 0);
    const Passages found = fly(hit, seed % 3 == 0 ? 0 : 4);
    EXPECT_EQ(found.unhindered, 0) << seed;
    EXPECT_EQ(found.through, 0) << seed;
  }
}

}  // namespace
}  // namespace pegrasp
