// SPDX-License-Identifier: Apache-2.0
// The MCP solver on problems whose answers are known, and on input that is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pegrasp_reference/mcp.hpp"

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

// A heavy impulse somewhere excuses the rounding of its own row, no other's: the second row cannot hold.
TEST(Solve, RoundingOfOneRowExcusesNoOther) {
  for (const double big : {1.0, 1e5, 1e9}) {
    SparseMatrix m(2, 2);
    m.insert(0, 0) = 1.0;
    const Result result = solve(lcp(m, Vector{{-big, -5e-7}}), Vector::Zero(2));
    EXPECT_EQ(result.status, Status::infeasible) << big;
  }
}

// A body between walls that are `overlap` too near: what is asked for, a residual of 1e-10, can be had up to 2e-10.
TEST(Solve, ContradictionsBelowTheToleranceAreSolved) {
  Eigen::Matrix3d m;
  m << 1, -1, 1, 1, 0, 0, -1, 0, 0;
  const Vector lower{{-infinity, 0.0, 0.0}}, upper = Vector::Constant(3, infinity);
  const auto between = [&](double overlap, const Options& options) {
    const Problem p = linear_problem(sparse(m), Eigen::Vector3d(-0.3, -1.0, 1.0 - overlap), lower, upper);
    return solve(p, Vector::Zero(3), options);
  };
  Options paths;  // and nothing but paths: perturbed problems come near enough, too, up to some point
  paths.perturb = paths.globalise = paths.certify = false;
  for (const double overlap : {0.2e-10, 1.5e-10, 1.9e-10}) {
    const Result r = between(overlap, paths);
    EXPECT_EQ(r.status, Status::solved) << overlap << ' ' << r.message;
    EXPECT_LE(r.residual, 1e-10);
    EXPECT_EQ(r.rounding, 0.0);
    EXPECT_NEAR(r.x[0], 1.0, 2e-10);
  }
  EXPECT_EQ(between(1.9e-10, {}).status, Status::solved);
  paths.restarts = false;
  EXPECT_NE(between(1.5e-10, paths).status, Status::solved);
  EXPECT_EQ(between(3e-10, {}).status, Status::infeasible);
}

TEST(Solve, RoundingIsSaid) {
  SparseMatrix m(2, 2);
  m.insert(0, 0) = 1.0 / 3.0;
  m.insert(0, 1) = -1e9 / 7.0;
  m.insert(1, 1) = 3.0;
  Options options;
  options.tolerance = 1e-12;
  const Result result = solve(lcp(m, Vector{{-0.1, -1.0}}), Vector::Zero(2), options);
  ASSERT_EQ(result.status, Status::solved);
  EXPECT_LE(result.residual, std::max(options.tolerance, std::min(result.rounding, 1e-6)));
}

TEST(Solve, SameInputSameBits) {
  const Eigen::Matrix3d m{{4, -1, 0.3}, {1, 2, -0.7}, {0.1, 0.2, 1}};
  const Problem p = lcp(sparse(m), Eigen::Vector3d(-1, 2, -3));
  const Result a = solve(p, Vector::Zero(3)), b = solve(p, Vector::Zero(3));
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.statistics.pivots, b.statistics.pivots);
}

// Lemke's example of 1965 by hand: w = q + M z with M = [2 1; 1 2], q = (-5, -6), covered by e. The ray enters at z0 =
// 6 with row 2 blocking; z2 comes in, then z1, and z0 leaves: three pivots and no more.
TEST(SolveOptions, LemkeIsOnePathFromARay) {
  const Problem p = lcp(sparse(Eigen::Matrix2d{{2, 1}, {1, 2}}), Eigen::Vector2d(-5, -6));
  const Result r = solve(p, Vector::Zero(2), Options::lemke());
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_EQ(r.statistics.pivots, 3);
  EXPECT_EQ(r.statistics.majors, 1);
  EXPECT_EQ(r.statistics.restarts, 0);
}

TEST(SolveOptions, LemkeEndsOnARayWhereThereIsNoSolution) {
  // w = -1 - x: no x >= 0 makes it non-negative.
  const Problem p = lcp(sparse(Eigen::MatrixXd::Constant(1, 1, -1.0)), Vector::Constant(1, -1.0));
  const Result r = solve(p, Vector::Zero(1), Options::lemke());
  EXPECT_EQ(r.status, Status::no_progress);
  EXPECT_FALSE(r.message.empty());
  EXPECT_EQ(solve(p, Vector::Zero(1)).status, Status::infeasible);
}

// F = exp(x) - 2 on x >= 0 from x = 1: Josephy's iterates are Newton's, x - 1 + 2 exp(-x), and nothing damps them.
TEST(SolveOptions, JosephyNewtonTakesFullSteps) {
  std::vector<double> visited;
  Problem p;
  p.lower = Vector::Zero(1);
  p.upper = Vector::Constant(1, infinity);
  p.evaluate = [&](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f = Vector::Constant(1, std::exp(x[0]) - 2.0);
    if (jacobian) {
      visited.push_back(x[0]);
      *jacobian = sparse(Eigen::MatrixXd::Constant(1, 1, std::exp(x[0])));
    }
    return true;
  };
  const Result r = solve(p, Vector::Constant(1, 1.0), Options::josephy_newton());
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], std::log(2.0), 1e-12);
  visited.erase(std::unique(visited.begin(), visited.end()), visited.end());
  ASSERT_GE(visited.size(), 5u);
  for (std::size_t k = 1; k < visited.size(); ++k) {
    EXPECT_NEAR(visited[k], visited[k - 1] - 1.0 + 2.0 * std::exp(-visited[k - 1]), 1e-12) << k;
  }
}

// atan from x = 2 is where undamped Newton diverges, and the search does not.
TEST(SolveOptions, TheSearchConvergesWhereFullStepsDiverge) {
  Problem p;
  p.lower = Vector::Constant(1, -infinity);
  p.upper = Vector::Constant(1, infinity);
  p.evaluate = [](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f = Vector::Constant(1, std::atan(x[0]));
    if (jacobian) *jacobian = sparse(Eigen::MatrixXd::Constant(1, 1, 1.0 / (1.0 + x[0] * x[0])));
    return true;
  };
  EXPECT_NE(solve(p, Vector::Constant(1, 2.0), Options::josephy_newton()).status, Status::solved);
  const Result r = solve(p, Vector::Constant(1, 2.0));
  ASSERT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.x[0], 0.0, 1e-10);
}

TEST(SolveOptions, TheCrashFindsTheActiveSetOfAnObstacle) {
  // -u'' = -1 over an obstacle, as a tridiagonal LCP: the crash alone brings it near, no pivot is left to do.
  const int n = 60;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2.0);
    if (i > 0) entries.emplace_back(i, i - 1, -1.0);
    if (i + 1 < n) entries.emplace_back(i, i + 1, -1.0);
  }
  SparseMatrix m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  Vector q(n);
  for (int i = 0; i < n; ++i) q[i] = i < n / 2 ? 0.1 : -0.1;
  Problem p = lcp(m, q);
  p.linear = false;  // the crash belongs to the outer iteration
  Options with = Options::josephy_newton();
  const Result cold = solve(p, Vector::Zero(n), with);
  with.crash = true;
  const Result warm = solve(p, Vector::Zero(n), with);
  ASSERT_EQ(cold.status, Status::solved);
  ASSERT_EQ(warm.status, Status::solved);
  EXPECT_LT((cold.x - warm.x).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LT(warm.statistics.pivots, cold.statistics.pivots / 4);
}

TEST(SolveOptions, OptionsThatMakeNoSenseAreRefused) {
  SparseMatrix m(1, 1);
  m.insert(0, 0) = 1.0;
  const Problem problem = lcp(m, Vector{{-1.0}});
  const auto refused = [&](auto&& change) {
    Options options;
    change(options);
    const Result result = solve(problem, Vector::Zero(1), options);
    return result.status == Status::bad_input && !result.message.empty();
  };
  const double nan = std::nan("");
  EXPECT_TRUE(refused([](Options& o) { o.memory = 0; }));
  EXPECT_TRUE(refused([](Options& o) { o.memory = -1; }));
  EXPECT_TRUE(refused([](Options& o) { o.refactor_interval = 0; }));
  EXPECT_TRUE(refused([](Options& o) { o.certify_nodes = -1; }));
  EXPECT_TRUE(refused([](Options& o) { o.max_majors = -1; }));
  EXPECT_TRUE(refused([](Options& o) { o.max_pivots = -1; }));
  EXPECT_TRUE(refused([&](Options& o) { o.time_limit_s = nan; }));
  EXPECT_TRUE(refused([&](Options& o) { o.regularisation = nan; }));
  EXPECT_TRUE(refused([](Options& o) { o.pivot_tolerance = 0.0; }));
  EXPECT_TRUE(refused([](Options& o) { o.feasibility_tolerance = -1e-6; }));
  EXPECT_FALSE(refused([](Options&) {}));
}

TEST(SolveOptions, LimitsAreReported) {
  const Problem p = lcp(sparse(Eigen::Matrix2d{{2, 1}, {1, 2}}), Eigen::Vector2d(-5, -6));
  Options o;
  o.certify = false;  // which might meet the solution
  o.max_pivots = 1;
  EXPECT_EQ(solve(p, Vector::Zero(2), o).status, Status::pivot_limit);
  o.max_pivots = 100;
  o.time_limit_s = 0.0;
  EXPECT_EQ(solve(p, Vector::Zero(2), o).status, Status::time_limit);
}

}  // namespace
}  // namespace pegrasp::mcp
