// SPDX-License-Identifier: Apache-2.0
// The kernels' angle of a direction against libm.
#include "kernels/base/arctangent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

TEST(Arctangent, IsThatOfTheLibrary) {
  scenes::Random random(3);
  double worst = 0.0;
  const auto compare = [&](double y, double x) {
    const double expected = std::atan2(y, x);
    worst = std::max(worst, std::fabs(strict::angle_of(y, x) - expected) / std::max(1e-300, std::fabs(expected)));
  };
  for (int i = 0; i < 1000000; ++i) {
    const double scale = std::exp(random.uniform(-30.0, 30.0));
    compare(random.uniform(-1.0, 1.0), scale * random.uniform(-1.0, 1.0));
  }
  for (const double edge : {7.0 / 16.0, 11.0 / 16.0, 1.0, 16.0 / 11.0, 16.0 / 7.0}) {
    for (const double hair : {-1e-16, 0.0, 1e-16}) {
      for (const double side : {-1.0, 1.0}) compare(edge * (1.0 + hair), side);
    }
  }
  EXPECT_LT(worst, 5e-16);
  EXPECT_EQ(strict::angle_of(0.0, 0.0), 0.0);
  EXPECT_EQ(strict::angle_of(0.0, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(strict::angle_of(0.0, -1.0), std::acos(-1.0));
  EXPECT_DOUBLE_EQ(strict::angle_of(-1.0, 0.0), -0.5 * std::acos(-1.0));
}

}  // namespace
}  // namespace pegrasp::test
