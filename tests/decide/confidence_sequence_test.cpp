// SPDX-License-Identifier: Apache-2.0
// Confidence sequences of a Bernoulli mean: closed forms, and what they promise, by simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/interval.hpp"
#include "src/decide/special.hpp"

namespace pegrasp {
namespace {

TEST(AnytimeInterval, NothingTriedSaysNothing) {
  EXPECT_EQ(anytime_interval(0, 0).low, 0.0);
  EXPECT_EQ(anytime_interval(0, 0).high, 1.0);
}

// Equal outcomes: p^n = 0.05 B(n + 1/2, 1/2) / pi, with Gamma of the C++ library.
TEST(AnytimeInterval, ClosedFormOfEqualOutcomes) {
  for (const int n : {1, 2, 10, 116, 1000, 100000}) {
    const double log_beta = std::lgamma(n + 0.5) + std::lgamma(0.5) - std::lgamma(n + 1.0);
    const double low = std::exp((std::log(0.05) + log_beta - std::log(std::acos(-1.0))) / n);
    EXPECT_NEAR(anytime_interval(n, n).low, low, 1e-12) << n;
    EXPECT_EQ(anytime_interval(n, n).high, 1.0);
    EXPECT_NEAR(anytime_interval(0, n).high, 1.0 - low, 1e-12) << n;
    EXPECT_EQ(anytime_interval(0, n).low, 0.0);
  }
}

// Its ends are where the capital of the bet is twenty, also in the middle and for many trials.
TEST(AnytimeInterval, EndsAreWhereTheCapitalIsTwenty) {
  for (const std::int64_t n : {7, 400, 20000, 3000000}) {
    for (const double share : {0.01, 0.3, 0.5, 0.97}) {
      const auto s = static_cast<std::int64_t>(share * static_cast<double>(n));
      if (s == 0) continue;
      const Interval interval = anytime_interval(s, n);
      const auto a = static_cast<double>(s), b = static_cast<double>(n - s);
      const auto capital = [&](double p) {
        return std::lgamma(a + 0.5) + std::lgamma(b + 0.5) - std::lgamma(a + b + 1.0) - std::log(std::acos(-1.0)) -
               a * std::log(p) - b * std::log1p(-p);
      };
      EXPECT_NEAR(capital(interval.low), std::log(20.0), 1e-5) << s << " of " << n;
      EXPECT_NEAR(capital(interval.high), std::log(20.0), 1e-5) << s << " of " << n;
      EXPECT_LT(interval.low, a / static_cast<double>(n));
      EXPECT_GT(interval.high, a / static_cast<double>(n));
    }
  }
}

TEST(AnytimeInterval, IsMirroredMonotoneAndWiderThanWilsons) {
  for (const int n : {1, 16, 50, 333}) {
    Interval last{-1.0, -1.0};
    for (int s = 0; s <= n; ++s) {
      const Interval one = anytime_interval(s, n), mirrored = anytime_interval(n - s, n);
      EXPECT_NEAR(one.low, 1.0 - mirrored.high, 1e-15);
      EXPECT_GE(one.low, last.low);
      EXPECT_GT(one.high, last.high - 1e-15);
      EXPECT_GT(one.high - one.low, wilson_interval(s, n).high - wilson_interval(s, n).low);
      last = one;
    }
  }
}

constexpr int cells = 10000, longest = 1000;

// The share of simulated cells whose interval leaves out p after any of their first thousand trials.
double ever_left_out(double p, const std::function<Interval(std::int64_t, std::int64_t)>& interval) {
  std::vector<int> fewest(longest + 1), most(longest + 1);  // successes of n trials whose interval holds p
  int low = 0, high = 0;                                    // neither falls as n grows
  for (int n = 1; n <= longest; ++n) {
    while (interval(low, n).high < p) ++low;
    while (high < n && interval(high + 1, n).low <= p) ++high;
    fewest[static_cast<std::size_t>(n)] = low;
    most[static_cast<std::size_t>(n)] = high;
  }
  const auto bar = static_cast<std::uint64_t>(p * 65536.0 + 0.5);
  const double exact = static_cast<double>(bar) / 65536.0;
  EXPECT_NEAR(exact, p, 1e-12) << "choose a p that sixteen bits hold";
  int left_out = 0;
  for (int cell = 0; cell < cells; ++cell) {
    DrawKey key;
    key.seed = 32;
    key.cell = static_cast<std::uint32_t>(cell);
    std::uint64_t word = 0;
    RandomWords words;
    int successes = 0;
    for (int n = 1; n <= longest; ++n) {
      if ((n - 1) % 8 == 0) {
        key.sample = static_cast<std::uint32_t>(n);
        words = random_words(key);
      }
      if ((n - 1) % 4 == 0) word = (n - 1) % 8 == 0 ? words.first : words.second;
      successes += (word & 0xffff) < bar ? 1 : 0;
      word >>= 16;
      if (successes >= fewest[static_cast<std::size_t>(n)] && successes <= most[static_cast<std::size_t>(n)]) continue;
      ++left_out;
      break;
    }
  }
  return static_cast<double>(left_out) / cells;
}

// Ten thousand cells, looked at after every trial: at most 5 % ever leave out p, plus four standard errors of the
// count. Wilson's interval, which is for one look, leaves it out far more often, so the test would see a fault.
class Coverage : public testing::TestWithParam<double> {};
TEST_P(Coverage, HoldsWheneverOneLooks) {
  const double missed = ever_left_out(GetParam(), anytime_interval);
  EXPECT_LE(missed, 0.05 + 4.0 * std::sqrt(0.05 * 0.95 / cells));
  EXPECT_GE(missed, 0.004) << "so wide an interval would be no use";
  const double of_wilson = ever_left_out(GetParam(), wilson_interval);
  EXPECT_GE(of_wilson, 0.2);
  RecordProperty("missed", std::to_string(missed));
  RecordProperty("missed_by_wilson", std::to_string(of_wilson));
}
INSTANTIATE_TEST_SUITE_P(Anytime, Coverage, testing::Values(0.0625, 0.25, 0.5, 0.9375));

}  // namespace

namespace decide {
namespace {

TEST(Special, LogGammaIsTheLibrarys) {
  for (const double x : {0.5, 1.0, 1.5, 2.0, 7.25, 11.999, 12.0, 150.5, 1e4, 1e8}) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-14 * std::max(1.0, std::abs(std::lgamma(x)))) << x;
  }
}

// I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a, and for whole numbers the binomial sum.
TEST(Special, BetaDistributionInClosedForm) {
  for (const double x : {0.001, 0.2, 0.5, 0.93}) {
    for (const double b : {1.0, 3.5, 40.0}) {
      EXPECT_NEAR(beta_cdf(1.0, b, x), 1.0 - std::pow(1.0 - x, b), 1e-13);
      EXPECT_NEAR(beta_cdf(b, 1.0, x), std::pow(x, b), 1e-13);
    }
    double sum = 0.0;  // at least 3 of 8 with probability x: I_x(3, 6)
    for (int k = 3; k <= 8; ++k)
      sum += std::exp(std::lgamma(9.0) - std::lgamma(k + 1.0) - std::lgamma(9.0 - k)) * std::pow(x, k) *
             std::pow(1.0 - x, 8 - k);
    EXPECT_NEAR(beta_cdf(3.0, 6.0, x), sum, 1e-12);
  }
  for (const double p : {0.025, 0.5, 0.975}) {
    for (const auto& [a, b] : {std::pair{0.5, 30.5}, std::pair{1000.5, 0.5}, std::pair{5e5, 4e5}})
      EXPECT_NEAR(beta_cdf(a, b, beta_quantile(a, b, p)), p, 1e-9) << a << " " << b;
  }
}

// By the sum of binomial coefficients; beyond the exact range the normal takes over without a jump.
TEST(Special, McNemarsTest) {
  EXPECT_EQ(mcnemar_p(0, 0), 1.0);
  EXPECT_EQ(mcnemar_p(7, 7), 1.0);
  EXPECT_DOUBLE_EQ(mcnemar_p(5, 0), 2.0 / 32.0);
  EXPECT_DOUBLE_EQ(mcnemar_p(1, 9), 2.0 * (1.0 + 10.0) / 1024.0);
  EXPECT_DOUBLE_EQ(mcnemar_p(9, 1), mcnemar_p(1, 9));
  EXPECT_NEAR(mcnemar_p(60, 40), 0.056887933640980846, 1e-13);  // scipy.stats.binomtest(40, 100).pvalue
  EXPECT_GT(mcnemar_p(1000, 0), 0.0);
  EXPECT_NEAR(mcnemar_p(530, 470) / mcnemar_p(531, 470), 1.0, 0.08) << "one trial more in 1000";
  EXPECT_NEAR(mcnemar_p(530, 470), 0.062, 0.001);
  EXPECT_NEAR(mcnemar_p(531, 471), 0.062, 0.001);
}

}  // namespace
}  // namespace decide
}  // namespace pegrasp
