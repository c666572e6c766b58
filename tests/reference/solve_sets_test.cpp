// SPDX-License-Identifier: Apache-2.0
// solve() over every problem set: what it claims is true, assessed without it; what it solved when this was written it
// still solves; and where a book prints a solution it is that one. Families that take seconds are in ...Long....
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {
namespace {

struct Expected {
  int solved = 0;      // runs (a problem from one start) solved, at least
  int infeasible = 0;  // runs shown to be infeasible, at least
};

// Measured. A change that raises a number raises it here.
const std::map<std::string, Expected>& expectations() {
  static const std::map<std::string, Expected> table = {
      // clang-format off
      {"kojima", {16, 0}}, {"billups", {5, 0}}, {"mathiesen", {6, 0}}, {"nash", {11, 0}}, {"kanzow", {4, 0}},
      {"traffic", {9, 0}}, {"box_programs", {7, 0}}, {"programs", {8, 0}}, {"choi", {1, 0}}, {"pies", {1, 0}},
      {"scarf", {2, 0}}, {"von_thunen", {1, 0}}, {"obstacle", {12, 0}}, {"obstacle_large", {4, 0}},
      {"bearing", {4, 0}}, {"bratu", {14, 0}}, {"lubrication", {4, 0}}, {"exponential", {20, 0}}, {"cycling", {6, 0}},
      {"degenerate", {20, 0}}, {"bimatrix", {15, 0}}, {"definite", {12, 0}}, {"p_matrix", {12, 0}},
      {"harker_pang", {12, 0}}, {"copositive", {12, 0}}, {"semidefinite", {12, 0}}, {"m_matrix", {6, 0}},
      {"m_matrix_large", {1, 0}}, {"general", {22, 0}}, {"general_mixed", {20, 0}}, {"box_quadratic", {12, 0}},
      {"box_general", {24, 0}}, {"linear_program", {12, 0}}, {"quadratic_program", {12, 0}},
      {"ill_conditioned", {16, 0}}, {"ill_scaled", {12, 0}}, {"monotone_mixed", {12, 0}}, {"infeasible", {0, 48}},
      {"not_complementary", {0, 25}},
      // clang-format on
  };
  return table;
}

double residual_of(const NamedProblem& problem, const Vector& x) {
  const mcp::Problem& p = problem.problem;
  if (x.size() != p.lower.size()) return mcp::infinity;
  if ((x.array() < p.lower.array()).any() || (x.array() > p.upper.array()).any()) return mcp::infinity;
  Vector f;
  return p.evaluate(x, f, nullptr) ? mcp::natural_residual(x, f, p.lower, p.upper) : mcp::infinity;
}

void check(const Family& family) {
  const mcp::Options options;
  int solved = 0, infeasible = 0;
  for (const NamedProblem& problem : family.make()) {
    for (std::size_t start = 0; start < problem.starts.size(); ++start) {
      SCOPED_TRACE(problem.name + " from start " + std::to_string(start));
      const mcp::Result result = mcp::solve(problem.problem, problem.starts[start], options);
      const double residual = residual_of(problem, result.x);
      EXPECT_NE(result.status, mcp::Status::bad_input) << result.message;
      EXPECT_LT(residual, mcp::infinity) << "x is not in its bounds, or F is not defined there";
      EXPECT_NEAR(result.residual, residual, 1e-9 * (1.0 + residual)) << "the residual is not that of x";
      if (result.status == mcp::Status::solved) {
        EXPECT_LE(residual, options.tolerance);
        EXPECT_NE(problem.answer, Answer::infeasible) << "solved what has no solution";
        ++solved;
      } else if (result.status == mcp::Status::infeasible) {
        ASSERT_TRUE(problem.linear);
        std::string why;
        EXPECT_TRUE(mcp::check_certificate(problem.linear->m, problem.linear->q, problem.problem.lower,
                                           problem.problem.upper, result.certificate, &why))
            << why;
        EXPECT_NE(problem.answer, Answer::solvable) << "showed infeasible what has a solution";
        ++infeasible;
      }
    }
  }
  ASSERT_TRUE(expectations().contains(family.name)) << "a family without a measured minimum";
  const Expected& expected = expectations().at(family.name);
  EXPECT_GE(solved, expected.solved);
  EXPECT_GE(infeasible, expected.infeasible);
  testing::Test::RecordProperty("solved", solved);
  testing::Test::RecordProperty("infeasible", infeasible);
}

std::vector<Family> chosen(bool large) {
  std::vector<Family> families_chosen;
  for (Family& family : families()) {
    if (family.large == large) families_chosen.push_back(std::move(family));
  }
  return families_chosen;
}

std::string family_name(const testing::TestParamInfo<Family>& info) { return info.param.name; }

class SolveSets : public testing::TestWithParam<Family> {};
TEST_P(SolveSets, ClaimsHold) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Families, SolveSets, testing::ValuesIn(chosen(false)), family_name);

class SolveSetsLong : public testing::TestWithParam<Family> {};
TEST_P(SolveSetsLong, ClaimsHold) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Families, SolveSetsLong, testing::ValuesIn(chosen(true)), family_name);

const NamedProblem& find(const std::vector<NamedProblem>& problems, const std::string& name) {
  for (const NamedProblem& problem : problems) {
    if (problem.name == name) return problem;
  }
  throw std::invalid_argument("no problem " + name);
}

// The printed digits of some of the variables, beginning with `first`.
void expect_printed(const std::string& family_name, const std::string& name, int first, const Vector& printed,
                    double digits) {
  for (const Family& family : families()) {
    if (family.name != family_name) continue;
    const std::vector<NamedProblem> problems = family.make();
    const NamedProblem& problem = find(problems, name);
    const mcp::Result result = mcp::solve(problem.problem, problem.starts.front());
    ASSERT_EQ(result.status, mcp::Status::solved) << name;
    const Vector part = result.x.segment(first, printed.size());
    EXPECT_LE((part - printed).lpNorm<Eigen::Infinity>(), digits) << name << ": " << part.transpose();
  }
}

TEST(SolveSetsPrinted, Oligopoly) {
  expect_printed("nash", "nash5", 0, vector({36.93, 41.82, 43.71, 42.66, 39.18}), 0.006);
}

TEST(SolveSetsPrinted, Programs) {
  expect_printed("programs", "hs66", 0, vector({0.1841264879, 1.202167873, 3.327322322}), 1e-8);
  expect_printed("programs", "hs71", 0, vector({1.0, 4.7429994, 3.8211503, 1.3794082}), 1e-6);
  expect_printed("programs", "hs86", 0, vector({0.3, 0.33346761, 0.4, 0.42831010, 0.22396487}), 1e-7);
  expect_printed(
      "programs", "hs113", 0,
      vector({2.171996, 2.363683, 8.773926, 5.095984, 0.9906548, 1.430574, 1.321644, 9.828726, 8.280092, 8.375927}),
      1e-6);
}

// Incomes of the four consumers.
TEST(SolveSetsPrinted, Hansen) {
  expect_printed("scarf", "hansen", 40, vector({5.1549, 2.8275, 0.5876, 8.5600}), 6e-5);
}

// Flows of coal, light and heavy oil and prices at the start that MCPLIB gives are those of the solution, rounded.
TEST(SolveSetsPrinted, Pies) {
  expect_printed("pies", "pies", 10, vector({0, 828, 1016, 84, 2075, 0, 0, 2358, 22, 1223, 1179, 0, 0, 830, 998, 180}),
                 0.7);
  expect_printed("pies", "pies", 26, vector({11.7, 13.7, 15.8, 16.0, 11.9, 12.4}), 0.06);
}

// The contradictions of the sets, as certificates of one leaf.
TEST(SolveSetsPrinted, KnownContradictionsAreCertificates) {
  int checked = 0;
  for (const Family& family : families()) {
    if (family.name != "infeasible") continue;
    for (const NamedProblem& problem : family.make()) {
      mcp::Certificate certificate;
      certificate.leaves.push_back({{}, *problem.farkas});
      std::string why;
      EXPECT_TRUE(mcp::check_certificate(problem.linear->m, problem.linear->q, problem.problem.lower,
                                         problem.problem.upper, certificate, &why))
          << problem.name << ": " << why;
      // And none for a problem moved so far that it is none.
      EXPECT_FALSE(mcp::check_certificate(problem.linear->m, problem.linear->q + 1e3 * *problem.farkas,
                                          problem.problem.lower, problem.problem.upper, certificate));
      ++checked;
    }
  }
  EXPECT_GE(checked, 40);
}

}  // namespace
}  // namespace pegrasp::problems
