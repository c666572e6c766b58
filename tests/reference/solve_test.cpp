// SPDX-License-Identifier: Apache-2.0
// The MCP solver on problems whose answers are known, and on input that is none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pegrasp/mcp.hpp"

namespace pegrasp::mcp {
namespace {

SparseMatrix sparse(const Eigen::MatrixXd& m) { return m.sparseView(); }

TEST(Solve, LcpByHand) {
  // 0 <= x ⊥ [2 1; 1 2] x + (-5, -6) >= 0: x = (4/3, 7/3).
  const Result r = solve(lcp(sparse(Eigen::Matrix2d{{2, 1}, {1, 2}}), Eigen::Vector2d(-5, -6)), Vector::Zero(2));
  ASSERT_EQ(r.status, Status::solved) << r.message;
  EXPECT_NEAR(r.x[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR(r.x[1], 7.0 / 3, 1e-12);
  EXPECT_LE(r.residual, 1e-12);
}

TEST(Solve, BoundsOnBothSides) {
  // F = x - 2 on [0, 1]: x = 1, F < 0. F = x + 1 on [0, 1]: x = 0. F = x - 1/2: inside.
  const Eigen::Vector3d q(-2, 1, -0.5);
  const Problem p = linear_problem(sparse(Eigen::Matrix3d::Identity()), q, Vector::Zero(3), Vector::Ones(3));
  const Result r = solve(p, Vector::Constant(3, 0.3));
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_EQ(r.x[0], 1.0);
  EXPECT_EQ(r.x[1], 0.0);
  EXPECT_NEAR(r.x[2], 0.5, 1e-15);
}

TEST(Solve, SquareSystemOfEquations) {
  const Problem p = linear_problem(sparse(Eigen::Matrix2d{{0, 1}, {-1, 0}}), Eigen::Vector2d(-3, 4),
                                   Vector::Constant(2, -infinity), Vector::Constant(2, infinity));
  const Result r = solve(p, Vector::Zero(2));
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], 4.0, 1e-14);
  EXPECT_NEAR(r.x[1], 3.0, 1e-14);
}

TEST(Solve, RedundantContactsHaveASingularBasis) {
  // One body on three identical contacts: 0 <= p ⊥ e e' p - 1 >= 0. Any p with sum 1 will do.
  const Eigen::Matrix3d m = Eigen::Matrix3d::Ones();
  for (const double start : {0.0, 0.5, 2.0}) {
    const Result r = solve(lcp(sparse(m), Vector::Constant(3, -1.0)), Vector::Constant(3, start));
    ASSERT_EQ(r.status, Status::solved) << start;
    EXPECT_NEAR(r.x.sum(), 1.0, 1e-12);
  }
}

TEST(Solve, NonlinearComplementarity) {
  // 0 <= x ⊥ x^2 - 4 >= 0: x = 2 (x = 0 has F < 0).
  Problem p;
  p.lower = Vector::Zero(1);
  p.upper = Vector::Constant(1, infinity);
  p.evaluate = [](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f = Vector::Constant(1, x[0] * x[0] - 4.0);
    if (jacobian) *jacobian = sparse(Eigen::MatrixXd::Constant(1, 1, 2.0 * x[0]));
    return true;
  };
  for (const double start : {0.1, 1.0, 2.0, 50.0}) {
    const Result r = solve(p, Vector::Constant(1, start));
    ASSERT_EQ(r.status, Status::solved) << start;
    EXPECT_NEAR(r.x[0], 2.0, 1e-10);
  }
}

TEST(Solve, NothingToSolve) {
  const Result r = solve(lcp(SparseMatrix(0, 0), Vector(0)), Vector(0));
  EXPECT_EQ(r.status, Status::solved);
  EXPECT_EQ(r.residual, 0.0);
}

TEST(Solve, InfinityMayBeANumber) {
  const Problem p = linear_problem(sparse(Eigen::Matrix2d{{1, 0}, {0, 1}}), Eigen::Vector2d(-1, 1),
                                   Vector::Constant(2, -1e20), Vector::Constant(2, 1e30));
  const Result r = solve(p, Vector::Zero(2));
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], 1.0, 1e-14);
  EXPECT_NEAR(r.x[1], -1.0, 1e-14);
}

TEST(Solve, RefusesWhatIsNoProblem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const SparseMatrix one = sparse(Eigen::MatrixXd::Ones(1, 1));
  const auto status = [&](Vector lower, Vector upper, Vector start) {
    const Result r = solve(linear_problem(one, Vector::Zero(1), std::move(lower), std::move(upper)), start);
    EXPECT_FALSE(r.message.empty());
    return r.status;
  };
  const auto v = [](double x) { return Vector(Vector::Constant(1, x)); };
  EXPECT_EQ(status(v(nan), v(1), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(0), v(nan), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(2), v(1), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(infinity), v(infinity), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(-infinity), v(-infinity), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(0), v(1), v(nan)), Status::bad_input);
  EXPECT_EQ(status(v(0), v(1), v(infinity)), Status::bad_input);
  EXPECT_EQ(status(v(0), Vector::Zero(2), v(0)), Status::bad_input);
  EXPECT_EQ(status(v(0), v(1), Vector::Zero(2)), Status::bad_input);
  EXPECT_EQ(solve(Problem{v(0), v(1), nullptr, false}, v(0)).status, Status::bad_input);
  EXPECT_EQ(solve(linear_problem(one, v(nan), v(0), v(1)), v(0)).status, Status::evaluation_failed);
  EXPECT_EQ(solve(linear_problem(sparse(Eigen::MatrixXd::Constant(1, 1, nan)), v(1), v(0), v(1)), v(0.5)).status,
            Status::evaluation_failed);
}

TEST(Solve, SameInputSameBits) {
  const Eigen::Matrix3d m{{4, -1, 0.3}, {1, 2, -0.7}, {0.1, 0.2, 1}};
  const Problem p = lcp(sparse(m), Eigen::Vector3d(-1, 2, -3));
  const Result a = solve(p, Vector::Zero(3)), b = solve(p, Vector::Zero(3));
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.statistics.pivots, b.statistics.pivots);
}

}  // namespace
}  // namespace pegrasp::mcp
