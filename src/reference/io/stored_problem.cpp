// SPDX-License-Identifier: Apache-2.0
#include "reference/io/stored_problem.hpp"

#include <memory>
#include <utility>

namespace pegrasp::reference {

mcp::Problem to_problem(const StoredMcp& stored) {
  mcp::Problem problem = mcp::linear_problem(stored.m, stored.q, stored.lower, stored.upper);
  if (stored.quadratic.empty()) return problem;
  problem.linear = false;
  problem.evaluate = [linear = std::move(problem.evaluate),
                      terms = std::make_shared<const std::vector<FormulatedStep::QuadraticTerm>>(stored.quadratic)](
                         const mcp::Vector& x, mcp::Vector& f, mcp::SparseMatrix* jacobian) {
    if (!linear(x, f, jacobian)) return false;
    for (const FormulatedStep::QuadraticTerm& term : *terms) f[term.row] += term.value * x[term.i] * x[term.j];
    if (jacobian == nullptr) return true;
    std::vector<Eigen::Triplet<double>> slopes;
    slopes.reserve(2 * terms->size());
    for (const FormulatedStep::QuadraticTerm& term : *terms) {
      slopes.emplace_back(term.row, term.i, term.value * x[term.j]);
      slopes.emplace_back(term.row, term.j, term.value * x[term.i]);
    }
    mcp::SparseMatrix bent(jacobian->rows(), jacobian->cols());
    bent.setFromTriplets(slopes.begin(), slopes.end());
    *jacobian += bent;
    return true;
  };
  return problem;
}

StoredMcp to_stored(const FormulatedStep& step) {
  StoredMcp stored;
  stored.m = step.m;
  stored.m.makeCompressed();
  stored.q = step.q;
  stored.lower = step.problem.lower;
  stored.upper = step.problem.upper;
  stored.start = step.start;
  stored.quadratic = step.quadratic;
  stored.kinds = step.kinds;
  return stored;
}

}  // namespace pegrasp::reference
