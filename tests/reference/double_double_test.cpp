// SPDX-License-Identifier: Apache-2.0
// Against integers of 128 bits, which hold sums and products of whole doubles exactly.
#include "src/reference/mcp/double_double.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace pegrasp::mcp {
namespace {

__extension__ using Wide = __int128;

Wide exact(DoubleDouble x) { return static_cast<Wide>(x.high()) + static_cast<Wide>(x.low()); }

bool normalised(DoubleDouble x) { return x.high() + x.low() == x.high(); }

TEST(DoubleDouble, SumsAndProductsOfWholeNumbersAreExact) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 100000; ++k) {
    const auto whole = [&] {
      return static_cast<double>(static_cast<std::int64_t>(random() >> 12) - (std::int64_t{1} << 51)) *
             std::exp2(static_cast<double>(random() % 8));
    };
    const double a = whole(), b = whole(), c = whole();
    const DoubleDouble product = DoubleDouble(a) * DoubleDouble(b);
    ASSERT_TRUE(normalised(product));
    ASSERT_TRUE(exact(product) == static_cast<Wide>(a) * static_cast<Wide>(b)) << k;
    const DoubleDouble sum = DoubleDouble(a) + DoubleDouble(b) - DoubleDouble(c);
    ASSERT_TRUE(normalised(sum));
    ASSERT_TRUE(exact(sum) == static_cast<Wide>(a) + static_cast<Wide>(b) - static_cast<Wide>(c)) << k;
  }
}

TEST(DoubleDouble, QuotientsTimesDivisorsComeBack) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const auto number = [&] {
    return DoubleDouble(part(random) * std::exp2(static_cast<double>(random() % 80) - 40.0)) +
           DoubleDouble(part(random) * 1e-20);
  };
  for (int k = 0; k < 100000; ++k) {
    const DoubleDouble a = number(), b = number();
    const DoubleDouble left = a / b * b - a;
    ASSERT_LE(std::abs(left.high()), 0x1p-102 * std::abs(a.high())) << k;
    const DoubleDouble difference = a * b - b * a;
    ASSERT_EQ(difference.high(), 0.0) << k;
  }
}

// The digits below the first double's must cancel, too.
TEST(DoubleDouble, DifferencesOfNeighboursAreExact) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 100000; ++k) {
    const double high = std::ldexp(static_cast<double>(random() >> 12), 50);
    const double low = static_cast<double>(random() % 1000003), step = static_cast<double>(random() % 1009) * 0x1p-20;
    const DoubleDouble a = DoubleDouble(high) + DoubleDouble(low), b = a + DoubleDouble(step);
    ASSERT_EQ(static_cast<double>(b - a), step) << k;
    ASSERT_EQ(static_cast<double>(b + -a), step) << k;
  }
}

// What a double loses: 1 + 2^-80 - 1.
TEST(DoubleDouble, KeepsWhatIsSmallBesideTheRest) {
  const DoubleDouble tiny = 0x1p-80, x = DoubleDouble(1.0) + tiny;
  EXPECT_TRUE(x > DoubleDouble(1.0));
  EXPECT_TRUE(x - DoubleDouble(1.0) == tiny);
  EXPECT_TRUE(-x < DoubleDouble(-1.0));
  EXPECT_TRUE(abs(-x) == x);
  EXPECT_TRUE(x >= x && x <= x && !(x < x));
  DoubleDouble y = x;
  y *= x;  // 1 + 2^-79 + 2^-160: the last is beyond the digits
  y -= 1.0;
  y /= tiny;
  EXPECT_NEAR(static_cast<double>(y), 2.0, 1e-7);
}

}  // namespace
}  // namespace pegrasp::mcp
