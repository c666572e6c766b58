// SPDX-License-Identifier: Apache-2.0
// Subset simulation on functions of normal numbers whose probability is known.
#include "src/rare/subset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "kernels/sampling/portable_math.hpp"

namespace pegrasp::rare {
namespace {

using Distance = std::function<double(std::span<const double> scores)>;

Simulate by(std::size_t dimensions, const Distance& distance) {
  return [=](std::span<const double> scores, std::span<Trial> trials) {
    for (std::size_t i = 0; i < trials.size(); ++i)
      trials[i].distance = distance(scores.subspan(i * dimensions, dimensions));
    return true;
  };
}

SubsetOptions options_of(int runs, int samples, std::uint64_t seed) { return {runs, samples, 1e-12, seed}; }

Estimate estimated(const SubsetResult& result) {
  std::vector<double> found;
  for (const auto& run : result.runs) found.push_back(run.probability);
  return estimate_of(found);
}

// The mean of five numbers, scaled: normal, beyond the point that a share p lies beyond.
Distance linear_tail(double p) {
  const double reach = -portable::normal_quantile(p);
  return [reach](std::span<const double> z) {
    double sum = 0.0;
    for (const double x : z) sum += x;
    return reach - sum / std::sqrt(static_cast<double>(z.size()));
  };
}

// Two tails far from each other.
Distance two_tails(double p) {
  const double reach = -portable::normal_quantile(0.5 * p);
  return [reach](std::span<const double> z) { return reach - std::fabs(z[0]); };
}

// Far from the origin in three dimensions, whichever way: P(chi^2 > r^2) = erfc(r / sqrt 2) + sqrt(2 / pi) r e^-(r^2/2)
Distance outside_ball(double radius) {
  return [radius](std::span<const double> z) { return radius - std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]); };
}
double probability_outside(double r) {
  return std::erfc(r / std::sqrt(2.0)) + std::sqrt(2.0 / std::acos(-1.0)) * r * std::exp(-0.5 * r * r);
}

struct Tail {
  const char* name;
  std::size_t dimensions;
  double probability;
  Distance distance;
};

class SubsetTail : public testing::TestWithParam<Tail> {};

TEST_P(SubsetTail, IsFoundToATenthWithATenthOfTheTrialsThatCountingNeeds) {
  const Tail& tail = GetParam();
  const Simulate simulate = by(tail.dimensions, tail.distance);
  constexpr int times = 10;
  int covered = 0;
  double mean = 0.0, error = 0.0, trials = 0.0, counting = 0.0;
  for (int k = 0; k < times; ++k) {
    const SubsetResult result =
        run_subsets(options_of(16, 1000, static_cast<std::uint64_t>(k)), tail.dimensions, 0, simulate);
    const Estimate found = estimated(result);
    covered += found.interval.low <= tail.probability && tail.probability <= found.interval.high ? 1 : 0;
    mean += found.mean / times;
    error += found.relative_error / times;
    trials += static_cast<double>(result.trials);
    counting += trials_to_count(tail.probability, found.interval);
    EXPECT_LT(static_cast<double>(result.trials), 0.1 * 100.0 / tail.probability) << "counting to a tenth";
  }
  EXPECT_GE(covered, 8);
  EXPECT_LT(trials, 0.1 * counting);
  EXPECT_NEAR(mean, tail.probability, 0.08 * tail.probability);
  EXPECT_LT(error, 0.12);
}

INSTANTIATE_TEST_SUITE_P(All, SubsetTail,
                         testing::Values(Tail{"linear_4", 5, 1e-4, linear_tail(1e-4)},
                                         Tail{"linear_5", 5, 1e-5, linear_tail(1e-5)},
                                         Tail{"linear_6", 5, 1e-6, linear_tail(1e-6)},
                                         Tail{"two_tails_5", 2, 1e-5, two_tails(1e-5)},
                                         Tail{"ball_5", 3, probability_outside(5.1), outside_ball(5.1)}),
                         [](const auto& info) { return std::string(info.param.name); });

// 150 estimates of one probability: their mean is right, and nineteen of twenty intervals hold it.
TEST(Subset, IntervalsCoverAsOftenAsTheySay) {
  constexpr double p = 1e-4;
  constexpr int times = 150;
  const Simulate simulate = by(3, linear_tail(p));
  int covered = 0;
  double sum = 0.0;
  for (int k = 0; k < times; ++k) {
    const Estimate found =
        estimated(run_subsets(options_of(16, 200, 100 + static_cast<std::uint64_t>(k)), 3, 0, simulate));
    covered += found.interval.low <= p && p <= found.interval.high ? 1 : 0;
    sum += found.mean;
  }
  EXPECT_GE(covered, times * 90 / 100);
  EXPECT_LE(covered, times * 98 / 100);
  EXPECT_NEAR(sum / times, p, 0.05 * p);
}

TEST(Subset, AFrequentEventIsCounted) {
  const Distance half = [](std::span<const double> z) { return z[0]; };
  const SubsetResult result = run_subsets(options_of(16, 400, 3), 1, 0, by(1, half));
  const Estimate found = estimated(result);
  EXPECT_EQ(result.pilot.levels.size(), 1u);
  EXPECT_EQ(result.trials, 17 * 400);
  EXPECT_NEAR(found.mean, 0.5, 0.03);
}

// Nine of ten trials have one distance: there is no level to go to.
TEST(Subset, AnAtomEndsWithoutANumber) {
  const Distance steps = [](std::span<const double> z) { return z[0] > 5.0 ? -1.0 : z[0] < -1.3 ? 2.0 : 1.0; };
  const SubsetResult result = run_subsets(options_of(16, 1000, 1), 1, 0, by(1, steps));
  EXPECT_EQ(result.pilot.end, End::atoms);
  EXPECT_GT(result.pilot.stuck_share, 0.85);
  EXPECT_EQ(result.pilot.stuck_at, 1.0);
  EXPECT_TRUE(result.runs.empty());
}

TEST(Subset, AnEventThatCannotHappenIsNotReached) {
  const Distance above = [](std::span<const double> z) { return 0.25 + std::exp(z[0]); };
  const SubsetResult result = run_subsets(options_of(16, 200, 1), 1, 0, by(1, above));
  EXPECT_EQ(result.pilot.end, End::not_reached);
  EXPECT_GT(result.pilot.nearest, 0.25);
}

// Where half of the trials do not exist, the probability is that among those that do.
TEST(Subset, ImpossibleTrialsAreDrawnAgain) {
  const Simulate simulate = [](std::span<const double> scores, std::span<Trial> trials) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].distance = 3.5 - scores[2 * i];
      trials[i].possible = scores[2 * i] > scores[2 * i + 1];  // the larger of two: P(> x) = 1 - F(x)^2
    }
    return true;
  };
  const SubsetResult result = run_subsets(options_of(16, 1000, 1), 2, 0, simulate);
  const double below = portable::normal_cdf(3.5), p = 1.0 - below * below;
  const Estimate found = estimated(result);
  EXPECT_LE(found.interval.low, p);
  EXPECT_GE(found.interval.high, p);
  EXPECT_LT(found.relative_error, 0.13);
}

// Trials without an outcome: events that are seen are the lower end.
TEST(Subset, UnresolvedTrialsCountAtOneEndAlone) {
  const Simulate simulate = [](std::span<const double> scores, std::span<Trial> trials) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].distance = 3.0 - scores[i];
      trials[i].resolved = scores[i] < 3.5;
    }
    return true;
  };
  const SubsetResult result = run_subsets(options_of(16, 1000, 1), 1, 0, simulate);
  double all = 0.0, resolved = 0.0;
  for (const auto& run : result.runs) {
    all += run.probability / 16.0;
    resolved += run.resolved / 16.0;
  }
  EXPECT_NEAR(all, 1.0 - portable::normal_cdf(3.0), 2e-4);
  EXPECT_NEAR(all - resolved, 1.0 - portable::normal_cdf(3.5), 6e-5);
  EXPECT_GT(result.unresolved, 0);
}

TEST(Subset, TheWorstTrialsAreThoseFarthestBeyond) {
  std::vector<Extreme> worst = run_subsets(options_of(8, 200, 1), 5, 7, by(5, linear_tail(1e-4))).worst;
  ASSERT_EQ(worst.size(), 7u);
  for (std::size_t k = 0; k < worst.size(); ++k) {
    EXPECT_LT(worst[k].distance, 0.0);
    EXPECT_EQ(worst[k].distance, linear_tail(1e-4)(worst[k].scores));
    EXPECT_TRUE(k == 0 || worst[k - 1].distance < worst[k].distance);
  }
}

TEST(Subset, StopsWhenItIsTold) {
  int calls = 0;
  const Simulate once = [&calls](std::span<const double> scores, std::span<Trial> trials) {
    for (std::size_t i = 0; i < trials.size(); ++i) trials[i].distance = 4.0 - scores[i];
    return ++calls < 3;
  };
  EXPECT_TRUE(run_subsets(options_of(16, 200, 1), 1, 5, once).stopped);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace pegrasp::rare
