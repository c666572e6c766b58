// SPDX-License-Identifier: Apache-2.0
// The loader of PATH's library, with a stand-in that has the same interface; and, where the environment variable
// PEGRASP_PATH_LIBRARY names a real one, PATH itself.
#include "src/reference/mcp/path_library.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>

#include "src/reference/mcp/lexicographic_lemke.hpp"
#include "tests/places.hpp"

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;

std::string message_of(const std::string& file) {
  try {
    PathLibrary library(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Diagonally dominant: one solution, which Newton's method finds.
Problem dominant(int n, int seed, Vector& q, SparseMatrix& m) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  Matrix dense = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j) dense(i, j) = normal(random) / 3.0;
    dense(i, i) = 3.0;
  }
  m = dense.sparseView();
  q = Vector::NullaryExpr(n, [&] { return 4.0 * normal(random); });
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, infinity);
  for (int i = 0; i < n; i += 3) lower[i] = -infinity;
  for (int i = 1; i < n; i += 3) upper[i] = 0.5;
  return linear_problem(m, q, lower, upper);
}

// 1 <= x1  ⊥  x1^2 - 4, and 0 = x2 - x1^2 + 2 x1: (2, 0). From x1 = 1 on the Jacobian gains an entry.
Problem nonlinear() {
  Problem problem;
  problem.lower = Vector{{1.0, -infinity}};
  problem.upper = Vector::Constant(2, infinity);
  problem.evaluate = [](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f = Vector{{x[0] * x[0] - 4.0, x[1] - x[0] * x[0] + 2.0 * x[0]}};
    if (jacobian) {
      Matrix j(2, 2);
      j << 2.0 * x[0], 0.0, 2.0 - 2.0 * x[0], 1.0;
      *jacobian = j.sparseView();
    }
    return true;
  };
  return problem;
}

// As those of solve() and of Lemke's method.
void expect_same_answers(const Problem& problem, const SparseMatrix& m, const Vector& q, const Result& r) {
  const Result ours = solve(problem, Vector::Zero(q.size()));
  ASSERT_EQ(ours.status, Status::solved);
  EXPECT_LT((r.x - ours.x).cwiseAbs().maxCoeff(), 1e-8);
  const Result lemke = solve_lexicographic_lemke(m, q, problem.lower, problem.upper, 10000);
  ASSERT_EQ(lemke.status, Status::solved);
  EXPECT_LT((r.x - lemke.x).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(PathLibrary, SaysWhatIsWrongWithTheFile) {
  EXPECT_NE(message_of("/nowhere/libpath50.so").find("PATH cannot be loaded: /nowhere/libpath50.so"),
            std::string::npos);
  EXPECT_NE(message_of("libm.so.6").find("libm.so.6 is not the PATH library: it has no Path_Version"),
            std::string::npos);
  EXPECT_EQ(message_of("/nowhere/x").find('\n'), std::string::npos);
}

class FakePath : public testing::Test {
 protected:
  void SetUp() override {
    // The binaries alone may have been moved to another machine.
    const std::string file = test::fake_library();
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
    library = std::make_unique<PathLibrary>(file);
  }
  std::unique_ptr<PathLibrary> library;
};

TEST_F(FakePath, SolvesAndCounts) {
  EXPECT_EQ(library->version(), "Fake path 0.0");
  for (int seed = 0; seed < 20; ++seed) {
    Vector q;
    SparseMatrix m;
    const Problem problem = dominant(12, seed, q, m);
    const Result r = library->solve(problem, Vector::Zero(12));
    ASSERT_EQ(r.status, Status::solved) << r.message;
    EXPECT_LE(r.residual, 1e-10);
    EXPECT_GT(r.statistics.jacobian_evaluations, 0);
    expect_same_answers(problem, m, q, r);
  }
}

TEST_F(FakePath, JacobiansMayGainEntries) {
  const Result r = library->solve(nonlinear(), Vector{{1.0, 0.0}});
  ASSERT_EQ(r.status, Status::solved) << r.message;
  EXPECT_NEAR(r.x[0], 2.0, 1e-10);
  EXPECT_NEAR(r.x[1], 0.0, 1e-9);
}

TEST_F(FakePath, TerminationCodes) {
  Vector q;
  SparseMatrix m;
  const Problem problem = dominant(5, 1, q, m);
  const auto status = [&](int code) {
    PathSettings settings;
    settings.options = {"fake_termination " + std::to_string(code)};
    return library->solve(problem, Vector::Zero(5), {}, settings).status;
  };
  EXPECT_EQ(status(1), Status::solved);
  EXPECT_EQ(status(2), Status::no_progress);
  EXPECT_EQ(status(3), Status::iteration_limit);
  EXPECT_EQ(status(4), Status::pivot_limit);
  EXPECT_EQ(status(5), Status::time_limit);
  EXPECT_EQ(status(6), Status::no_progress);
  EXPECT_EQ(status(7), Status::bad_input);
  EXPECT_EQ(status(8), Status::evaluation_failed);
  EXPECT_EQ(status(9), Status::no_progress);  // "infeasible" is no proof
  EXPECT_EQ(status(10), Status::no_progress);
  EXPECT_EQ(status(12), Status::bad_input);
}

TEST_F(FakePath, SolvedIsMeasuredHere) {
  PathSettings settings;
  settings.options = {"convergence_tolerance 100"};
  Vector q;
  SparseMatrix m;
  const Result r = library->solve(dominant(5, 1, q, m), Vector::Zero(5), {}, settings);
  EXPECT_EQ(r.status, Status::no_progress);
  EXPECT_EQ(r.message.find("PATH says solved; the natural residual is "), 0u);
}

TEST_F(FakePath, LicenceAndLogAndOptions) {
  Vector q;
  SparseMatrix m;
  const Problem problem = dominant(30, 1, q, m);
  const Result refused = library->solve(problem, Vector::Zero(30));
  EXPECT_EQ(refused.status, Status::bad_input);
  EXPECT_NE(refused.message.find("30 variables"), std::string::npos);
  std::string log;
  PathSettings settings;
  settings.license = "fake";
  settings.log = &log;
  EXPECT_EQ(library->solve(problem, Vector::Zero(30), {}, settings).status, Status::solved);
  EXPECT_EQ(log, "Fake path solves\n");
  settings.license = "none";
  EXPECT_EQ(library->solve(problem, Vector::Zero(30), {}, settings).status, Status::bad_input);
  settings.options = {"no_such_option 1"};
  const Result option = library->solve(problem, Vector::Zero(30), {}, settings);
  EXPECT_EQ(option.status, Status::bad_input);
  EXPECT_EQ(option.message, "PATH does not take the option \"no_such_option 1\"");
}

TEST_F(FakePath, CallbacksThatFailOrThrow) {
  Problem problem = nonlinear();
  problem.evaluate = [](const Vector&, Vector&, SparseMatrix*) { return false; };
  EXPECT_EQ(library->solve(problem, Vector::Zero(2)).status, Status::evaluation_failed);
  int calls = 0;
  Problem later = nonlinear();
  later.evaluate = [&, inner = nonlinear().evaluate](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    if (++calls > 1) throw std::logic_error("thrown in F");
    return inner(x, f, jacobian);
  };
  EXPECT_THROW(library->solve(later, Vector::Ones(2)), std::logic_error);
  EXPECT_EQ(library->solve(nonlinear(), Vector{{1.0, 0.0}}).status, Status::solved);  // and usable afterwards
}

TEST_F(FakePath, BadInput) {
  Problem problem = nonlinear();
  EXPECT_EQ(library->solve(problem, Vector::Zero(3)).status, Status::bad_input);
  EXPECT_EQ(library->solve(problem, Vector{{std::nan(""), 0.0}}).status, Status::bad_input);
  problem.upper[0] = 0.0;
  EXPECT_EQ(library->solve(problem, Vector::Zero(2)).status, Status::bad_input);
}

TEST_F(FakePath, ThreadsTakeTurns) {
  std::atomic<int> solved = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        Vector q;
        SparseMatrix m;
        solved += library->solve(dominant(10, 20 * t + k, q, m), Vector::Zero(10)).status == Status::solved;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(solved, 80);
}

class RealPath : public testing::Test {
 protected:
  void SetUp() override {
    const char* file = std::getenv("PEGRASP_PATH_LIBRARY");
    if (!file || !*file) GTEST_SKIP() << "PEGRASP_PATH_LIBRARY names no library: see docs/reference/stored-problems.md";
    library = std::make_unique<PathLibrary>(file);
  }
  std::unique_ptr<PathLibrary> library;
};

TEST_F(RealPath, AgreesOnLinearProblems) {
  for (int seed = 0; seed < 50; ++seed) {
    Vector q;
    SparseMatrix m;
    const int n = 10 + 2 * seed;
    const Problem problem = dominant(n, seed, q, m);
    const Result r = library->solve(problem, Vector::Zero(n));
    ASSERT_EQ(r.status, Status::solved) << r.message;
    expect_same_answers(problem, m, q, r);
  }
}

TEST_F(RealPath, NonlinearProblemsAndGrowingJacobians) {
  const Result r = library->solve(nonlinear(), Vector{{1.0, 0.0}});
  ASSERT_EQ(r.status, Status::solved) << r.message;
  EXPECT_NEAR(r.x[0], 2.0, 1e-9);
  EXPECT_NEAR(r.x[1], 0.0, 1e-8);
}

TEST_F(RealPath, PrintsToTheLogAndTakesOptions) {
  std::string log;
  PathSettings settings;
  settings.log = &log;
  settings.options = {"crash_method none"};
  EXPECT_EQ(library->solve(nonlinear(), Vector{{1.0, 0.0}}, {}, settings).status, Status::solved);
  EXPECT_NE(log.find("Path"), std::string::npos);
  settings.options = {"no_such_option 1"};
  EXPECT_EQ(library->solve(nonlinear(), Vector{{1.0, 0.0}}, {}, settings).status, Status::bad_input);
}

TEST_F(RealPath, IsRefusedBySizeOrSolves) {
  Vector q;
  SparseMatrix m;
  const Result r = library->solve(dominant(1000, 1, q, m), Vector::Zero(1000));
  if (r.status == Status::bad_input)
    EXPECT_NE(r.message.find("licence"), std::string::npos) << r.message;
  else
    EXPECT_EQ(r.status, Status::solved) << r.message;
}

}  // namespace
}  // namespace pegrasp::mcp
