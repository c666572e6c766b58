// SPDX-License-Identifier: Apache-2.0
// Awkward shapes poured into a box: needles, plates, tetrahedra, and forty hulls. Judged by exact volumes of intersection; over many seeds by pegrasp_space_study.
#include <gtest/gtest.h>

#include <tuple>

#include "scenes/solid_pours.hpp"
#include "space/pour_out.hpp"

namespace pegrasp {
namespace {

using test::pour_out;
using test::PourEnd;

class PoursLong : public testing::TestWithParam<std::tuple<const char*, double, double>> {};

TEST_P(PoursLong, StayApartAndInside) {
  const auto [kind, h, friction] = GetParam();
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(testing::Message() << kind << ", h " << h << ", mu " << friction << ", seed " << seed);
    const PourEnd r = pour_out(scenes::solid_pour(kind, seed, friction), h, 5.0, 1);
    EXPECT_TRUE(r.inside);
    EXPECT_LT(r.overlap, 1e-6);
    EXPECT_LT(r.jump, 0.1);
    EXPECT_EQ(r.outcome.unresolved_steps, 0);
    EXPECT_EQ(r.outcome.status, status_ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PoursLong,
                         testing::Combine(testing::Values("needles", "plates", "tetrahedra"),
                                          testing::Values(0.004, 0.016), testing::Values(0.0, 0.3)));

// One rejected pair halves the step of all that touch: with many bodies that must stay rare.
TEST(ManyHullsLong, RejectFewSteps) {
  const PourEnd r = pour_out(scenes::many_hulls(1, 0.0, 40), 0.016, 22.0, 10);
  EXPECT_TRUE(r.inside);
  EXPECT_LT(r.overlap, 1e-6);
  EXPECT_EQ(r.outcome.status, status_ok);
  EXPECT_LT(r.outcome.substeps_rejected, 0.05 * static_cast<double>(r.outcome.substeps + r.outcome.substeps_rejected));
}

}  // namespace
}  // namespace pegrasp
