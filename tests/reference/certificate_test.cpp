// SPDX-License-Identifier: Apache-2.0
// Proofs that hold are taken, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;
using Alternative = Certificate::Alternative;

struct Case {
  SparseMatrix m;
  Vector q, lower, upper;
  Certificate certificate;
  bool holds(std::string* why = nullptr) const { return check_certificate(m, q, lower, upper, certificate, why); }
};

Case make(const Matrix& m, const Vector& q, const Vector& lower, const Vector& upper, Certificate certificate) {
  return {m.sparseView(), q, lower, upper, std::move(certificate)};
}

// Two half spaces that exclude each other: 0 = v - a + b (v free), 0 <= a  ⊥  v - 1 >= 0, 0 <= b  ⊥  -v - 1 >= 0.
Case half_spaces() {
  Matrix m(3, 3);
  m << 1, -1, 1, 1, 0, 0, -1, 0, 0;
  return make(m, Vector{{0.0, -1.0, -1.0}}, Vector{{-infinity, 0.0, 0.0}}, Vector::Constant(3, infinity),
              {{{{}, Vector{{0.0, 1.0, 1.0}}}}});
}

// Feasible, without complementary solution: 0 <= x  ⊥  (x2 - 1, 1) >= 0. F2 = 1 makes x2 = 0, F1 asks for x2 >= 1.
Case feasible_only() {
  Matrix m(2, 2);
  m << 0, 1, 0, 0;
  Certificate c;
  c.leaves.push_back({{{1, Alternative::at_lower}}, Vector{{1.0, 0.0}}});
  c.leaves.push_back({{{1, Alternative::zero}}, Vector{{0.0, -1.0}}});
  return make(m, Vector{{-1.0, 1.0}}, Vector::Zero(2), Vector::Constant(2, infinity), c);
}

TEST(Certificate, HoldsForHalfSpacesAndBranches) {
  std::string why;
  EXPECT_TRUE(half_spaces().holds(&why)) << why;
  EXPECT_TRUE(feasible_only().holds(&why)) << why;
}

TEST(Certificate, ScaleOfYAndOfTheProblemDoNotMatter) {
  for (const double scale : {1e-200, 1e-6, 1e6, 1e200}) {
    Case c = half_spaces();
    c.certificate.leaves[0].y *= scale;
    EXPECT_TRUE(c.holds());
    Case d = half_spaces();
    const double s = std::sqrt(scale);
    d.m = d.m * s;
    d.q *= s;
    EXPECT_TRUE(d.holds());
  }
}

TEST(Certificate, RefusesTamperedMultipliers) {
  std::string why;
  Case sign = half_spaces();
  sign.certificate.leaves[0].y[1] = -1.0;
  EXPECT_FALSE(sign.holds(&why));
  EXPECT_EQ(why, "leaf 0: y has a sign that the condition on F does not admit in row 1");
  Case other = half_spaces();
  other.certificate.leaves[0].y[2] = 1.0 + 1e-9;  // v is free, and its coefficient no longer vanishes
  EXPECT_FALSE(other.holds(&why));
  EXPECT_EQ(why, "leaf 0: y'M does not vanish for the unbounded variable 0");
  Case rounded = half_spaces();
  rounded.certificate.leaves[0].y[2] = 1.0 + 1e-15;
  EXPECT_TRUE(rounded.holds());
  Case zero = half_spaces();
  zero.certificate.leaves[0].y.setZero();
  EXPECT_FALSE(zero.holds());
  Case nan = half_spaces();
  nan.certificate.leaves[0].y[1] = std::nan("");
  EXPECT_FALSE(nan.holds());
  Case shorter = half_spaces();
  shorter.certificate.leaves[0].y.conservativeResize(2);
  EXPECT_FALSE(shorter.holds());
}

TEST(Certificate, RefusesWhereTheProblemHasASolution) {
  Case c = half_spaces();
  c.q[2] = 1.0;  // v = 1: F3 = 0
  EXPECT_FALSE(c.holds());
  c.q[2] = 1.0 - 1e-12;  // contradicts, by less than counts
  EXPECT_FALSE(c.holds());
  c.q[2] = 1.0 - 1e-6;
  EXPECT_TRUE(c.holds());
  Case nan = half_spaces();
  nan.q[2] = std::nan("");
  EXPECT_FALSE(nan.holds());
  Case matrix = half_spaces();
  matrix.m.coeffRef(1, 0) = std::nan("");
  EXPECT_FALSE(matrix.holds());
}

TEST(Certificate, NearlySingularProblemsHaveDistantSolutions) {
  // x1 + x2 = 0, x1 + (1 + e) x2 = 1 has the solution x2 = 1 / e.
  for (const double e : {1e-3, 1e-8, 1e-11}) {
    Matrix m(2, 2);
    m << 1, 1, 1, 1 + e;
    const Vector inf = Vector::Constant(2, infinity);
    EXPECT_FALSE(make(m, Vector{{0.0, -1.0}}, -inf, inf, {{{{}, Vector{{-1.0, 1.0}}}}}).holds()) << e;
  }
}

TEST(Certificate, UsesTheBoundsOfBoxes) {
  // x2 <= 1 leaves F1 = x2 - 2 >= 0 out of reach.
  Matrix m(2, 2);
  m << 0, 1, 0, 0;
  const Vector q{{-2.0, 0.0}}, lower = Vector::Zero(2), upper{{infinity, 1.0}};
  EXPECT_TRUE(make(m, q, lower, upper, {{{{}, Vector{{1.0, 0.0}}}}}).holds());
  EXPECT_FALSE(make(m, q, lower, Vector{{infinity, 2.0}}, {{{{}, Vector{{1.0, 0.0}}}}}).holds());
  EXPECT_FALSE(make(m, q, lower, Vector{{infinity, 1e20}}, {{{{}, Vector{{1.0, 0.0}}}}}).holds());  // infinite
  // Nothing is known of F where both bounds are finite.
  EXPECT_FALSE(make(m, Vector{{0.0, -1.0}}, lower, upper, {{{{}, Vector{{0.0, 1.0}}}}}).holds());
}

TEST(Certificate, ZeroCoefficientsOfBoxesMayBeInexact) {
  // c = 1e-10 would do harm for an unbounded variable; in [0, 1] it is worth at most 1e-10.
  Matrix m(2, 2);
  m << 0, 1e-10, 0, 0;
  EXPECT_TRUE(
      make(m, Vector{{-1.0, 0.0}}, Vector::Zero(2), Vector{{infinity, 1.0}}, {{{{}, Vector{{1.0, 0.0}}}}}).holds());
}

// The limit that check_certificate() states: M singular but for 2^-40 has the solution (2^40, 2^40 - 1), beyond the
// range; with 2^-30 the sum does not count as vanishing.
TEST(Certificate, WhatIsSingularButForRoundingIsReportedInfeasible) {
  const auto holds = [](double e) {
    Matrix m(2, 2);
    m << 1.0, -1.0, -(1.0 - e), 1.0;
    return make(m, Vector{{-1.0, 0.0}}, Vector::Zero(2), Vector::Constant(2, infinity), {{{{}, Vector{{1.0, 1.0}}}}})
        .holds();
  };
  EXPECT_TRUE(holds(std::ldexp(1.0, -40)));
  EXPECT_FALSE(holds(std::ldexp(1.0, -30)));
}

TEST(Certificate, SmallContradictionsOfLongSumsCount) {
  // A chain of n links of length 1 that lacks 1e-10 or 1e-8: y is all ones, and every coefficient of the free positions
  // cancels.
  const int links = 400, n = 2 * links + 1;
  Matrix m = Matrix::Zero(n, n);
  Vector q = Vector::Zero(n), lower = Vector::Constant(n, -infinity), y = Vector::Zero(n);
  for (int i = 0; i <= links; ++i) {
    const int row = links + i;
    if (i < links) m(row, i) = 0.1;
    if (i > 0) m(row, i - 1) = -0.1;
    q[row] = i == links ? links - 1e-10 : -1.0;
    lower[row] = 0.0;
    y[row] = 1.0;
  }
  const Vector upper = Vector::Constant(n, infinity);
  EXPECT_FALSE(make(m, q, lower, upper, {{{{}, y}}}).holds());  // 1e-13 of what is added
  q[n - 1] -= 1e-8;
  std::string why;
  EXPECT_TRUE(make(m, q, lower, upper, {{{{}, y}}}).holds(&why)) << why;
}

TEST(Certificate, LeavesMustLeaveNothingOut) {
  std::string why;
  for (std::size_t drop = 0; drop < 2; ++drop) {
    Case c = feasible_only();
    c.certificate.leaves.erase(c.certificate.leaves.begin() + static_cast<std::ptrdiff_t>(drop));
    EXPECT_FALSE(c.holds(&why));
    EXPECT_EQ(why, "the leaves leave a case out, or are no tree");
  }
  Case none = feasible_only();
  none.certificate.leaves.clear();
  EXPECT_FALSE(none.holds());
  Case third = feasible_only();  // with an upper bound there is one alternative more
  third.upper[1] = 1.0;
  EXPECT_FALSE(third.holds());
  third.certificate.leaves.push_back({{{1, Alternative::at_upper}}, Vector{{0.0, -1.0}}});
  EXPECT_TRUE(third.holds(&why)) << why;
  Case twice = feasible_only();
  twice.certificate.leaves[0].fixed.emplace_back(1, Alternative::at_lower);
  EXPECT_FALSE(twice.holds());
  Case outside = feasible_only();
  outside.certificate.leaves[0].fixed[0].first = 2;
  EXPECT_FALSE(outside.holds());
  Case nowhere = feasible_only();
  nowhere.certificate.leaves[0].fixed[0].second = Alternative::at_upper;
  EXPECT_FALSE(nowhere.holds());
}

TEST(Certificate, TreesMayBranchDifferentlyAndInAnyOrder) {
  // Index 1 decides; indices 2 and 3 do not matter, and are branched over all the same.
  Matrix m = Matrix::Zero(4, 4);
  m(0, 1) = 1.0;
  const Vector q{{-1.0, 1.0, 0.0, 0.0}};
  const Vector at_lower{{1.0, 0.0, 0.0, 0.0}}, zero{{0.0, -1.0, 0.0, 0.0}};
  using A = Alternative;
  Certificate c;
  c.leaves.push_back({{{2, A::at_lower}, {1, A::at_lower}}, at_lower});
  c.leaves.push_back({{{1, A::zero}, {2, A::at_lower}}, zero});
  c.leaves.push_back({{{2, A::zero}, {3, A::zero}, {1, A::zero}}, zero});
  c.leaves.push_back({{{1, A::at_lower}, {3, A::zero}, {2, A::zero}}, at_lower});
  c.leaves.push_back({{{3, A::at_lower}, {2, A::zero}, {1, A::at_lower}}, at_lower});
  c.leaves.push_back({{{3, A::at_lower}, {2, A::zero}, {1, A::zero}}, zero});
  Case tree = make(m, q, Vector::Zero(4), Vector::Constant(4, infinity), c);
  std::string why;
  EXPECT_TRUE(tree.holds(&why)) << why;
  for (std::size_t drop = 0; drop < c.leaves.size(); ++drop) {
    Case less = tree;
    less.certificate.leaves.erase(less.certificate.leaves.begin() + static_cast<std::ptrdiff_t>(drop));
    EXPECT_FALSE(less.holds()) << drop;
  }
}

TEST(Certificate, SizesAndBoundsAreLookedAt) {
  Case sizes = half_spaces();
  sizes.q.conservativeResize(2);
  EXPECT_FALSE(sizes.holds());
  Case bounds = half_spaces();
  bounds.lower[1] = std::nan("");
  EXPECT_FALSE(bounds.holds());
}

}  // namespace
}  // namespace pegrasp::mcp
