// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "pegrasp/map.hpp"

namespace pegrasp {
namespace {

// From the formula in 40-digit arithmetic; 81 of 263 is Newcombe's (1998) example, .2553 to .3662.
TEST(Wilson, KnownIntervals) {
  struct Case {
    int successes, trials;
    double low, high;
  };
  for (const Case& c :
       {Case{0, 10, 0.000000000000000, 0.277532799862889}, Case{5, 10, 0.236593090512564, 0.763406909487436},
        Case{10, 10, 0.722467200137111, 1.000000000000000}, Case{1, 30, 0.005908590381612, 0.166703909914092},
        Case{17, 30, 0.391973070008136, 0.726225144235335}, Case{29, 30, 0.833296090085908, 0.994091409618388},
        Case{81, 263, 0.255288519878274, 0.366209576982800}}) {
    const Interval interval = wilson_interval(c.successes, c.trials);
    EXPECT_NEAR(interval.low, c.low, 1e-12) << c.successes << " of " << c.trials;
    EXPECT_NEAR(interval.high, c.high, 1e-12) << c.successes << " of " << c.trials;
  }
}

TEST(Wilson, NothingTriedSaysNothing) {
  EXPECT_EQ(wilson_interval(0, 0).low, 0.0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1.0);
}

TEST(Wilson, EndsAreExactAndMirrored) {
  for (int n = 1; n <= 200; ++n) {
    EXPECT_EQ(wilson_interval(0, n).low, 0.0);
    EXPECT_EQ(wilson_interval(n, n).high, 1.0);
    for (int k = 0; k <= n; ++k) {
      const Interval a = wilson_interval(k, n);
      const Interval b = wilson_interval(n - k, n);
      EXPECT_NEAR(a.low, 1.0 - b.high, 1e-15);
      EXPECT_LE(a.low, static_cast<double>(k) / n);
      EXPECT_GE(a.high, static_cast<double>(k) / n);
    }
  }
}

// Where nothing or everything changes the score equation is linear: z^2 / (n + z^2), and (n - z^2) / (n + z^2).
TEST(ChangeInterval, ClosedForms) {
  constexpr double z2 = 1.959963984540054 * 1.959963984540054;
  for (const int n : {1, 10, 200, 100000}) {
    const Interval nothing = change_interval(0, 0, n), all = change_interval(n, 0, n);
    EXPECT_NEAR(nothing.high, z2 / (n + z2), 1e-12) << n;
    EXPECT_NEAR(nothing.low, -z2 / (n + z2), 1e-12) << n;
    EXPECT_NEAR(all.low, (n - z2) / (n + z2), 1e-12) << n;
    EXPECT_EQ(all.high, 1.0) << n;
  }
  EXPECT_EQ(change_interval(0, 0, 0).low, -1.0);
  EXPECT_EQ(change_interval(0, 0, 0).high, 1.0);
}

// It leaves out 0 exactly where McNemar's test does, holds the estimate, and mirrors.
TEST(ChangeInterval, IsMcNemarsTestAtZero) {
  constexpr double z = 1.959963984540054;
  constexpr int n = 40;
  for (int gained = 0; gained <= n; ++gained) {
    for (int lost = 0; lost <= n - gained; ++lost) {
      const Interval one = change_interval(gained, lost, n), mirrored = change_interval(lost, gained, n);
      const double change = static_cast<double>(gained - lost) / n;
      EXPECT_EQ(one.low, -mirrored.high);
      EXPECT_LE(one.low, change);
      EXPECT_GE(one.high, change);
      EXPECT_GE(one.low, -1.0);
      EXPECT_LE(one.high, 1.0);
      const bool differs = std::abs(gained - lost) > z * std::sqrt(static_cast<double>(gained + lost));
      EXPECT_EQ(one.low > 0.0 || one.high < 0.0, differs) << gained << " " << lost;
    }
  }
}

}  // namespace
}  // namespace pegrasp
