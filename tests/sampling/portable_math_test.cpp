// SPDX-License-Identifier: Apache-2.0
// Our log, exp and normal distribution against libm.
#include "kernels/sampling/portable_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pegrasp {
namespace {

double ulps(double ours, double exact) {
  const double ulp = std::nextafter(std::abs(exact), INFINITY) - std::abs(exact);
  return std::abs(ours - exact) / ulp;
}

TEST(PortableMath, LogIsWithinTwoUlp) {
  std::mt19937_64 random(1);
  double worst = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    const double x =
        std::ldexp(0.5 + 0.5 * std::uniform_real_distribution<>()(random), static_cast<int>(random() % 2000) - 1000);
    worst = std::max(worst, ulps(portable::log(x), std::log(x)));
  }
  for (int i = 0; i < 1000000; ++i) {
    const double x = std::uniform_real_distribution<>(0.5, 2.0)(random);
    worst = std::max(worst, ulps(portable::log(x), std::log(x)));
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_EQ(portable::log(1.0), 0.0);
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST(PortableMath, ExpIsWithinTwoUlp) {
  std::mt19937_64 random(2);
  double worst = 0.0;
  for (int i = 0; i < 2000000; ++i) {
    const double x = std::uniform_real_distribution<>(-707.0, 708.9)(random) * (i % 2 == 0 ? 1.0 : 0.01);
    worst = std::max(worst, ulps(portable::exp(x), std::exp(x)));
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_EQ(portable::exp(0.0), 1.0);
  EXPECT_EQ(portable::exp(-1e9), 0.0);
  EXPECT_TRUE(std::isinf(portable::exp(1e9)));
}

TEST(PortableMath, NormalDistributionMatchesErfc) {
  double worst = 0.0;
  for (double x = -37.0; x <= 9.0; x += 0.00093) {
    const double exact = 0.5 * std::erfc(-x / std::sqrt(2.0));
    worst = std::max(worst, std::abs(portable::normal_cdf(x) / exact - 1.0));
  }
  EXPECT_LE(worst, 4e-13);
}

TEST(PortableMath, QuantileInvertsTheDistribution) {
  for (double x = -8.2; x <= 5.0; x += 0.0007) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // p near 1 has lost digits of x: an ulp of p moves x by ulp / density
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
    EXPECT_NEAR(portable::normal_quantile(p), x, 1e-14 * (1.0 + std::abs(x)) + 2e-16 * p / density) << x;
  }
}

TEST(PortableMath, QuantileIsOdd) {
  for (double p = 0x1p-20; p < 0.5; p += 0x1p-12)
    EXPECT_EQ(portable::normal_quantile(p), -portable::normal_quantile(1.0 - p));
}

}  // namespace
}  // namespace pegrasp
