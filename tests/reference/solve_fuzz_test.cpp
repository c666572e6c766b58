// SPDX-License-Identifier: Apache-2.0
// Whatever it is given, solve() ends, says honestly how, and stays within the bounds: random linear and nonlinear
// problems into which NaN, infinities, crossed, equal and huge bounds are thrown, and functions that fail away from the
// start.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pegrasp_reference/mcp.hpp"
#include "tests/fuzz_seed.hpp"

namespace pegrasp::mcp {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool once_in(int n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

double oddity(Dice& dice) {
  switch (dice.below(8)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return infinity;
    case 2:
      return -infinity;
    case 3:
      return 1e300;
    case 4:
      return -1e300;
    case 5:
      return 1e-300;
    case 6:
      return 1e20;
    default:
      return 0.0;
  }
}

struct Case {
  Problem problem;
  Vector start;
};

Case random_case(Dice& dice, bool odd) {
  const int n = 1 + dice.below(12);
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  Vector q(n), lower(n), upper(n), start(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j || dice.once_in(3)) m(i, j) = dice.uniform(-1, 1) * std::pow(10.0, dice.below(7) - 3);
    }
    q[i] = dice.uniform(-2, 2);
    lower[i] = dice.once_in(4) ? -infinity : dice.uniform(-1, 0);
    upper[i] = dice.once_in(2) ? infinity : lower[i] + dice.uniform(0, 2);
    if (dice.once_in(10)) upper[i] = lower[i];
    if (std::isinf(lower[i]) && lower[i] == upper[i]) upper[i] = infinity;
    start[i] = dice.uniform(-3, 3);
  }
  if (odd) {
    for (int k = 1 + dice.below(3); k > 0; --k) {
      const int i = dice.below(n);
      switch (dice.below(5)) {
        case 0:
          m(i, dice.below(n)) = oddity(dice);
          break;
        case 1:
          q[i] = oddity(dice);
          break;
        case 2:
          lower[i] = oddity(dice);
          break;
        case 3:
          upper[i] = oddity(dice);
          break;
        default:
          start[i] = oddity(dice);
      }
    }
  }
  Case c;
  c.start = start;
  if (dice.once_in(2)) {
    c.problem = linear_problem(m.sparseView(), q, lower, upper);
    return c;
  }
  c.problem.lower = lower;
  c.problem.upper = upper;
  const double bend = dice.uniform(0, 1);
  const double fails_above = dice.once_in(3) ? dice.uniform(0, 3) : infinity;
  c.problem.evaluate = [=](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    if (x.lpNorm<Eigen::Infinity>() > fails_above) return false;
    f = m * x + q;
    f.array() += bend * x.array() * x.array() * x.array();
    if (jacobian) {
      Eigen::MatrixXd d = m;
      d.diagonal().array() += 3.0 * bend * x.array() * x.array();
      *jacobian = d.sparseView();
    }
    return true;
  };
  return c;
}

// As solve() reads a bound.
double far(double x) { return std::abs(x) >= 1e20 ? std::copysign(infinity, x) : x; }

void expect_honest(const Case& c, const Result& r) {
  EXPECT_TRUE(r.status == Status::solved || !r.message.empty()) << status_name(r.status);
  if (r.status == Status::bad_input) return;
  ASSERT_EQ(r.x.size(), c.start.size());
  for (Eigen::Index i = 0; i < r.x.size(); ++i) {
    EXPECT_FALSE(std::isnan(r.x[i]));
    EXPECT_GE(r.x[i], far(c.problem.lower[i]));
    EXPECT_LE(r.x[i], far(c.problem.upper[i]));
  }
  if (r.status != Status::solved) return;
  Vector f;
  SparseMatrix jacobian;
  ASSERT_TRUE(c.problem.evaluate(r.x, f, &jacobian));
  const double residual = natural_residual(r.x, f, c.problem.lower.unaryExpr(&far), c.problem.upper.unaryExpr(&far));
  EXPECT_LE(residual, std::max(1e-10, r.rounding));
  EXPECT_LE(r.rounding, 1e-6);
}

TEST(SolveFuzz, RandomProblemsEndHonestly) {
  const std::uint64_t seed = test::fuzz_seed(71);
  Dice dice(seed);
  int solved = 0;
  Options options;
  options.certify_nodes = 200;
  options.max_majors = 60;
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const Case c = random_case(dice, false);
    const Result r = solve(c.problem, c.start, options);
    expect_honest(c, r);
    solved += r.status == Status::solved ? 1 : 0;
  }
  EXPECT_GT(solved, 200);
}

TEST(SolveFuzz, OddNumbersEndHonestly) {
  const std::uint64_t seed = test::fuzz_seed(72);
  Dice dice(seed);
  int refused = 0;
  Options options;
  options.certify_nodes = 50;
  options.max_majors = 20;
  for (int k = 0; k < 1000; ++k) {
    SCOPED_TRACE(k);
    const Case c = random_case(dice, true);
    const Result r = solve(c.problem, c.start, options);
    expect_honest(c, r);
    refused += r.status == Status::bad_input || r.status == Status::evaluation_failed ? 1 : 0;
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace pegrasp::mcp
