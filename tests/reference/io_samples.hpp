// SPDX-License-Identifier: Apache-2.0
// Small stored problems with known properties, for the tests of problem files and their solvers.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::test {

using reference::FrictionProblem;
using reference::StoredMcp;
using reference::StoredProblem;

inline mcp::SparseMatrix sparse(const Eigen::MatrixXd& dense) {
  mcp::SparseMatrix matrix = dense.sparseView();
  matrix.makeCompressed();
  return matrix;
}

inline bool same_bits(const mcp::Vector& a, const mcp::Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

inline bool same_bits(const mcp::SparseMatrix& a, const mcp::SparseMatrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nonZeros() != b.nonZeros()) return false;
  const auto entries = static_cast<std::size_t>(a.nonZeros());
  const auto columns = static_cast<std::size_t>(a.cols());
  return std::memcmp(a.outerIndexPtr(), b.outerIndexPtr(), sizeof(int) * (columns + 1)) == 0 &&
         (entries == 0 || (std::memcmp(a.innerIndexPtr(), b.innerIndexPtr(), sizeof(int) * entries) == 0 &&
                           std::memcmp(a.valuePtr(), b.valuePtr(), sizeof(double) * entries) == 0));
}

// Contacts on free bodies: W = G' G with more columns than rows, so that it is positive definite; mu below 1.
inline FrictionProblem random_friction(int dimension, int contacts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const int m = dimension * contacts;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(m + 3, m, [&] { return any(random); });
  FrictionProblem problem;
  problem.dimension = dimension;
  problem.w = sparse(g.transpose() * g / m);
  problem.q = mcp::Vector::NullaryExpr(m, [&] { return any(random); });
  for (int c = 0; c < contacts; ++c) problem.q[c * dimension] -= 0.5;  // most contacts close
  problem.mu = mcp::Vector::NullaryExpr(contacts, [&] { return 0.5 + 0.4 * any(random); });
  return problem;
}

// A particle of mass `mass` pressed on a plane by the impulse `press` and pushed along it by `push`, for which
// Coulomb's law has a closed solution: r_n = press; it sticks, r_t = -push, up to |push| = mu press, and slides above.
inline FrictionProblem particle(int dimension, double mass, double press, const mcp::Vector& push, double mu) {
  FrictionProblem problem;
  problem.dimension = dimension;
  problem.w = sparse(Eigen::MatrixXd::Identity(dimension, dimension) / mass);
  problem.q.resize(dimension);
  problem.q << -press / mass, push / mass;
  problem.mu = mcp::Vector::Constant(1, mu);
  return problem;
}
inline mcp::Vector particle_impulse(const FrictionProblem& problem, double mass) {
  mcp::Vector r = -mass * problem.q;
  const Eigen::Index tangents = problem.dimension - 1;
  const double most = problem.mu[0] * r[0];
  const double length = r.tail(tangents).norm();
  if (length > most) r.tail(tangents) *= most / length;
  return r;
}

}  // namespace pegrasp::test
