// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/friction_step.hpp"

#include <Eigen/SparseLU>
#include <stdexcept>
#include <vector>

namespace pegrasp::reference {
namespace {

// [M -B; B' 0] [nu; p] = right-hand side: bodies and the joints that hold them.
mcp::SparseMatrix with_joints(const StepProblem& step) {
  const auto v = step.mass.rows();
  const auto joints = static_cast<Eigen::Index>(step.bilaterals.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index column = 0; column < step.mass.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(step.mass, column); it; ++it) {
      entries.emplace_back(it.row(), it.col(), it.value());
    }
  }
  for (Eigen::Index b = 0; b < joints; ++b) {
    for (SparseVector::InnerIterator it(step.bilaterals[static_cast<std::size_t>(b)].row); it; ++it) {
      entries.emplace_back(it.index(), v + b, -it.value());
      entries.emplace_back(v + b, it.index(), it.value());
    }
  }
  mcp::SparseMatrix system(v + joints, v + joints);
  system.setFromTriplets(entries.begin(), entries.end());
  return system;
}

}  // namespace

FrictionProblem friction_problem(const StepProblem& step) {
  if (!step.inter.empty() || !step.cross.empty()) {
    throw std::invalid_argument(
        "fclib's form has no place for disjunctions; take a contact model without them or another form");
  }
  if (!step.supports.empty() || !step.motors.empty()) {
    throw std::invalid_argument("fclib's form has no place for support points and motors; take another form");
  }
  const auto is_limit = [&step](int c) { return step.contacts[static_cast<std::size_t>(c)].tangents.empty(); };
  if (std::any_of(step.unilateral.begin(), step.unilateral.end(), is_limit)) {
    throw std::invalid_argument("fclib's form has no place for limits of joints; take another form");
  }
  if (step.unilateral.empty()) throw std::invalid_argument("a friction problem has at least one contact");
  const auto v = step.mass.rows();
  const int dimension =
      1 + static_cast<int>(step.contacts[static_cast<std::size_t>(step.unilateral.front())].tangents.size());
  const auto contacts = static_cast<Eigen::Index>(step.unilateral.size());
  FrictionProblem problem;
  problem.dimension = dimension;
  problem.q.resize(dimension * contacts);
  problem.mu.resize(contacts);
  const mcp::SparseMatrix system = with_joints(step);
  mcp::SparseMatrix gradients(system.rows(), dimension * contacts);
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index c = 0; c < contacts; ++c) {
    const Contact& contact = step.contacts[static_cast<std::size_t>(step.unilateral[static_cast<std::size_t>(c)])];
    problem.mu[c] = contact.mu;
    for (int k = 0; k < dimension; ++k) {
      const SparseVector& gradient = k == 0 ? contact.normal : contact.tangents[static_cast<std::size_t>(k - 1)];
      for (SparseVector::InnerIterator it(gradient); it; ++it) {
        entries.emplace_back(it.index(), c * dimension + k, it.value());
      }
      problem.q[c * dimension + k] =
          k == 0 ? contact.gap / step.h + contact.rate : contact.tangent_rate[static_cast<std::size_t>(k - 1)];
    }
  }
  gradients.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<mcp::SparseMatrix> factor(system);
  if (factor.info() != Eigen::Success) {
    throw std::invalid_argument("a mass is zero, or joints say the same twice; take Form::mixed");
  }
  Vector free(system.rows());
  free.head(v) = step.mass * step.velocity + step.external;
  for (std::size_t b = 0; b < step.bilaterals.size(); ++b) {
    free[v + static_cast<Eigen::Index>(b)] = -step.bilaterals[b].gap / step.h - step.bilaterals[b].rate;
  }
  const mcp::SparseMatrix across = gradients.transpose();
  problem.w = across * mcp::SparseMatrix(factor.solve(gradients));
  problem.w.makeCompressed();
  problem.q += across * Vector(factor.solve(free));
  return problem;
}

}  // namespace pegrasp::reference
