// SPDX-License-Identifier: Apache-2.0
// Scenes that are not finite end in the same bytes, whichever of its many NaNs a processor makes or is given.
#include "src/backend/canonical_nan.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/model/model.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/engine/emulated_device.hpp"

namespace pegrasp::test {
namespace {

constexpr std::uint64_t canonical = 0x7ff8000000000000ull;
// x86's own, a GPU's, one that carries a number, a signalling one.
constexpr std::uint64_t patterns[] = {0xfff8000000000000ull, 0x7fffffffffffffffull, 0xfff80000deadbeefull,
                                      0x7ff0000000000001ull};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(CanonicalNan, IsOneForAllAndNothingElseIsTouched) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::uint64_t pattern : patterns) {
    const double nan = std::bit_cast<double>(pattern);
    SceneOutcome outcome;
    outcome.time = outcome.residual_max = outcome.penetration_max = nan;
    std::vector<double> poses{0.0, nan, -0.0, infinity, -infinity, 5e-324};
    make_canonical({&outcome, 1}, poses);
    for (const double x : {outcome.time, outcome.residual_max, outcome.penetration_max, poses[1]}) {
      EXPECT_EQ(bits(x), canonical);
    }
    EXPECT_EQ(bits(poses[0]), 0u);
    EXPECT_EQ(bits(poses[2]), bits(-0.0));
    EXPECT_EQ(poses[3], infinity);
    EXPECT_EQ(poses[4], -infinity);
    EXPECT_EQ(poses[5], 5e-324);
  }
}

// A body's place is not a number: its scene is not begun, and the final pose is what was given.
TEST(CanonicalNan, NoBackendLetsOthersThrough) {
  SceneBatchCase batch = gear_case(4, {.solver = SolverKind::aj, .duration = 0.05});
  const ParameterLayout& layout = batch.model->layout();
  for (int i = 0; i < 4; ++i) {
    batch.parameters[static_cast<std::size_t>(i * batch.parameter_count + layout.pose(0))] =
        std::bit_cast<double>(patterns[i]);
  }
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    batch.options.strategy = strategy;
    std::vector<Results> all{run_all(batch, 2, Arithmetic::strict, BackendKind::cpu), run_all(batch, 2)};
    EmulatedDevice device;
    if (strategy == Strategy::per_scene) {
      all.push_back(all[0]);
      ASSERT_TRUE(make_backend_on(device)->run(*batch.model, batch.options, batch.parameters, all[2].outcomes,
                                               all[2].poses, nullptr));
    }
    for (const Results& results : all) {
      std::size_t nans = 0;
      for (const double x : results.poses) {
        if (!std::isnan(x)) continue;
        ++nans;
        EXPECT_EQ(bits(x), canonical);
      }
      EXPECT_GE(nans, 4u) << "the test has shown nothing";
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
