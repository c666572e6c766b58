// SPDX-License-Identifier: Apache-2.0
// Gauss and Newton's method on sums of squares whose minimum is known.
#include "src/identify/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace pegrasp::identify {
namespace {

using Point = std::vector<double>;
using Residuals = std::function<std::vector<double>(const Point&)>;
constexpr double infinity = std::numeric_limits<double>::infinity();

LeastSquaresOptions options_of(const Point& start, double low, double high) {
  LeastSquaresOptions out;
  out.start = start;
  out.low.assign(start.size(), low);
  out.high.assign(start.size(), high);
  out.step.assign(start.size(), 1e-6);
  return out;
}

LeastSquares searched(const LeastSquaresOptions& options, const Residuals& f, int* batches = nullptr) {
  LeastSquares out(options);
  while (!out.done()) {
    std::vector<std::vector<double>> found;
    for (const Point& point : out.asked()) {
      for (std::size_t k = 0; k < point.size(); ++k) {
        EXPECT_GE(point[k], options.low[k]);
        EXPECT_LE(point[k], options.high[k]);
      }
      found.push_back(f(point));
    }
    if (batches != nullptr) ++*batches;
    out.take(found);
  }
  return out;
}

// A line through five points: the normal equations by hand. Slope and offset of y = 0 1 1 2 4 at 0 1 2 3 4:
// n = 5, sums of t 10, t^2 30, y 8, t y 25; slope (5 * 25 - 10 * 8) / 50 = 0.9, offset (8 - 9) / 5 = -0.2. The inverse
// of (30 10; 10 5) is (5 -10; -10 30) / 50.
TEST(LeastSquares, FitsALineInTwoBatches) {
  const double y[] = {0, 1, 1, 2, 4};
  const auto f = [&](const Point& p) {
    std::vector<double> out;
    for (int i = 0; i < 5; ++i) out.push_back(p[0] * i + p[1] - y[i]);
    return out;
  };
  int batches = 0;
  const LeastSquares found = searched(options_of({0.0, 0.0}, -infinity, infinity), f, &batches);
  EXPECT_NEAR(found.best()[0], 0.9, 1e-8);
  EXPECT_NEAR(found.best()[1], -0.2, 1e-8);
  EXPECT_NEAR(found.value(), 0.04 + 0.09 + 0.36 + 0.25 + 0.36, 1e-8);
  EXPECT_NEAR(found.sd()[0], std::sqrt(0.1), 1e-6);
  EXPECT_NEAR(found.sd()[1], std::sqrt(0.6), 1e-6);
  EXPECT_LE(batches, 3);
}

TEST(LeastSquares, HalvesStepsThatGoTooFar) {  // atan: a whole step from 3 diverges
  const LeastSquares found = searched(options_of({3.0}, -infinity, infinity),
                                      [](const Point& p) { return std::vector<double>{std::atan(p[0])}; });
  EXPECT_NEAR(found.best()[0], 0.0, 1e-4);
}

// (x - 3)^2 + (x + y - 5)^2 for x <= 1: y = 4. What is held leaves the other free.
TEST(LeastSquares, KeepsWithinItsBounds) {
  LeastSquaresOptions options = options_of({1.0, 0.0}, -10.0, 10.0);
  options.high[0] = 1.0;
  const LeastSquares found = searched(options, [](const Point& p) {
    return std::vector<double>{p[0] - 3.0, p[0] + p[1] - 5.0};
  });
  EXPECT_NEAR(found.best()[0], 1.0, 1e-9);
  EXPECT_NEAR(found.best()[1], 4.0, 1e-6);
}

TEST(LeastSquares, LeavesAParameterWithoutEffectAlone) {
  const LeastSquares found = searched(options_of({0.0, 7.0}, -infinity, infinity), [](const Point& p) {
    return std::vector<double>{p[0] - 2.0, p[0] - 4.0};
  });
  EXPECT_NEAR(found.best()[0], 3.0, 1e-8);
  EXPECT_EQ(found.best()[1], 7.0);
  EXPECT_TRUE(std::isinf(found.sd()[1]));
}

// Residuals of the product of two parameters, and of a third one, whose standard deviation stays known.
TEST(LeastSquares, FitsWhatDependentParametersSayTogether) {
  const LeastSquares found = searched(options_of({1.0, 2.0, 0.0}, -infinity, infinity), [](const Point& p) {
    return std::vector<double>{p[0] * p[1] - 5.0, 2.0 * (p[0] * p[1] - 5.0), 2.0 * (p[2] - 1.0)};
  });
  EXPECT_GT(found.iterations(), 0);
  EXPECT_NEAR(found.best()[0] * found.best()[1], 5.0, 1e-4);
  EXPECT_NEAR(found.value(), 0.0, 1e-6);
  EXPECT_TRUE(std::isinf(found.sd()[0]));
  EXPECT_TRUE(std::isinf(found.sd()[1]));
  EXPECT_NEAR(found.best()[2], 1.0, 1e-6);
  EXPECT_NEAR(found.sd()[2], 0.5, 1e-6);
}

// What tells two parameters apart is a part in a million of their slopes, less than differences of trials tell.
TEST(LeastSquares, CallsNearlyDependentParametersUndetermined) {
  const auto at = [](double apart) {
    return searched(options_of({0.0, 0.0}, -infinity, infinity), [apart](const Point& p) {
      return std::vector<double>{p[0] + p[1] - 1.0, p[0] + (1.0 + apart) * p[1] - 1.0};
    });
  };
  // J'J = (2, 2 + e; 2 + e, 2 + 2 e + e^2), of determinant e^2: the variances are about 2 / e^2.
  EXPECT_NEAR(at(1e-3).sd()[0], std::sqrt(2.0) * 1e3, 10.0);
  EXPECT_TRUE(std::isinf(at(1e-6).sd()[0]));
  EXPECT_TRUE(std::isinf(at(1e-6).sd()[1]));
}

// A slope that points away from the minimum behind a step of the function: golden sections find their way.
TEST(LeastSquares, CrossesKinksByGoldenSections) {
  LeastSquaresOptions options = options_of({0.0}, -1.0, 1.0);
  const auto f = [](const Point& p) { return std::vector<double>{p[0] < 0.05 ? 1.0 + 0.3 * p[0] : p[0] - 0.5}; };
  options.iterations = 0;
  EXPECT_EQ(searched(options, f).best()[0], 0.0);
  options.golden = 1;
  const LeastSquares found = searched(options, f);
  EXPECT_NEAR(found.best()[0], 0.5, 0.01);
}

TEST(LeastSquares, EndsWhereTheStartHasNoValue) {
  LeastSquares search(options_of({0.0}, -1.0, 1.0));
  EXPECT_FALSE(search.take(std::vector<std::vector<double>>(2)));
  EXPECT_TRUE(search.done());
}

}  // namespace
}  // namespace pegrasp::identify
