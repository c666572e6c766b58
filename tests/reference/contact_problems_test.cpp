// SPDX-License-Identifier: Apache-2.0
// Problems captured from running scenes: there are some of every family, and they are finite.
#include <gtest/gtest.h>

#include <map>

#include "tests/reference/problems/contact_sets.hpp"
#include "tests/reference/steps.hpp"

namespace pegrasp::reference {
namespace {

TEST(ContactProblems, EveryFamilyIsThere) {
  test::CaptureOptions options;
  options.boxes = 1;
  options.steps = {0.004, 0.016};
  const auto problems = test::captured_problems(options);
  std::map<std::string, int> count;
  std::map<std::string, Eigen::Index> largest;
  for (const test::CapturedProblem& p : problems) {
    ++count[p.family];
    largest[p.family] = std::max(largest[p.family], p.formulated.start.size());
    EXPECT_TRUE(p.formulated.problem.linear);
    mcp::Vector f;
    ASSERT_TRUE(p.formulated.problem.evaluate(p.formulated.start, f, nullptr));
    EXPECT_TRUE(f.allFinite()) << p.name;
  }
  EXPECT_EQ(count.size(), 10u);
  for (const auto& [family, n] : count) {
    EXPECT_GE(n, 4) << family;
    std::cout << family << ": " << n << " problems of at most " << largest[family] << " rows\n";
  }
}

// Models whose constraints cannot contradict each other at these steps: every one solved, by a cold start. The standard
// model with all facets may trap a body (W figure 5.12): solved, or shown to have no solution.
TEST(ContactProblemsLong, AreSolvedOrShownToHaveNoSolution) {
  test::CaptureOptions options;
  options.boxes = 1;
  options.steps = {0.001, 0.004};
  options.forms = {Form::lcp, Form::mixed};
  int solved = 0, infeasible = 0;
  for (const test::CapturedProblem& p : test::captured_problems(options)) {
    const mcp::Problem& problem = p.formulated.problem;
    const mcp::Result result = mcp::solve(problem, p.formulated.start);
    if (result.status == mcp::Status::infeasible) {
      EXPECT_EQ(p.sets, ContactSets::standard_all) << p.name;
      mcp::Vector f;
      mcp::SparseMatrix m;
      ASSERT_TRUE(problem.evaluate(p.formulated.start, f, &m));
      std::string why;
      EXPECT_TRUE(
          mcp::check_certificate(m, f - m * p.formulated.start, problem.lower, problem.upper, result.certificate, &why))
          << p.name << ": " << why;
      ++infeasible;
      continue;
    }
    ASSERT_EQ(result.status, mcp::Status::solved) << p.name << ' ' << result.residual;
    mcp::Vector f;
    ASSERT_TRUE(problem.evaluate(result.x, f, nullptr));
    EXPECT_LE(mcp::natural_residual(result.x, f, problem.lower, problem.upper),
              std::max(1e-10, std::min(result.rounding, 1e-6)))
        << p.name;
    ++solved;
  }
  std::cout << solved << " solved, " << infeasible << " shown to have no solution\n";
  EXPECT_GT(solved, 100);
}

}  // namespace
}  // namespace pegrasp::reference
