// SPDX-License-Identifier: Apache-2.0
// The solvers of Williams' table 6.2 beside the pivotal ones: Fischer-Newton, minmap-Newton, interior point, fixed
// point, and Gauss-Seidel and Jacobi with an augmented diagonal. Closed solutions, random problems, the steps of a
// scene.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "src/reference/compare/attempt.hpp"
#include "src/reference/compare/iterative.hpp"
#include "src/reference/io/step_source.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/io_samples.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/polygon_box.hpp"

namespace pegrasp {
namespace {

using namespace reference;

const std::vector<std::string> smooth_solvers{"fischer-newton", "minmap-newton", "interior-point", "fixed-point"};

StoredMcp box_problem(const Eigen::MatrixXd& m, const mcp::Vector& q, double lower, double upper) {
  StoredMcp stored;
  stored.m = test::sparse(m);
  stored.q = q;
  stored.lower = mcp::Vector::Constant(q.size(), lower);
  stored.upper = mcp::Vector::Constant(q.size(), upper);
  stored.start = mcp::Vector::Zero(q.size());
  return stored;
}

StoredProblem of(StoredMcp stored) {
  StoredProblem problem;
  problem.content = std::move(stored);
  return problem;
}

// One unknown: F = x - c on [-1, 1], on x >= 0, on x <= 0 and without bounds. x is c, projected.
TEST(TableSolvers, OneUnknownByHand) {
  const double bounds[][2] = {
      {-1.0, 1.0}, {0.0, mcp::infinity}, {-mcp::infinity, 0.0}, {-mcp::infinity, mcp::infinity}};
  for (const auto& [lower, upper] : bounds) {
    for (const double c : {-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 7.0}) {
      const StoredProblem problem =
          of(box_problem(Eigen::MatrixXd::Ones(1, 1), mcp::Vector::Constant(1, -c), lower, upper));
      for (const std::string& solver : smooth_solvers) {
        const Attempt done = attempt(problem, solver, {});
        EXPECT_EQ(done.outcome, Outcome::solved) << solver << ": " << done.message;
        EXPECT_LE(done.residual, 1e-6);
      }
    }
  }
}

// A resting particle whose pyramid makes the matrix singular, and a matrix with no positive entry on its diagonal.
TEST(TableSolvers, ZeroDiagonal) {
  Eigen::MatrixXd m(2, 2);
  m << 0.0, 1.0, -1.0, 0.0;  // F = (y - 1, 1 - x): x = y = 1
  const StoredProblem problem = of(box_problem(m, Eigen::Vector2d(-1.0, 1.0), 0.0, mcp::infinity));
  for (const std::string& solver : smooth_solvers)
    EXPECT_EQ(attempt(problem, solver, {}).outcome, Outcome::solved) << solver;
  EXPECT_EQ(attempt(problem, "pgs", {}).outcome, Outcome::not_applicable);
  EXPECT_EQ(attempt(problem, "pgs-augmented", {}).outcome, Outcome::unsolved);
}

TEST(TableSolvers, RandomMonotoneProblems) {
  const std::uint64_t seed = test::fuzz_seed(61);
  for (std::uint64_t k = 0; k < 40; ++k) {
    std::srand(static_cast<unsigned>(seed + k));
    const Eigen::Index n = 3 + static_cast<Eigen::Index>(k % 9);
    const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n), skew = Eigen::MatrixXd::Random(n, n);
    const Eigen::MatrixXd m = a * a.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + skew - skew.transpose();
    const StoredProblem problem =
        of(box_problem(m, 3.0 * mcp::Vector::Random(n), k % 2 == 0 ? 0.0 : -0.5, k % 3 == 0 ? mcp::infinity : 0.7));
    for (const std::string& solver : smooth_solvers) {
      const Attempt done = attempt(problem, solver, {});
      EXPECT_EQ(done.outcome, Outcome::solved) << solver << " seed " << seed + k << ": " << done.message;
    }
  }
}

// F = x^2 - 4 on x >= 0: the Newton kinds and the fixed point take nonlinear problems, the interior point says no.
TEST(TableSolvers, NonlinearOnes) {
  StoredMcp stored = box_problem(Eigen::MatrixXd::Zero(1, 1), mcp::Vector::Constant(1, -4.0), 0.0, mcp::infinity);
  stored.quadratic = {{0, 0, 0, 1.0}};
  stored.start[0] = 3.0;
  for (const char* solver : {"fischer-newton", "minmap-newton", "fixed-point"})
    EXPECT_EQ(attempt(of(stored), solver, {}).outcome, Outcome::solved) << solver;
  EXPECT_EQ(attempt(of(stored), "interior-point", {}).outcome, Outcome::not_applicable);
}

// x >= 0 with F = -1 - x has no solution: all end, and none claims one.
TEST(TableSolvers, NoSolutionIsNoneFound) {
  const StoredProblem problem =
      of(box_problem(-Eigen::MatrixXd::Ones(1, 1), mcp::Vector::Constant(1, -1.0), 0.0, mcp::infinity));
  for (const std::string& solver : smooth_solvers)
    EXPECT_EQ(attempt(problem, solver, {}).outcome, Outcome::unsolved) << solver;
}

// With epsilon on the diagonal, F = a x - 1 becomes (a + epsilon) x - 1: x is off by 1/a - 1/(a + epsilon).
TEST(TableSolvers, AugmentationShiftsTheSolution) {
  const StoredMcp stored =
      box_problem(2.0 * Eigen::MatrixXd::Ones(1, 1), mcp::Vector::Constant(1, -1.0), 0.0, mcp::infinity);
  for (const IterativeMethod method : {IterativeMethod::jacobi, IterativeMethod::pgs}) {
    IterativeOptions options;
    options.augmentation = 0.5;
    options.tolerance = 0.0;
    options.max_iterations = 200;
    const IterativeResult result = solve_iterative(stored, method, options);
    EXPECT_NEAR(stored.m.coeff(0, 0) * result.x[0] - 1.0, -0.2, 0.11);  // the best point may be one on the way
    EXPECT_GT(result.residual, 0.09);
  }
}

// 300 steps of the box of polygons without friction, as LCPs of the thesis' sets.
TEST(TableSolvers, NewtonKindsSolveFrictionlessSteps) {
  const SceneSpec scene = scenes::polygon_box(1, 0.0);
  StepOptions steps;
  steps.h = 0.01;
  steps.duration = 3.0;
  const StepOptions options = derive_options(steps, scene);
  Simulation simulation(compile_model(scene), options, scene_parameters(scene));
  StepSource source(scene, options, scene_parameters(scene), StepModel::peg);
  Formulation formulation;
  formulation.form = Form::lcp;
  int problems = 0;
  std::vector<int> solved(smooth_solvers.size());
  for (int step = 1; step <= 300; ++step) {
    if (const std::optional<StepProblem> next = source.next(simulation, step)) {
      ++problems;
      const StoredProblem problem = of(to_stored(*next, formulation));
      for (std::size_t s = 0; s < smooth_solvers.size(); ++s)
        solved[s] += attempt(problem, smooth_solvers[s], {}).outcome == Outcome::solved ? 1 : 0;
    }
    simulation.step();
  }
  EXPECT_GT(problems, 150);
  // The Newton kinds solve all; the others are for monotone problems, which sets with masks are not.
  const double least[] = {0.99, 0.99, 0.85, 0.85};
  for (std::size_t s = 0; s < smooth_solvers.size(); ++s)
    EXPECT_GE(solved[s], least[s] * problems) << smooth_solvers[s] << " solved " << solved[s] << " of " << problems;
}

}  // namespace
}  // namespace pegrasp
