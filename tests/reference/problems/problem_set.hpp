// SPDX-License-Identifier: Apache-2.0
// Complementarity problems with what is known of them, in named families: what the tests of the MCP solver and its
// benchmark run on. A new family is a function that makes its problems and a line in a list of Family; a new list is a
// line in families().
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::problems {

using mcp::SparseMatrix;
using mcp::Vector;

enum class Answer { unknown, solvable, infeasible };

// F = m x + q.
struct LinearData {
  SparseMatrix m;
  Vector q;
};

struct NamedProblem {
  std::string name, family;
  mcp::Problem problem;
  std::vector<Vector> starts;  // one or more, within the bounds or not
  Answer answer = Answer::unknown;
  std::vector<Vector> solutions;     // known ones, not always all
  double solution_residual = 1e-12;  // their natural residual is not above this
  std::optional<LinearData> linear;  // where F is affine
  std::optional<Vector> farkas;      // where one leaf with nothing fixed shows that there is no solution: its y

  Eigen::Index size() const { return problem.lower.size(); }
};

struct Family {
  std::string name;
  std::function<std::vector<NamedProblem>()> make;
  bool large = false;  // takes seconds: too slow for a test that runs under sanitizers
};

// Every family there is, in the order of the table.
std::vector<Family> families();

// The lists that families() joins.
std::vector<Family> nonlinear_families();   // small_nonlinear.cpp
std::vector<Family> program_families();     // programs.cpp: KKT systems of nonlinear programs
std::vector<Family> economic_families();    // economic.cpp, equilibria.cpp
std::vector<Family> continuum_families();   // continuum.cpp: obstacle, bearing, Bratu, lubrication
std::vector<Family> classic_families();     // classic_linear.cpp: exponential, cycling, degenerate
std::vector<Family> random_families();      // random_linear.cpp
std::vector<Family> structured_families();  // structured_linear.cpp: programs, boxes, scales
std::vector<Family> infeasible_families();  // infeasible_linear.cpp

NamedProblem linear_problem(std::string name, SparseMatrix m, Vector q, Vector lower, Vector upper);
NamedProblem lcp(std::string name, SparseMatrix m, Vector q);
SparseMatrix sparse(const Eigen::MatrixXd& dense);  // without its zeros
Vector vector(std::initializer_list<double> values);

// A problem known to have the solution: marks it so.
NamedProblem& add_solution(NamedProblem& problem, Vector x);

}  // namespace pegrasp::problems
