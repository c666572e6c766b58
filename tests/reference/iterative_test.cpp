// SPDX-License-Identifier: Apache-2.0
// The first-order solvers of problem files, against closed solutions and against each other; friction problems as MCPs.
#include <gtest/gtest.h>

#include "src/reference/compare/iterative.hpp"
#include "src/reference/io/friction_mcp.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/io_samples.hpp"

namespace pegrasp {
namespace {

using namespace reference;
using test::sparse;

const std::vector<IterativeMethod> methods{IterativeMethod::jacobi, IterativeMethod::pgs, IterativeMethod::nncg,
                                           IterativeMethod::aj};

IterativeOptions to(double tolerance) {
  IterativeOptions options;
  options.tolerance = tolerance;
  return options;
}

TEST(Iterative, ParticleSticksAndSlidesByCoulombsLaw) {
  for (const IterativeMethod method : methods) {
    for (const double push : {0.0, 0.3, 0.999, 1.001, 5.0}) {  // of mu * press
      for (const int dimension : {2, 3}) {
        const mcp::Vector along =
            dimension == 2 ? mcp::Vector(mcp::Vector::Constant(1, 1.0)) : mcp::Vector(Eigen::Vector2d(0.6, -0.8));
        const FrictionProblem problem = test::particle(dimension, 2.0, 3.0, 0.4 * 3.0 * push * along, 0.4);
        const IterativeResult result = solve_iterative(problem, method, to(1e-12));
        EXPECT_EQ(result.status, mcp::Status::solved);
        EXPECT_LT((result.x - test::particle_impulse(problem, 2.0)).norm(), 1e-11);
      }
    }
  }
}

TEST(Iterative, ParticleThatLeavesCarriesNothing) {
  for (const IterativeMethod method : methods) {
    const FrictionProblem problem = test::particle(3, 2.0, -1.0, Eigen::Vector2d(3.0, 4.0), 0.5);
    const IterativeResult result = solve_iterative(problem, method, to(1e-12));
    EXPECT_EQ(result.status, mcp::Status::solved);
    EXPECT_EQ(result.x, mcp::Vector::Zero(3));
  }
}

TEST(Iterative, RandomContactsAreSolvedByAll) {
  const std::uint64_t seed = test::fuzz_seed(1);
  for (std::uint64_t k = 0; k < 20; ++k) {
    const FrictionProblem problem = test::random_friction(k % 2 == 0 ? 2 : 3, 6, seed + k);
    for (const IterativeMethod method : methods) {
      const IterativeResult result = solve_iterative(problem, method, to(1e-8));
      EXPECT_EQ(result.status, mcp::Status::solved) << "method " << static_cast<int>(method) << " seed " << seed + k;
      EXPECT_NEAR(friction_residual(problem, result.x), result.residual, 1e-14);
    }
  }
}

// -x'' = 1 over an obstacle at 0.1 from above, l = 0: a solution at both bounds and in between, unique.
TEST(Iterative, BoundedObstacleProblem) {
  const int n = 21;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  const double step = 1.0 / (n + 1);
  for (int i = 0; i < n; ++i) {
    m(i, i) = 2.0;
    if (i > 0) m(i, i - 1) = m(i - 1, i) = -1.0;
  }
  StoredMcp problem;
  problem.m = sparse(m);
  problem.q = mcp::Vector::Constant(n, -4.0 * step * step);
  problem.lower = mcp::Vector::Zero(n);
  problem.upper = mcp::Vector::Constant(n, 0.1);
  problem.start = mcp::Vector::Zero(n);
  for (const IterativeMethod method : methods) {
    const IterativeResult result = solve_iterative(problem, method, to(1e-12));
    EXPECT_EQ(result.status, mcp::Status::solved);
    EXPECT_NEAR(result.x[n / 2], 0.1, 1e-12);
    // Free of the obstacle x'' = -4 with x(0) = 0, touching it: within a cell of x(s) = 0.1 - 2 (a - s)^2, a =
    // sqrt(0.05).
    for (int i = 0; i < 4; ++i) {
      const double s = step * (i + 1);
      EXPECT_NEAR(result.x[i], 0.1 - 2.0 * std::pow(std::sqrt(0.05) - s, 2), 4.0 * step * step);
    }
  }
}

TEST(Iterative, SaysWhereItDoesNotApply) {
  StoredMcp problem;
  problem.m = sparse((Eigen::Matrix2d() << 1.0, -1.0, 1.0, 0.0).finished());
  problem.q = Eigen::Vector2d(-1.0, -1.0);
  problem.lower = problem.start = mcp::Vector::Zero(2);
  problem.upper = mcp::Vector::Constant(2, mcp::infinity);
  for (const IterativeMethod method : methods) {
    const IterativeResult result = solve_iterative(problem, method);
    EXPECT_FALSE(result.applies);
    EXPECT_EQ(result.message, "needs a positive diagonal; row 1 has none");
    StoredMcp bent = problem;
    bent.quadratic = {{0, 0, 0, 1.0}};
    EXPECT_FALSE(solve_iterative(bent, method).applies);
  }
}

TEST(Iterative, LimitsAreReported) {
  const FrictionProblem problem = test::random_friction(3, 8, 3);
  IterativeOptions options = to(1e-14);
  options.max_iterations = 3;
  for (const IterativeMethod method : methods) {
    const IterativeResult result = solve_iterative(problem, method, options);
    EXPECT_EQ(result.status, mcp::Status::iteration_limit);
    EXPECT_EQ(result.iterations, 3);
    EXPECT_NEAR(friction_residual(problem, result.x), result.residual, 1e-14);
  }
}

// --- as complementarity problems ------------------------------------------------------------------------------------

double residual_of(const FrictionMcp& mcp, const mcp::Vector& x) {
  const mcp::Problem problem = to_problem(mcp.stored);
  mcp::Vector f;
  EXPECT_TRUE(problem.evaluate(x, f, nullptr));
  return mcp::natural_residual(x, f, problem.lower, problem.upper);
}

TEST(FrictionMcp, HasTheClosedSolutions) {
  for (const double push : {0.0, 0.5, 3.0}) {
    for (const int dimension : {2, 3}) {
      // In 3D along the pyramid's third direction, where it is exact too.
      const mcp::Vector along =
          dimension == 2 ? mcp::Vector(mcp::Vector::Constant(1, -1.0)) : mcp::Vector(Eigen::Vector2d(0.0, -1.0));
      const FrictionProblem problem = test::particle(dimension, 0.5, 2.0, push * along, 0.4);
      const mcp::Vector r = test::particle_impulse(problem, 0.5);
      EXPECT_LT(friction_residual(problem, r), 1e-15);
      for (const FrictionMcp& mcp : {linearised_mcp(problem), quadratic_mcp(problem)}) {
        const mcp::Vector x = unknowns(mcp, problem, r);
        EXPECT_LT(residual_of(mcp, x), 1e-14) << push << ' ' << dimension << ' ' << mcp.directions;
        EXPECT_LT((impulses(mcp, x) - r).norm(), 1e-14);
      }
    }
  }
}

TEST(FrictionMcp, ImpulsesAreReadAsTheyWereWritten) {
  const FrictionProblem problem = test::random_friction(3, 5, 9);
  const IterativeResult result = solve_iterative(problem, IterativeMethod::nncg, to(1e-12));
  ASSERT_EQ(result.status, mcp::Status::solved);
  for (const FrictionMcp& mcp : {linearised_mcp(problem, 5), linearised_mcp(problem, 8), quadratic_mcp(problem)}) {
    EXPECT_LT((impulses(mcp, unknowns(mcp, problem, result.x)) - result.x).norm(), 1e-13);
  }
  EXPECT_LT(residual_of(quadratic_mcp(problem), unknowns(quadratic_mcp(problem), problem, result.x)), 1e-10);
}

TEST(FrictionMcp, JacobianIsTheDerivative) {
  const FrictionProblem problem = test::random_friction(3, 3, 11);
  const mcp::Problem mcp = to_problem(quadratic_mcp(problem).stored);
  const mcp::Vector x = mcp::Vector::LinSpaced(mcp.lower.size(), -0.4, 0.9);
  mcp::Vector f, ahead, behind;
  mcp::SparseMatrix jacobian;
  ASSERT_TRUE(mcp.evaluate(x, f, &jacobian));
  const double step = 0.125;  // central differences are exact for quadratics
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    mcp::Vector moved = x;
    moved[j] += step;
    mcp.evaluate(moved, ahead, nullptr);
    moved[j] -= 2.0 * step;
    mcp.evaluate(moved, behind, nullptr);
    EXPECT_LT(((ahead - behind) / (2.0 * step) - jacobian.col(j)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace pegrasp
