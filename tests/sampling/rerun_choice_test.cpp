// SPDX-License-Identifier: Apache-2.0
// Which trials the step check simulates again.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "pegrasp/step_check.hpp"

namespace pegrasp {
namespace {

TEST(RerunChoice, AsManyAsTheShareAndAtLeastTwoHundred) {
  EXPECT_EQ(rerun_count(0.02, 0), 0u);
  EXPECT_EQ(rerun_count(0.02, 1), 1u);
  EXPECT_EQ(rerun_count(0.02, 199), 199u);
  EXPECT_EQ(rerun_count(0.02, 201), 200u);
  EXPECT_EQ(rerun_count(0.02, 10000), 200u);
  EXPECT_EQ(rerun_count(0.02, 10001), 201u) << "rounded up";
  EXPECT_EQ(rerun_count(0.02, 1000000), 20000u);
  EXPECT_EQ(rerun_count(1e-9, 1000000), 200u);
  EXPECT_EQ(rerun_count(1.0, 12345), 12345u);
  for (const double none : {0.0, -1.0}) EXPECT_EQ(rerun_count(none, 1000), 0u);
}

// One trial of each run of trials: so they increase, and no cell gets many more than another.
TEST(RerunChoice, OneOfEachRunOfTrials) {
  for (const std::size_t trials : {std::size_t{200}, std::size_t{1000}, std::size_t{10007}, std::size_t{99999}}) {
    for (const std::size_t reruns : {std::size_t{1}, std::size_t{7}, std::size_t{200}}) {
      for (std::size_t k = 0; k < reruns; ++k) {
        const std::size_t trial = rerun_trial(k, reruns, trials, 1);
        EXPECT_GE(trial, trials * k / reruns);
        EXPECT_LT(trial, trials * (k + 1) / reruns);
      }
    }
  }
  for (std::size_t k = 0; k < 500; ++k) EXPECT_EQ(rerun_trial(k, 500, 500, 9), k) << "all of them";
  // Of a map that no memory holds, nothing overflows.
  constexpr std::size_t many = 1'000'000'000'000'000;
  const std::size_t most = rerun_count(1.0, many);
  const std::size_t last = rerun_trial(most - 1, most, many, 1);
  EXPECT_LT(last, many);
  EXPECT_GE(last, many - many / most - 2);
}

// Every place within a run is as likely as another, for every seed anew.
TEST(RerunChoice, IsDrawnBySeed) {
  constexpr std::size_t reruns = 4000, length = 10;
  std::array<int, length> at{};
  int same = 0;
  for (std::size_t k = 0; k < reruns; ++k) {
    const std::size_t trial = rerun_trial(k, reruns, reruns * length, 1);
    ++at[trial % length];
    same += trial == rerun_trial(k, reruns, reruns * length, 2) ? 1 : 0;
  }
  for (const int count : at) EXPECT_NEAR(count, 400, 5 * 19);  // five standard deviations
  EXPECT_NEAR(same, 400, 5 * 19);
}

// What is stored in journals and compared between machines must not change.
TEST(RerunChoice, StaysAsItIs) {
  EXPECT_EQ(rerun_trial(0, 200, 10000, 1), 15u);
  EXPECT_EQ(rerun_trial(199, 200, 10000, 1), 9995u);
  EXPECT_EQ(rerun_trial(7, 265, 13230, 1), 381u);
  EXPECT_EQ(rerun_trial(3, 1000, std::size_t{1} << 40, ~std::uint64_t{0}), 4054446805u);
}

}  // namespace
}  // namespace pegrasp
