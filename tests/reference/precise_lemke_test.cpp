// SPDX-License-Identifier: Apache-2.0
// Lemke's method with twice the digits: problems whose solutions are known, and that a double's digits do not get
// through.
#include "src/reference/mcp/precise_lemke.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "src/reference/mcp/lemke_tableau.hpp"
#include "src/reference/mcp/lexicographic_lemke.hpp"
#include "tests/reference/problems/contact_sets.hpp"
#include "tests/scenes/polygon_box.hpp"

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr auto no_deadline = std::chrono::steady_clock::time_point::max();

LinearModel model(const Matrix& m, Vector q, Vector lower, Vector upper) {
  return {m.sparseView(), std::move(q), std::move(lower), std::move(upper)};
}

bool solve(const LinearModel& problem, Vector& x) {
  std::int64_t pivots = 0;
  Vector x_low;
  if (!solve_precisely(problem, 50000, no_deadline, pivots, x, x_low)) return false;
  const Vector f = problem.m * x + problem.q;
  return natural_residual(x, f, problem.lower, problem.upper) <= 1e-3;
}

// Pascal's matrix: positive definite, whole numbers, determinant one, and a condition of 1e21 for n = 20.
Matrix pascal(int n) {
  Matrix m = Matrix::Ones(n, n);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j) m(i, j) = m(i - 1, j) + m(i, j - 1);
  return m;
}

TEST(PreciseLemke, ConditionBeyondADoubleDoesNotMatter) {
  const int n = 20;
  const Matrix m = pascal(n);
  const LinearModel problem = model(m, -m.rowwise().sum(), Vector::Zero(n), Vector::Constant(n, infinity));
  Vector x;
  ASSERT_TRUE(solve(problem, x));
  for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], 1.0, 1e-9) << i;
  // The same method in double: another point, or none. It is the digits that do it.
  const Result plain = solve_lexicographic_lemke(problem.m, problem.q, problem.lower, problem.upper, 50000);
  EXPECT_FALSE((plain.x - Vector::Ones(n)).cwiseAbs().maxCoeff() <= 1e-3);
  // As a system of equations: free variables are eliminated with the same digits.
  const LinearModel free = model(m, problem.q, Vector::Constant(n, -infinity), Vector::Constant(n, infinity));
  ASSERT_TRUE(solve(free, x));
  for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], 1.0, 1e-9) << i;
}

TEST(PreciseLemke, EveryKindOfBound) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    const int n = 2 + round % 12;
    const Matrix a = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    const Matrix m = a * a.transpose() + 0.1 * Matrix::Identity(n, n);
    Vector q = Vector::NullaryExpr(n, [&] { return normal(random); }), lower(n), upper(n);
    for (int i = 0; i < n; ++i) {
      const double size = std::abs(normal(random));
      lower[i] = random() % 3 == 0 ? -infinity : (random() % 2 == 0 ? 0.0 : -size);
      upper[i] = random() % 2 == 0 ? infinity : size;
      if (random() % 8 == 0) lower[i] = upper[i] = normal(random);
    }
    const LinearModel problem = model(m, q, lower, upper);
    Vector x;
    ASSERT_TRUE(solve(problem, x)) << "round " << round;
    const Vector f = problem.m * x + q;
    EXPECT_LE(natural_residual(x, f, lower, upper), 1e-12) << "round " << round;
  }
}

TEST(PreciseLemke, SaysWhereItEnds) {
  Matrix skew(2, 2);
  skew << 0, 1, -1, 0;
  const Vector zero = Vector::Zero(2), open = Vector::Constant(2, infinity);
  Vector x;
  EXPECT_FALSE(solve(model(skew, Vector{{1.0, -1.0}}, zero, open), x));  // a ray
  Matrix singular = Matrix::Ones(2, 2);
  EXPECT_FALSE(solve(model(singular, Vector::Ones(2), -open, open), x));  // free, and not determined
  // A fixed variable is a number, whatever its row says.
  const Vector one = Vector::Ones(1);
  ASSERT_TRUE(solve(model(Matrix::Constant(1, 1, -2.0), -one, one, one), x));
  EXPECT_EQ(x[0], 1.0);
  std::int64_t pivots = 0;
  Vector x_low;
  const LinearModel solvable = model(Matrix::Identity(2, 2), Vector::Constant(2, -1.0), zero, open);
  ASSERT_TRUE(solve_precisely(solvable, 1, no_deadline, pivots, x, x_low));  // a point, and no solution
  EXPECT_EQ(pivots, 1);
  EXPECT_NE(x, Vector::Ones(2));
  ASSERT_TRUE(solve(solvable, x));
  EXPECT_EQ(x, Vector::Ones(2));
  // No time: nothing is computed.
  pivots = 0;
  const LinearModel free = model(Matrix::Identity(2, 2), Vector::Ones(2), -open, open);
  EXPECT_FALSE(solve_precisely(free, 50000, std::chrono::steady_clock::now(), pivots, x, x_low));
  EXPECT_EQ(pivots, 0);
  // Too many rows: of variables with two bounds each has two.
  const auto identity = [&](int n, double upper) {
    return model(Matrix::Identity(n, n), Vector::Constant(n, -1.0), Vector::Zero(n), Vector::Constant(n, upper));
  };
  EXPECT_FALSE(solve(identity(largest_precise + 1, infinity), x));
  EXPECT_FALSE(solve(identity(largest_precise / 2 + 1, 2.0), x));
  EXPECT_TRUE(solve(identity(largest_precise / 2, 2.0), x));
}

// Rows and bounds by hand: below, above, between, fixed, free; and digits that no double has.
TEST(PreciseResidual, OfEveryKindOfBound) {
  const double up = infinity;
  const Matrix m = Matrix::Identity(5, 5);
  const Vector lower{{0.0, -up, -1.0, 2.0, -up}}, upper{{up, 3.0, 1.0, 2.0, up}}, none = Vector::Zero(5);
  const auto of = [&](const Vector& x, const Vector& f, const Vector& low) {
    return precise_residual(SparseMatrix(m.sparseView()), f - x, lower, upper, x, low);
  };
  const Vector x{{0.0, 3.0, 0.5, 2.0, 7.0}}, f{{4.0, -2.0, 0.0, 9.0, 0.0}};
  EXPECT_EQ(of(x, f, none), 0.0);
  EXPECT_EQ(of(Vector{{0.25, 3.0, 0.5, 2.0, 7.0}}, f, none), 0.25);     // above its bound with F > 0
  EXPECT_EQ(of(x, Vector{{4.0, 2.0, 0.0, 9.0, 0.0}}, none), 2.0);       // at its upper bound with F > 0
  EXPECT_EQ(of(x, Vector{{4.0, -2.0, 0.5, 9.0, 0.0}}, none), 0.5);      // between, F > 0
  EXPECT_EQ(of(x, Vector{{4.0, -2.0, 0.0, 9.0, -3.0}}, none), 3.0);     // free
  EXPECT_EQ(of(x, f, Vector{{0.0, 0.0, 0x1p-60, 0.0, 0.0}}), 0x1p-60);  // below half a unit in the last place of x
  EXPECT_EQ(of(Vector{{std::nan(""), 3.0, 0.5, 2.0, 7.0}}, f, none), infinity);
}

// x_1 = 1e9 / 3, x_0 = x_1 + 1/3: no double meets 1e-10, a sum does; where the bounds leave 0 out, none is claimed.
TEST(PreciseLemke, SumsHaveTheDigitsThatADoubleLacks) {
  Matrix dense(2, 2);
  dense << 1.0, -1.0, 0.0, 3.0;
  const SparseMatrix m = dense.sparseView();
  const Vector q{{-1.0 / 3.0, -1e9}}, zero = Vector::Zero(2), one = Vector::Ones(2);
  const Vector open = Vector::Constant(2, infinity);
  Options options;
  options.sums = true;
  const Result sum = solve(linear_problem(m, q, zero, open), zero, options);
  ASSERT_EQ(sum.status, Status::solved);
  EXPECT_GT(sum.residual, 1e-10);
  EXPECT_GT(sum.rounding, 1e-10);
  ASSERT_EQ(sum.sum_high.size(), 2);
  EXPECT_EQ(sum.sum_high[1], 1e9 / 3.0);
  EXPECT_LE(precise_residual(m, q, zero, open, sum.sum_high, sum.sum_low), 1e-10);
  EXPECT_GT(precise_residual(m, q, zero, open, sum.sum_high, zero), 1e-10);
  EXPECT_EQ(solve(linear_problem(m, q, one, open), one, options).sum_high.size(), 0);
  options.sums = false;
  EXPECT_EQ(solve(linear_problem(m, q, zero, open), zero, options).sum_high.size(), 0);
}

struct Crowded {
  int seed;
  double mu, time;
};

// The linear forms, lcp and mixed, of a step of the box of polygons at 16 ms, standard, all facets.
std::vector<reference::test::CapturedProblem> crowded_step(const Crowded& step) {
  reference::test::CaptureOptions options;
  options.forms = {reference::Form::lcp, reference::Form::mixed};
  options.sets = {reference::ContactSets::standard_all};
  std::vector<reference::test::CapturedProblem> problems;
  reference::test::capture("box", scenes::polygon_box(static_cast<std::uint64_t>(step.seed), step.mu), 0.016, step.mu,
                           step.time, 1.0, step.time + 0.1, options, problems);
  return problems;
}

// Assessed row by row in numbers of the test's own making: quadruple precision where the compiler has it.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

bool solves_as_a_sum(const Problem& problem, const Result& r) {
  if (r.sum_high.size() != r.x.size() || r.sum_low.size() != r.x.size()) return false;
  Vector q;
  SparseMatrix m;
  if (!problem.evaluate(Vector::Zero(r.x.size()), q, &m)) return false;
  std::vector<Quad> f(q.begin(), q.end());
  const auto sum = [&](Eigen::Index i) { return Quad(r.sum_high[i]) + Quad(r.sum_low[i]); };
  for (Eigen::Index j = 0; j < q.size(); ++j)
    for (SparseMatrix::InnerIterator it(m, j); it; ++it)
      f[static_cast<std::size_t>(it.row())] += Quad(it.value()) * sum(j);
  const auto above = [](Quad a, Quad b) { return a > b ? a - b : b - a; };
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Quad x = sum(i), moved = x - f[static_cast<std::size_t>(i)];
    const Quad low = problem.lower[i], high = problem.upper[i];
    const Quad nearest = moved < low ? low : (moved > high ? high : moved);
    if (!(above(x, nearest) <= Quad(1e-10))) return false;
  }
  return true;
}

// Steps of the standard model with all facets, in which walls leave no capacity but for a hair: impulses of 10^6 to
// 10^9 N s are what it takes. Every path in double ends with a residual of 1e-9 to 4e-8.
class CrowdedStep : public testing::TestWithParam<Crowded> {};

TEST_P(CrowdedStep, IsSolvedByASumOfTwoDoubles) {
  const std::vector<reference::test::CapturedProblem> problems = crowded_step(GetParam());
  ASSERT_EQ(problems.size(), 2u);
  for (const reference::test::CapturedProblem& p : problems) {
    Options options;
    EXPECT_EQ(solve(p.formulated.problem, p.formulated.start, options).sum_high.size(), 0);  // they cost
    options.sums = true;
    const Result r = solve(p.formulated.problem, p.formulated.start, options);
    ASSERT_EQ(r.status, Status::solved) << p.name << ", residual " << r.residual;
    EXPECT_GT(r.rounding, 1e-10) << p.name;
    EXPECT_GT(r.x.cwiseAbs().maxCoeff(), 1e5) << p.name;
    EXPECT_TRUE(solves_as_a_sum(p.formulated.problem, r)) << p.name;
    // In doubles, each row within the rounding of its terms.
    Vector f;
    SparseMatrix m;
    ASSERT_TRUE(p.formulated.problem.evaluate(r.x, f, &m));
    const Vector terms = m.cwiseAbs() * r.x.cwiseAbs() + f.cwiseAbs();
    for (Eigen::Index i = 0; i < f.size(); ++i) {
      const double residual =
          natural_residual(r.x[i], f[i], p.formulated.problem.lower[i], p.formulated.problem.upper[i]);
      EXPECT_LE(residual, std::max(1e-10, 1e-15 * terms[i])) << p.name << ", row " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PreciseLemke, CrowdedStep, testing::Values(Crowded{14, 0.0, 4.25}));

}  // namespace
}  // namespace pegrasp::mcp
