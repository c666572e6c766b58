// SPDX-License-Identifier: Apache-2.0
// Lemke's method on problems whose answers, and numbers of pivots, are known.
#include "src/reference/mcp/lexicographic_lemke.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;

Result lemke_lcp(const Matrix& m, const Vector& q, std::int64_t max_pivots = 100000) {
  return solve_lexicographic_lemke(m.sparseView(), q, Vector::Zero(q.size()), Vector::Constant(q.size(), infinity),
                                   max_pivots);
}

TEST(LexicographicLemke, TrivialAndTwoByTwo) {
  Matrix m(2, 2);
  m << 2, 1, 1, 2;
  const Result trivial = lemke_lcp(m, Vector::Constant(2, 1.0));
  EXPECT_EQ(trivial.status, Status::solved);
  EXPECT_EQ(trivial.statistics.pivots, 0);
  EXPECT_EQ(trivial.x, Vector::Zero(2));
  // Cottle, Pang and Stone 1.2: q = (-5, -6), z = (4/3, 7/3).
  const Result r = lemke_lcp(m, Vector{{-5.0, -6.0}});
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], 4.0 / 3.0, 1e-14);
  EXPECT_NEAR(r.x[1], 7.0 / 3.0, 1e-14);
}

TEST(LexicographicLemke, TiesInEveryRowDoNotCycle) {
  // Kostreva 1979: a P-matrix and a right side in which every ratio ties. Least-index rules without care cycle here.
  Matrix m(3, 3);
  m << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  const Result r = lemke_lcp(m, Vector::Constant(3, -1.0));
  ASSERT_EQ(r.status, Status::solved);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(r.x[i], 1.0 / 3.0, 1e-14);
  // Many equal rows: positive semidefinite of rank one, q in its image.
  const Matrix ones = Matrix::Constant(12, 12, 1.0);
  const Result s = lemke_lcp(ones, Vector::Constant(12, -1.0));
  ASSERT_EQ(s.status, Status::solved);
  EXPECT_NEAR(s.x.sum(), 1.0, 1e-14);
}

// Murty 1978, Computational complexity of complementary pivot methods; Murty's book, 6.1: with d = e the path visits
// all complementary cones. 2^n pivots with both of z0's; Fathi 1979 has the same for a positive definite matrix
// and q = -e.
TEST(LexicographicLemke, ExponentialExamples) {
  for (int n = 1; n <= 12; ++n) {
    Matrix m = Matrix::Identity(n, n);
    Vector q(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) m(i, j) = 2.0;
      q[i] = std::pow(2.0, n - 1 - i) - std::pow(2.0, n);
    }
    const Result triangular = lemke_lcp(m, q);
    ASSERT_EQ(triangular.status, Status::solved);
    EXPECT_EQ(triangular.statistics.pivots, std::int64_t{1} << n);
    const Result definite = lemke_lcp(m * m.transpose(), Vector::Constant(n, -1.0));
    ASSERT_EQ(definite.status, Status::solved);
    EXPECT_EQ(definite.statistics.pivots, std::int64_t{1} << n);
    const Result limited = lemke_lcp(m, q, (std::int64_t{1} << n) - 1);
    EXPECT_EQ(limited.status, Status::pivot_limit);
  }
}

TEST(LexicographicLemke, RaysAreSaidToBeRays) {
  Matrix m(2, 2);
  m << 0, 1, -1, 0;  // skew: w2 = -z1 - 1 < 0 always
  const Result r = lemke_lcp(m, Vector{{1.0, -1.0}});
  EXPECT_EQ(r.status, Status::no_progress);
  EXPECT_EQ(r.message, "ended on a ray");
}

TEST(LexicographicLemke, BadInput) {
  Matrix m = Matrix::Identity(2, 2);
  EXPECT_EQ(lemke_lcp(m, Vector::Zero(3)).status, Status::bad_input);
  EXPECT_EQ(lemke_lcp(m, Vector{{0.0, std::nan("")}}).status, Status::bad_input);
  const Result r = solve_lexicographic_lemke(m.sparseView(), Vector::Zero(2), Vector::Ones(2), Vector::Zero(2), 10);
  EXPECT_EQ(r.status, Status::bad_input);
}

TEST(LexicographicLemke, EveryKindOfBound) {
  // min of a separable quadratic: x_i = the projection of -q_i onto the bounds.
  const Vector lower{{-infinity, 0.0, -infinity, -1.0, 2.0, 3.0}}, upper{{infinity, infinity, 4.0, 1.0, 5.0, 3.0}};
  const Matrix m = Matrix::Identity(6, 6);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-10.0, 10.0);
  for (int k = 0; k < 100; ++k) {
    const Vector q = Vector::NullaryExpr(6, [&] { return uniform(random); });
    const Result r = solve_lexicographic_lemke(m.sparseView(), q, lower, upper, 100);
    ASSERT_EQ(r.status, Status::solved) << r.message;
    EXPECT_LT((r.x - (-q).cwiseMax(lower).cwiseMin(upper)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(LexicographicLemke, AllVariablesFreeIsALinearSystem) {
  Matrix m(2, 2);
  m << 0, 2, 1, 3;
  const Vector inf = Vector::Constant(2, infinity);
  const Result r = solve_lexicographic_lemke(m.sparseView(), Vector{{-4.0, -7.0}}, -inf, inf, 10);
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], 1.0, 1e-14);
  EXPECT_NEAR(r.x[1], 2.0, 1e-14);
  m << 1, 1, 1, 1;
  const Result singular = solve_lexicographic_lemke(m.sparseView(), Vector{{-4.0, -7.0}}, -inf, inf, 10);
  EXPECT_EQ(singular.status, Status::no_progress);
}

// Problems made from their solutions. Positive definite up to skew parts: the solution is unique.
TEST(LexicographicLemke, FindsKnownSolutionsOfMixedProblems) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> kind(0, 3), where(0, 2);
  for (int k = 0; k < 200; ++k) {
    const int n = 1 + k % 25;
    const Matrix a = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    const Matrix skew = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    const Matrix m = a * a.transpose() / n + 0.1 * Matrix::Identity(n, n) + skew - skew.transpose();
    Vector lower(n), upper(n), x(n), f(n);
    for (int i = 0; i < n; ++i) {
      const int bounds = kind(random);
      lower[i] = bounds & 1 ? normal(random) : -infinity;
      upper[i] = bounds & 2 ? (bounds & 1 ? lower[i] : normal(random)) + 1.0 : infinity;
      const int state = where(random);
      if (state == 0 && (bounds & 1)) {
        x[i] = lower[i], f[i] = std::abs(normal(random));
      } else if (state == 1 && (bounds & 2)) {
        x[i] = upper[i], f[i] = -std::abs(normal(random));
      } else {
        x[i] = bounds & 1 ? lower[i] + 0.5 : (bounds & 2 ? upper[i] - 0.5 : normal(random)), f[i] = 0.0;
      }
    }
    const Result r = solve_lexicographic_lemke(m.sparseView(), f - m * x, lower, upper, 10000);
    ASSERT_EQ(r.status, Status::solved) << k << ' ' << r.message;
    EXPECT_LT((r.x - x).cwiseAbs().maxCoeff(), 1e-7) << k;
  }
}

}  // namespace
}  // namespace pegrasp::mcp
