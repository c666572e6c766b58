// SPDX-License-Identifier: Apache-2.0
// The problems that the MCP solver is assessed by are what they claim: their Jacobians are those of their functions,
// their known solutions solve them, their contradictions are ones, their random numbers are the same everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

#include "tests/reference/problems/problem_set.hpp"
#include "tests/reference/problems/random.hpp"

namespace pegrasp::problems {
namespace {

// Made once: together they take about a second.
const std::map<std::string, std::vector<NamedProblem>>& all() {
  static const auto made = [] {
    std::map<std::string, std::vector<NamedProblem>> families_made;
    for (const Family& family : families()) families_made.emplace(family.name, family.make());
    return families_made;
  }();
  return made;
}

template <class Check>
void for_each_problem(Check check) {
  for (const auto& [family, problems] : all()) {
    for (const NamedProblem& problem : problems) {
      SCOPED_TRACE(family + " / " + problem.name);
      check(problem);
    }
  }
}

bool free_of_bounds(double bound) { return std::abs(bound) >= 1e20; }

TEST(ProblemSets, AreWellFormed) {
  EXPECT_EQ(all().size(), families().size()) << "two families share a name";
  std::set<std::string> names;
  for_each_problem([&](const NamedProblem& problem) {
    const Eigen::Index n = problem.size();
    EXPECT_GT(n, 0);
    EXPECT_TRUE(names.insert(problem.family + "/" + problem.name).second) << "twice the same name";
    ASSERT_EQ(problem.problem.upper.size(), n);
    EXPECT_TRUE((problem.problem.lower.array() <= problem.problem.upper.array()).all());
    ASSERT_FALSE(problem.starts.empty());
    for (const Vector& start : problem.starts) {
      ASSERT_EQ(start.size(), n);
      Vector f;
      EXPECT_TRUE(
          problem.problem.evaluate(start.cwiseMax(problem.problem.lower).cwiseMin(problem.problem.upper), f, nullptr));
      EXPECT_EQ(f.size(), n);
      EXPECT_TRUE(f.allFinite());
    }
    EXPECT_EQ(problem.problem.linear, problem.linear.has_value());
    EXPECT_FALSE(problem.answer == Answer::infeasible && !problem.solutions.empty());
  });
}

TEST(ProblemSets, EvaluateTheirLinearData) {
  for_each_problem([](const NamedProblem& problem) {
    if (!problem.linear) return;
    Random random(7);
    const Vector x = random.normal_vector(static_cast<int>(problem.size()));
    Vector f;
    SparseMatrix jacobian;
    ASSERT_TRUE(problem.problem.evaluate(x, f, &jacobian));
    const Vector expected = problem.linear->m * x + problem.linear->q;
    EXPECT_LE((f - expected).lpNorm<Eigen::Infinity>(), 1e-13 * (1.0 + expected.lpNorm<Eigen::Infinity>()));
    EXPECT_EQ((SparseMatrix(jacobian - problem.linear->m)).norm(), 0.0);
  });
}

// Central differences at points near the starts, inside the bounds. At most 40 columns of each.
TEST(ProblemSets, JacobiansAreDerivatives) {
  for_each_problem([](const NamedProblem& problem) {
    if (problem.linear) return;
    const int n = static_cast<int>(problem.size());
    const Vector &lower = problem.problem.lower, &upper = problem.problem.upper;
    Random random(11);
    int checked = 0;
    for (const Vector& start : problem.starts) {
      Vector x(n);
      for (int i = 0; i < n; ++i) {
        const double l = free_of_bounds(lower[i]) ? start[i] - 1.0 : std::max(lower[i], std::min(start[i], upper[i]));
        const double u = free_of_bounds(upper[i]) ? l + 0.5 * (1.0 + 0.1 * std::abs(l)) : upper[i];
        x[i] = l + random.uniform(0.2, 0.8) * std::min(0.5, u - l);
      }
      Vector f, plus, minus;
      SparseMatrix jacobian;
      if (!problem.problem.evaluate(x, f, &jacobian) || !f.allFinite()) continue;
      Vector alone;
      ASSERT_TRUE(problem.problem.evaluate(x, alone, nullptr));
      EXPECT_LE((alone - f).lpNorm<Eigen::Infinity>(), 1e-13 * (1.0 + f.lpNorm<Eigen::Infinity>()));
      ASSERT_EQ(jacobian.rows(), n);
      ASSERT_EQ(jacobian.cols(), n);
      const Eigen::MatrixXd dense = jacobian;
      const double size = dense.lpNorm<Eigen::Infinity>() + f.lpNorm<Eigen::Infinity>();
      for (int k = 0; k < std::min(n, 40); ++k) {
        const int j = n <= 40 ? k : random.integer(0, n - 1);
        if (lower[j] == upper[j]) continue;
        const double h = 1e-5 * (1.0 + std::abs(x[j])) * std::min(1.0, upper[j] - lower[j]);
        Vector shifted = x;
        shifted[j] = x[j] + h;
        const bool above = problem.problem.evaluate(shifted, plus, nullptr);
        shifted[j] = x[j] - h;
        if (!above || !problem.problem.evaluate(shifted, minus, nullptr)) continue;
        const Vector difference = (plus - minus) / (2.0 * h);
        EXPECT_LE((difference - dense.col(j)).lpNorm<Eigen::Infinity>(), 1e-6 * (1.0 + size)) << "column " << j;
        ++checked;
      }
    }
    EXPECT_GT(checked, 0);
  });
}

TEST(ProblemSets, KnownSolutionsSolve) {
  int known = 0;
  for_each_problem([&](const NamedProblem& problem) {
    for (const Vector& x : problem.solutions) {
      Vector f;
      ASSERT_TRUE(problem.problem.evaluate(x, f, nullptr));
      EXPECT_LE(mcp::natural_residual(x, f, problem.problem.lower, problem.problem.upper), problem.solution_residual);
      ++known;
    }
  });
  EXPECT_GT(known, 150);
}

// Where x solves the problem y'F >= 0, as y_i has the only sign that F_i may have; and over the whole box y'F < 0.
// Written out here, apart from the solver's own check.
TEST(ProblemSets, ContradictionsContradict) {
  int shown = 0;
  for_each_problem([&](const NamedProblem& problem) {
    if (!problem.farkas) return;
    ASSERT_EQ(problem.answer, Answer::infeasible);
    const Vector &y = *problem.farkas, &l = problem.problem.lower, &u = problem.problem.upper;
    const Vector along = problem.linear->m.transpose() * y;
    double most = y.dot(problem.linear->q);
    for (Eigen::Index i = 0; i < problem.size(); ++i) {
      // With a finite upper bound F_i may be negative, with a finite lower bound positive.
      EXPECT_TRUE(free_of_bounds(u[i]) || y[i] <= 0.0);
      EXPECT_TRUE(free_of_bounds(l[i]) || y[i] >= 0.0);
      if (along[i] > 0.0) {
        ASSERT_FALSE(free_of_bounds(u[i]));
        most += along[i] * u[i];
      } else if (along[i] < 0.0) {
        ASSERT_FALSE(free_of_bounds(l[i]));
        most += along[i] * l[i];
      }
    }
    EXPECT_LT(most, -0.5);
    ++shown;
  });
  EXPECT_GE(shown, 40);
}

// FNV-1a over the bits of everything that is linear.
std::uint64_t hash(const std::vector<NamedProblem>& problems) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  const auto add = [&h](double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);  // one zero
    for (int byte = 0; byte < 8; ++byte) h = (h ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3ull;
  };
  for (const NamedProblem& problem : problems) {
    if (!problem.linear) continue;
    for (int j = 0; j < problem.linear->m.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(problem.linear->m, j); it; ++it) {
        add(it.row());
        add(it.value());
      }
    }
    for (Eigen::Index i = 0; i < problem.size(); ++i) {
      add(problem.linear->q[i]);
      add(problem.problem.lower[i]);
      add(problem.problem.upper[i]);
    }
  }
  return h;
}

// Whoever changes a generator changes the problems that measured results refer to: the hashes are those of the tables.
TEST(ProblemSets, SeedsGiveTheSameBitsEverywhere) {
  const std::map<std::string, std::uint64_t> golden = {
      // clang-format off
      {"definite", 0x88e685b7c2f0ac8eull},
      {"p_matrix", 0x5310ca4d0e4104e9ull},
      {"harker_pang", 0xec72920e4e0d5ecull},
      {"copositive", 0xfc75897e2cfcc826ull},
      {"semidefinite", 0x30bd88178ae6c6a9ull},
      {"m_matrix", 0x87478f066bded75bull},
      {"m_matrix_large", 0x26bfff9fdbeb7bcdull},
      {"general", 0xa05ab808a4468172ull},
      {"general_mixed", 0x73258cb186d8f770ull},
      {"box_quadratic", 0x3ef9594ccf33f0feull},
      {"box_general", 0xed7f754671e21324ull},
      {"linear_program", 0xa8f30ef55c0d26c8ull},
      {"quadratic_program", 0x38cead0aabf1063bull},
      {"ill_conditioned", 0x29b3a8b77158770dull},
      {"ill_scaled", 0xf8eba45153ab7ffeull},
      {"monotone_mixed", 0x5a6b5d4b4d30b3e5ull},
      {"infeasible", 0x4566c4d621d743caull},
      {"not_complementary", 0xfeeeeff9fc2103f0ull},
      {"exponential", 0xdee8fa9344db6a2full},
      {"cycling", 0xa81836b145fdb3a5ull},
      {"degenerate", 0xd205e217ebf43131ull},
      {"bimatrix", 0x6f5b03917ce3d708ull},
      // clang-format on
  };
  for (const auto& [name, expected] : golden) {
    ASSERT_TRUE(all().contains(name)) << name;
    const std::uint64_t found = hash(all().at(name));
    std::ostringstream line;
    line << "{\"" << name << "\", 0x" << std::hex << found << "ull},";
    EXPECT_EQ(found, expected) << line.str();
  }
}

}  // namespace
}  // namespace pegrasp::problems
