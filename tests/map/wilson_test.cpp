// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pegrasp
