// SPDX-License-Identifier: Apache-2.0
// The list of all families, and what several of them need.
#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {

std::vector<Family> families() {
  std::vector<Family> all;
  for (const auto& list : {nonlinear_families, program_families, economic_families, continuum_families,
                           classic_families, random_families, structured_families, infeasible_families}) {
    for (Family& family : list()) {
      all.push_back({family.name,
                     [family] {
                       std::vector<NamedProblem> made = family.make();
                       for (NamedProblem& problem : made) problem.family = family.name;
                       return made;
                     },
                     family.large});
    }
  }
  return all;
}

NamedProblem linear_problem(std::string name, SparseMatrix m, Vector q, Vector lower, Vector upper) {
  NamedProblem problem;
  problem.name = std::move(name);
  problem.linear = LinearData{m, q};
  // Any point will do for a linear problem; PATH's choice is zero, brought into the bounds.
  problem.starts = {Vector::Zero(q.size()).cwiseMax(lower).cwiseMin(upper)};
  problem.problem = mcp::linear_problem(std::move(m), std::move(q), std::move(lower), std::move(upper));
  return problem;
}

NamedProblem lcp(std::string name, SparseMatrix m, Vector q) {
  const Eigen::Index n = q.size();
  return linear_problem(std::move(name), std::move(m), std::move(q), Vector::Zero(n),
                        Vector::Constant(n, mcp::infinity));
}

SparseMatrix sparse(const Eigen::MatrixXd& dense) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < dense.cols(); ++j) {
    for (Eigen::Index i = 0; i < dense.rows(); ++i) {
      if (dense(i, j) != 0.0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), dense(i, j));
    }
  }
  SparseMatrix m(dense.rows(), dense.cols());
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

Vector vector(std::initializer_list<double> values) {
  Vector v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) v[i++] = value;
  return v;
}

NamedProblem& add_solution(NamedProblem& problem, Vector x) {
  problem.answer = Answer::solvable;
  problem.solutions.push_back(std::move(x));
  return problem;
}

}  // namespace pegrasp::problems
