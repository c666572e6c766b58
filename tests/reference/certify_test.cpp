// SPDX-License-Identifier: Apache-2.0
// Where there is no solution a proof is found; where there is one, none is.
#include "src/reference/mcp/certify.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <random>

#include "src/reference/mcp/feasibility.hpp"
#include "src/reference/mcp/lexicographic_lemke.hpp"

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;
using Triplet = Eigen::Triplet<double>;

std::optional<Certificate> certify(const Matrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                                   const Options& options = {}) {
  return find_certificate(m.sparseView(), q, lower, upper, Vector::Zero(q.size()), options);
}
std::optional<Certificate> certify_lcp(const Matrix& m, const Vector& q, const Options& options = {}) {
  return certify(m, q, Vector::Zero(q.size()), Vector::Constant(q.size(), infinity), options);
}

TEST(Certify, ContradictingHalfSpaces) {
  Matrix m(3, 3);
  m << 1, -1, 1, 1, 0, 0, -1, 0, 0;
  const Vector lower{{-infinity, 0.0, 0.0}}, upper = Vector::Constant(3, infinity);
  const auto found = certify(m, Vector{{0.0, -1.0, -1.0}}, lower, upper);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leaves.size(), 1u);
  EXPECT_FALSE(certify(m, Vector{{0.0, -1.0, 1.0}}, lower, upper));  // v = 1
}

TEST(Certify, FeasibleButNotComplementary) {
  Matrix m(2, 2);
  m << 0, 1, 0, 0;
  const auto found = certify_lcp(m, Vector{{-1.0, 1.0}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leaves.size(), 2u);
}

// A frictionless vertex between two walls that ask for more capacity than there is: v_n >= a from the left wall, -v_n
// >= b from the right. In one dimension, with mass and the walls' impulses.
TEST(Certify, TrapBetweenWalls) {
  for (const double mass : {1e-3, 1.0, 50.0})
    for (const double gap : {1e-6, 1e-3, 1.0}) {
      Matrix m(3, 3);
      m << mass, -1, 1, 1, 0, 0, -1, 0, 0;
      const Vector lower{{-infinity, 0.0, 0.0}}, upper = Vector::Constant(3, infinity);
      const auto found = certify(m, Vector{{-mass * 0.3, -gap, 0.0}}, lower, upper);
      EXPECT_TRUE(found) << mass << ' ' << gap;
      EXPECT_FALSE(certify(m, Vector{{-mass * 0.3, -gap, gap}}, lower, upper)) << mass << ' ' << gap;
    }
}

// Painleve's kind of jam: a rod whose contact point is driven in, and more impulse drives it in further.
TEST(Certify, OneDimensionalJam) {
  Matrix m(1, 1);
  m << -0.5;
  EXPECT_TRUE(certify_lcp(m, Vector{{-1.0}}));
  EXPECT_FALSE(certify_lcp(m, Vector{{1.0}}));
}

TEST(Certify, BoundedVariablesHaveThreeAlternatives) {
  // F2 = x1 must have a sign; x1 = 1 or -1 by its own row, which pushes the other way. 0 <= x2 <= 1, F1 wants x1 = 2 x2
  // - 1.
  Matrix m(2, 2);
  m << 1, -2, 0, 0;
  // x2 at 0: F2 >= 0; at 1: F2 <= 0; between: F2 = 0. F2 = 1 - 0: only x2 = 0, and then x1 = -1 < 0.
  const auto found = certify(m, Vector{{1.0, 1.0}}, Vector::Zero(2), Vector{{infinity, 1.0}});
  EXPECT_FALSE(found);  // x = (0, 0): F1 = 1
  // x1 free: x1 = 2 x2 - 1, and F2 = x1 + c. c = 0.5: x2 = 0 gives F2 = -0.5 no, x2 = 1 gives 1.5 no, F2 = 0 at 0.25.
  m << 1, -2, 1, 0;
  const Vector lower{{-infinity, 0.0}}, upper{{infinity, 1.0}};
  EXPECT_FALSE(certify(m, Vector{{1.0, 0.5}}, lower, upper));
  // The steeper way round, with a row that also excludes the middle: F3 = x2 - 0.5 sits against a free multiplier.
  Matrix k(3, 3);
  k << 1, -2, 0, 1, 0, 0, 0, 1, 0;
  const auto none =
      certify(k, Vector{{1.0, 0.5, -0.4}}, Vector{{-infinity, 0.0, -infinity}}, Vector{{infinity, 1.0, infinity}});
  ASSERT_TRUE(none);
  EXPECT_LE(none->leaves.size(), 3u);
}

// All complementary bases of a small LCP, by brute force.
bool has_solution(const Matrix& m, const Vector& q) {
  const auto n = static_cast<int>(q.size());
  for (int set = 0; set < (1 << n); ++set) {
    Matrix basis = Matrix::Identity(n, n);
    for (int i = 0; i < n; ++i)
      if (set >> i & 1) basis.col(i) = -m.col(i);
    const Eigen::FullPivLU<Matrix> lu(basis);
    if (lu.isInvertible() && (lu.solve(q).array() >= -1e-12).all()) return true;
  }
  return false;
}

TEST(Certify, AgreesWithBruteForce) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int none = 0;
  for (int k = 0; k < 400; ++k) {
    const int n = 2 + k % 6;
    Matrix m = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    m.diagonal().array() -= 0.5;
    const Vector q = Vector::NullaryExpr(n, [&] { return normal(random) - 0.5; });
    const bool solvable = has_solution(m, q);
    none += !solvable;
    const SparseMatrix sparse = m.sparseView();
    const Vector lower = Vector::Zero(n), upper = Vector::Constant(n, infinity);
    Vector met;
    const auto found = find_certificate(sparse, q, lower, upper, lower, {}, &met);
    EXPECT_EQ(static_cast<bool>(found), !solvable) << k;
    if (solvable) {
      ASSERT_EQ(met.size(), n) << k;
      EXPECT_LT(natural_residual(met, m * met + q, lower, upper), 1e-6) << k;
    }
    if (found && found->leaves.size() > 1) {
      // Tampered with: a leaf less, or another leaf's multipliers with the sign changed.
      Certificate less = *found;
      less.leaves.pop_back();
      EXPECT_FALSE(check_certificate(sparse, q, lower, upper, less));
      Certificate sign = *found;
      sign.leaves[0].y = -sign.leaves[0].y;
      EXPECT_FALSE(check_certificate(sparse, q, lower, upper, sign));
    }
  }
  EXPECT_GT(none, 100);
  EXPECT_LT(none, 350);
}

// Made from solutions, badly scaled and degenerate ones among them.
TEST(Certify, SolvableProblemsHaveNoCertificate) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> kind(0, 3), where(0, 2), sparse(0, 4);
  Options options;
  options.certify_nodes = 50;
  for (int k = 0; k < 500; ++k) {
    const int n = 1 + k % 30;
    Matrix m = Matrix::NullaryExpr(n, n, [&] { return sparse(random) ? 0.0 : normal(random); });
    if (k % 3 == 0 && n > 2) m.row(n - 1) = m.row(0);
    if (k % 5 == 0)
      for (int i = 0; i < n; ++i) m.row(i) *= std::pow(10.0, 3.0 * normal(random));
    Vector lower(n), upper(n), x(n), f(n);
    for (int i = 0; i < n; ++i) {
      const int bounds = kind(random);
      lower[i] = bounds & 1 ? normal(random) : -infinity;
      upper[i] = bounds & 2 ? (bounds & 1 ? lower[i] : normal(random)) + (k % 4 ? 1.0 : 0.0) : infinity;
      const int state = where(random);
      const double size = k % 2 ? std::abs(normal(random)) : 0.0;  // degenerate every other time
      if (state == 0 && (bounds & 1))
        x[i] = lower[i], f[i] = size;
      else if (state == 1 && (bounds & 2))
        x[i] = upper[i], f[i] = -size;
      else
        x[i] = bounds & 1 ? std::min(lower[i] + 0.5, upper[i]) : (bounds & 2 ? upper[i] - 0.5 : normal(random)),
        f[i] = 0.0;
    }
    EXPECT_FALSE(certify(m, f - m * x, lower, upper, options)) << k;
  }
}

// One small problem without solution among many that have one: the others are not branched over again and again.
TEST(Certify, IndicesThatDoNotMatterCostLittle) {
  const int blocks = 40;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int where = 0; where < 10; ++where) {
    Matrix m = Matrix::Zero(3 * blocks, 3 * blocks);
    Vector q(3 * blocks);
    for (int b = 0; b < blocks; ++b) {
      m.block(3 * b, 3 * b, 3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1;  // a P-matrix
      for (int i = 0; i < 3; ++i) q[3 * b + i] = normal(random) - 3.0;
    }
    const int bad = 3 * (4 * where + 1);
    m.block(bad, bad, 3, 3) << 0, 1, 0, 0, 0, 0, 0, 0, 1;
    q.segment(bad, 3) = Vector{{-1.0, 1.0, -1.0}};
    const auto found = certify_lcp(m, q);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->leaves.size(), 2u);
    for (const Certificate::Leaf& leaf : found->leaves) EXPECT_EQ(leaf.fixed.size(), 1u);
  }
}

// From a hint that solves the problem no alternative has to be taken back; from the linear program's point some have.
TEST(Certify, BranchingFollowsAHint) {
  const int n = 12;
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  Options none;
  none.certify_nodes = 0;
  int met_from_points = 0;
  for (int k = 0; k < 50; ++k) {
    const Matrix m = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    Vector x = Vector::NullaryExpr(n, [&] { return normal(random); });
    const Vector f = (-x).cwiseMax(0.0);  // x > 0 where F = 0 and the other way round
    x = x.cwiseMax(0.0);
    const Vector q = f - m * x;
    const auto meets = [&](Branching branching) {
      Vector met;
      EXPECT_FALSE(find_certificate(m.sparseView(), q, Vector::Zero(n), Vector::Constant(n, infinity), x, none, &met,
                                    Digits::usual, branching));
      return met.size() == n;
    };
    EXPECT_TRUE(meets(Branching::at_hint)) << k;
    met_from_points += meets(Branching::at_point);
  }
  EXPECT_LT(met_from_points, 40);
}

TEST(Certify, LimitsEndTheSearch) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  const Matrix m = Matrix::NullaryExpr(7, 7, [&] { return normal(random); }) - Matrix(0.5 * Matrix::Identity(7, 7));
  for (int k = 0; k < 200; ++k) {
    const Vector q = Vector::NullaryExpr(7, [&] { return normal(random) - 0.5; });
    const auto found = certify_lcp(m, q);
    if (!found || found->leaves.size() < 4) continue;
    Options options;
    options.certify_nodes = 500;
    EXPECT_TRUE(certify_lcp(m, q, options));
    options.certify_nodes = 1;
    EXPECT_FALSE(certify_lcp(m, q, options));
    options.certify_nodes = 2000;
    options.time_limit_s = 0.0;
    EXPECT_FALSE(certify_lcp(m, q, options));
    return;
  }
  FAIL() << "no problem of this kind has a certificate of four leaves";
}

TEST(Certify, RefusesWhatIsNoProblem) {
  const Matrix one = Matrix::Identity(1, 1);
  EXPECT_FALSE(certify_lcp(one, Vector{{std::nan("")}}));
  EXPECT_FALSE(certify_lcp(one * std::nan(""), Vector{{-1.0}}));
  EXPECT_FALSE(certify(one, Vector{{1.0}}, Vector{{1.0}}, Vector{{0.0}}));
  EXPECT_FALSE(certify_lcp(Matrix(0, 0), Vector(0)));
}

// A chain of discs between walls that leave too little room: one combination of all rows proves it.
TEST(Certify, LongChainsAreLinearlyInfeasible) {
  const int discs = 100, contacts = discs + 1, n = discs + contacts;
  std::vector<Triplet> entries;
  Vector q = Vector::Zero(n), lower = Vector::Zero(n);
  lower.head(discs).setConstant(-infinity);
  for (int i = 0; i < discs; ++i) entries.emplace_back(i, i, 1.0 + 0.01 * i);
  for (int c = 0; c < contacts; ++c) {
    const int row = discs + c;
    if (c > 0) entries.emplace_back(row, c - 1, -1.0), entries.emplace_back(c - 1, row, 1.0);
    if (c < discs) entries.emplace_back(row, c, 1.0), entries.emplace_back(c, row, -1.0);
    q[row] = 1e-3 * std::sin(c);
  }
  q[discs] -= q.tail(contacts).sum() + 1e-4;
  SparseMatrix m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  const Vector upper = Vector::Constant(n, infinity);
  const auto found = find_certificate(m, q, lower, upper, Vector::Zero(n));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->leaves.size(), 1u);
  q[discs] += 2e-4;
  Options options;
  options.certify_nodes = 20;
  EXPECT_FALSE(find_certificate(m, q, lower, upper, Vector::Zero(n), options));
}

// The chain again, as a program computes it: zeros of the mass matrix and of the Jacobian are rounding errors.
TEST(Certify, RoundingErrorsInPlaceOfZerosDoNotSpoilTheScaling) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  const int discs = 20, contacts = discs + 1, n = discs + contacts;
  for (const double noise : {1e-17, 1e-15, 1e-16}) {
    Matrix m = Matrix::Zero(n, n);
    Vector q = Vector::Zero(n), lower = Vector::Zero(n);
    lower.head(discs).setConstant(-infinity);
    for (int i = 0; i < discs; ++i) m(i, i) = 1.0 + 0.01 * i;
    for (int c = 0; c < contacts; ++c) {
      const int row = discs + c;
      if (c > 0) m(row, c - 1) = -1.0, m(c - 1, row) = 1.0;
      if (c < discs) m(row, c) = 1.0, m(c, row) = -1.0;
      q[row] = 1e-3 * std::sin(c);
    }
    q[discs] -= q.tail(contacts).sum() + 1e-4;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (m(i, j) == 0.0 && (i < discs || j < discs)) m(i, j) = noise * normal(random);
    EXPECT_TRUE(find_certificate(m.sparseView(0.0, 0.0), q, lower, Vector::Constant(n, infinity), Vector::Zero(n)))
        << noise;
  }
}

// Proofs remembered from one branch and used again in another must say all that they rest on.
TEST(Certify, EndsWithAProofOrASolution) {
  std::mt19937 random(23);
  std::normal_distribution<double> normal;
  Options options;
  options.time_limit_s = 30.0;
  int long_proofs = 0;
  for (int k = 0; k < 60; ++k) {
    const int n = 16 + k % 9;
    Matrix m = Matrix::NullaryExpr(n, n, [&] { return normal(random); });
    m.diagonal().array() -= 0.5;
    const Vector q = Vector::NullaryExpr(n, [&] { return normal(random) - 0.3; });
    Vector met;
    const auto found = find_certificate(m.sparseView(), q, Vector::Zero(n), Vector::Constant(n, infinity),
                                        Vector::Zero(n), options, &met);
    EXPECT_TRUE(found.has_value() != (met.size() == n)) << k;
    long_proofs += found && found->leaves.size() > 10;
  }
  EXPECT_GT(long_proofs, 3);
}

// Rows that depend on others, in numbers so large that their rounding looks like a pivot: the basis becomes singular.
// What is far away says nothing of how large a contradiction is.
TEST(Certify, UnrelatedNumbersDoNotHideAContradiction) {
  for (const double big : {1.0, 1e5, 1e9}) {
    Matrix m = Matrix::Zero(4, 4);
    m.topLeftCorner(3, 3) << 1, -1, 1, 1, 0, 0, -1, 0, 0;
    m(3, 3) = 1.0;
    const double d = 1e-8;
    EXPECT_TRUE(
        certify(m, Vector{{0.0, -d, -d, -big}}, Vector{{-infinity, 0.0, 0.0, 0.0}}, Vector::Constant(4, infinity)))
        << big;
  }
}

// Walls that meet 1e-11 too soon: beyond the digits of the usual search, and certain all the same.
TEST(Certify, SlightContradictionsTakeMoreDigits) {
  Matrix m(3, 3);
  m << 1, -1, 1, 1, 0, 0, -1, 0, 0;
  const Vector q{{0.0, -1.0, 1.0 - 1e-11}}, lower{{-infinity, 0.0, 0.0}}, upper = Vector::Constant(3, infinity);
  EXPECT_FALSE(certify(m, q, lower, upper));
  const SparseMatrix sparse = m.sparseView();
  const auto found = find_certificate(sparse, q, lower, upper, Vector::Zero(3), {}, nullptr, Digits::more);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range.size(), 3);
  std::string why;
  EXPECT_TRUE(check_certificate(sparse, q, lower, upper, *found, &why)) << why;
  Certificate wrong = *found;
  wrong.range[0] = -1.0;
  EXPECT_FALSE(check_certificate(sparse, q, lower, upper, wrong));
  wrong = *found;
  wrong.leaves[0].y[1] *= 1.0 + 1e-9;  // v's coefficient no longer vanishes, within the range it makes up for 1e-11
  EXPECT_FALSE(check_certificate(sparse, q, lower, upper, wrong));
  EXPECT_FALSE(
      find_certificate(sparse, Vector{{0.0, -1.0, 1.0}}, lower, upper, Vector::Zero(3), {}, nullptr, Digits::more));
}

// Almost parallel walls that meet far away: a solution, but of the size 1e22.
TEST(Certify, SolutionsBeyondTheRangeDoNotCount) {
  Matrix m = Matrix::Zero(4, 4);
  m(0, 0) = m(1, 1) = 1.0;
  m(2, 0) = 1.0, m(3, 0) = -1.0, m(3, 1) = 1e-30;
  m.topRightCorner(2, 2) = -m.bottomLeftCorner(2, 2).transpose();
  const Vector lower{{-infinity, -infinity, 0.0, 0.0}}, upper = Vector::Constant(4, infinity);
  const Result result =
      solve(linear_problem(m.sparseView(), Vector{{0.0, 0.0, -1e-8, -1e-8}}, lower, upper), Vector::Zero(4));
  EXPECT_EQ(result.status, Status::infeasible) << status_name(result.status) << ' ' << result.residual;
}

// A comparison with what is not a number is false: rows of such must not pass for ones that hold.
TEST(Feasibility, WhatIsNotANumberIsNoPoint) {
  Feasibility<double> lp(Matrix::Identity(2, 2).sparseView(), Vector{{std::nan(""), 0.0}});
  for (int j = 0; j < 4; ++j) lp.set_bounds(j, 0.0, 1.0);
  EXPECT_EQ(lp.run(1000), Feasibility<double>::Answer::failed);
}

// x + y >= 1 and x + y <= 1 - 3e-11: beyond the tolerance of long double, within that of double.
TEST(Feasibility, LongDoubleSeesWhatDoubleDoesNot) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double here";
  const Matrix m = Matrix::Ones(2, 2);
  const auto set = [](auto& lp) {
    for (int j = 0; j < 2; ++j) lp.set_bounds(j, 0.0, 10.0);
    lp.set_bounds(2, 1.0, infinity);
    lp.set_bounds(3, -infinity, 1.0 - 3e-11);
  };
  Feasibility<double> plain(m.sparseView(), Vector::Zero(2));
  Feasibility<long double> fine(m.sparseView(), Vector::Zero(2));
  set(plain);
  set(fine);
  EXPECT_EQ(plain.run(1000), Feasibility<double>::Answer::feasible);
  ASSERT_EQ(fine.run(1000), Feasibility<long double>::Answer::infeasible);
  // y'F with F_0 >= 1, F_1 <= 1 - 3e-11.
  EXPECT_GT(fine.multipliers()[0], 0.0);
  EXPECT_NEAR(static_cast<double>(fine.multipliers()[1] / fine.multipliers()[0]), -1.0, 1e-15);
  fine.set_bounds(3, -infinity, 1.0);
  EXPECT_EQ(fine.run(1000), Feasibility<long double>::Answer::feasible);
}

TEST(Feasibility, RecoversFromASingularBasis) {
  std::mt19937 random(29);
  std::normal_distribution<double> normal;
  const int n = 30, rank = 20;
  const Matrix m = 1e7 * Matrix::NullaryExpr(n, rank, [&] { return normal(random); }) *
                   Matrix::NullaryExpr(rank, n, [&] { return normal(random); });
  Feasibility<double> lp(m.sparseView(), Vector::Zero(n));
  for (int k = 0; k < 50; ++k) {
    const Vector x = Vector::NullaryExpr(n, [&] { return normal(random); }), f = m * x;
    for (int i = 0; i < n; ++i) {
      const bool slack = random() % 2 == 0;
      const double capacity = 1e-6 + std::abs(f[i]) * 1e-9;
      lp.set_bounds(i, x[i] - 1.0, slack ? x[i] + 1.0 : infinity);
      lp.set_bounds(n + i, f[i] - capacity, slack ? infinity : f[i] + capacity);
    }
    ASSERT_EQ(lp.run(lp.pivots() + 5000), Feasibility<double>::Answer::feasible) << k;
    for (int i = 0; i < n; ++i) EXPECT_GE(lp.x(i), x[i] - 1.0 - 1e-8) << k;
  }
  lp.refresh();
  EXPECT_EQ(lp.run(lp.pivots() + 5000), Feasibility<double>::Answer::feasible);
  lp.reset();
  EXPECT_EQ(lp.run(lp.pivots() + 5000), Feasibility<double>::Answer::feasible);
}

}  // namespace
}  // namespace pegrasp::mcp
