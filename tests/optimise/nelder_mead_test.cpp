// SPDX-License-Identifier: Apache-2.0
// The simplex method on functions whose minimum is known.
#include "src/optimise/nelder_mead.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace pegrasp::optimise {
namespace {

using Function = std::function<double(const std::vector<double>&)>;
constexpr double infinity = std::numeric_limits<double>::infinity();

SimplexOptions options_of(const std::vector<double>& start, double scale, int evaluations) {
  SimplexOptions out;
  out.start = start;
  out.scale.assign(start.size(), scale);
  out.low.assign(start.size(), -infinity);
  out.high.assign(start.size(), infinity);
  out.evaluations = evaluations;
  out.tolerance = 1e-7;
  return out;
}

struct Search {
  SimplexResult result;
  std::vector<std::vector<double>> points;
  std::vector<std::string> kinds;
};

Search search(const SimplexOptions& options, const Function& f) {
  Search out;
  out.result = nelder_mead(options, [&](std::span<const std::vector<double>> points, const std::string& kind) {
    std::vector<double> values;
    for (const std::vector<double>& point : points) {
      out.points.push_back(point);
      out.kinds.push_back(kind);
      values.push_back(f(point));
    }
    return values;
  });
  return out;
}

double rosenbrock(const std::vector<double>& x) {
  return 100.0 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1.0 - x[0], 2);
}

TEST(NelderMead, FindsTheMinimumOfQuadratics) {
  for (std::size_t n = 1; n <= 5; ++n) {
    const auto f = [n](const std::vector<double>& x) {
      double sum = 7.0;
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<double>(k + 1) * std::pow(x[k] - static_cast<double>(k), 2);
      return sum;
    };
    const Search found = search(options_of(std::vector<double>(n, 3.0), 1.0, 2000), f);
    EXPECT_TRUE(found.result.converged) << n;
    EXPECT_NEAR(found.result.value, 7.0, 1e-10) << n;
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(found.result.best[k], static_cast<double>(k), 1e-5) << n;
    EXPECT_EQ(found.result.evaluations, static_cast<int>(found.points.size()));
  }
}

TEST(NelderMead, FollowsRosenbrocksValley) {
  const Search found = search(options_of({-1.2, 1.0}, 0.5, 1000), rosenbrock);
  EXPECT_TRUE(found.result.converged);
  EXPECT_NEAR(found.result.best[0], 1.0, 1e-6);
  EXPECT_NEAR(found.result.best[1], 1.0, 1e-6);
  EXPECT_EQ(found.points, search(options_of({-1.2, 1.0}, 0.5, 1000), rosenbrock).points);
}

TEST(NelderMead, AsksForNoPointBeyondTheBounds) {
  SimplexOptions options = options_of({-0.5, 0.4}, 0.5, 1000);
  options.low = {-1.0, -1.0};
  options.high = {0.5, 0.5};
  const Search found = search(options, rosenbrock);
  for (const std::vector<double>& point : found.points)
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_GE(point[k], options.low[k]);
      EXPECT_LE(point[k], options.high[k]);
    }
  EXPECT_NEAR(found.result.best[0], 0.5, 1e-5);  // x = 0.5 is as near to 1 as it may be, and y = x^2
  EXPECT_NEAR(found.result.best[1], 0.25, 1e-5);
}

TEST(NelderMead, StepsBackFromPointsWithoutAValue) {
  const auto f = [](const std::vector<double>& x) {
    return x[0] < 0.0 ? infinity : std::pow(x[0] - 0.3, 2) + std::pow(x[1] + 1.0, 2);
  };
  const Search found = search(options_of({2.0, 2.0}, 2.0, 1000), f);
  EXPECT_NEAR(found.result.best[0], 0.3, 1e-5);
  EXPECT_NEAR(found.result.best[1], -1.0, 1e-5);
}

TEST(NelderMead, EndsWhenTheEvaluationsAreUsedUp) {
  const Search found = search(options_of({-1.2, 1.0}, 0.5, 20), rosenbrock);
  EXPECT_FALSE(found.result.converged);
  EXPECT_LE(found.points.size(), 20u);
  EXPECT_LT(found.result.value, rosenbrock({-1.2, 1.0}));
}

TEST(NelderMead, FindsTheValueOfTheStartAlone) {
  for (const int evaluations : {1, 2}) {
    const Search found = search(options_of({-1.2, 1.0}, 0.5, evaluations), rosenbrock);
    EXPECT_EQ(found.points.size(), static_cast<std::size_t>(evaluations));
    EXPECT_FALSE(found.result.converged);
    EXPECT_LE(found.result.value, rosenbrock({-1.2, 1.0}));
  }
}

TEST(NelderMead, RestartsAroundTheBestWithAQuarterOfTheScale) {
  SimplexOptions options = options_of({3.0, 3.0}, 1.0, 1000);
  options.restarts = 1;
  const Search found = search(options, rosenbrock);
  std::size_t again = 3;
  while (again < found.kinds.size() && found.kinds[again] != "start") ++again;
  ASSERT_LT(again + 2, found.kinds.size());
  EXPECT_DOUBLE_EQ(found.points[again + 1][0] - found.points[again][0], 0.25);
  EXPECT_NEAR(found.result.best[0], 1.0, 1e-5);
}

}  // namespace
}  // namespace pegrasp::optimise
