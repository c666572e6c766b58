// SPDX-License-Identifier: Apache-2.0
// The kernels' sine and cosine against libm.
#include "kernels/base/sincos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

double error_at(double x) {
  const strict::SinCos ours = strict::sin_cos(x);
  return std::fmax(std::fabs(ours.sin - std::sin(x)), std::fabs(ours.cos - std::cos(x)));
}

constexpr double quarter = 1.57079632679489661923;
constexpr double libm_error = 0.6e-16;  // of a number up to 1

TEST(SinCos, IsExactToTheLastBitsOverAQuarterOfAMillionTurns) {
  scenes::Random random(1);
  double worst = 0.0;
  for (const double most : {1.0, 10.0, 1e3, 1.6e6}) {
    for (int i = 0; i < 500000; ++i) worst = std::fmax(worst, error_at(random.uniform(-most, most)));
  }
  for (int k = -(1 << 20); k <= 1 << 20; ++k) {  // where one branch gives way to the next, and at the zeros
    worst = std::fmax(worst, std::fmax(error_at(quarter * k), error_at(quarter * (k + 0.5))));
  }
  EXPECT_LT(worst, 2.5e-16 + libm_error);
  EXPECT_EQ(strict::sin_cos(0.0).sin, 0.0);
  EXPECT_EQ(strict::sin_cos(0.0).cos, 1.0);
}

TEST(SinCos, IsStillRightBeyondThatToWhatIsSaid) {
  scenes::Random random(2);
  for (int i = 0; i < 100000; ++i) {
    EXPECT_LT(error_at(random.uniform(-1e7, 1e7)), 3e-9);
    EXPECT_LT(error_at(random.uniform(-1e10, 1e10)), 3e-6);
  }
}

}  // namespace
}  // namespace pegrasp::test
