// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/crash.hpp"

#include <Eigen/SparseLU>
#include <vector>

#include "src/reference/mcp/merit.hpp"

namespace pegrasp::mcp {

bool crash_step(const Problem& problem, const SparseMatrix& jacobian, Vector& x, const Vector& f, double merit_at_x) {
  const auto n = static_cast<int>(x.size());
  std::vector<int> slot(static_cast<std::size_t>(n), -1);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const bool held = (x[i] <= problem.lower[i] && f[i] >= 0.0) || (x[i] >= problem.upper[i] && f[i] <= 0.0);
    if (!held) slot[static_cast<std::size_t>(i)] = count++;
  }
  if (count == 0) return false;
  std::vector<Eigen::Triplet<double>> entries;
  Vector right(count);
  for (int j = 0; j < n; ++j) {
    const int column = slot[static_cast<std::size_t>(j)];
    if (column < 0) continue;
    right[column] = -f[j];
    for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) {
      const int row = slot[static_cast<std::size_t>(it.row())];
      if (row >= 0) entries.emplace_back(row, column, it.value());
    }
    entries.emplace_back(column, column, 1e-8);  // keeps redundant contacts from ending the crash
  }
  SparseMatrix reduced(count, count);
  reduced.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<SparseMatrix> factors(reduced);
  if (factors.info() != Eigen::Success) return false;
  const Vector step = factors.solve(right);
  if (!step.allFinite()) return false;
  Vector direction = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (slot[static_cast<std::size_t>(i)] >= 0) direction[i] = step[slot[static_cast<std::size_t>(i)]];
  }
  Vector g;
  for (double alpha = 1.0; alpha > 1e-4; alpha *= 0.5) {
    const Vector trial = (x + alpha * direction).cwiseMax(problem.lower).cwiseMin(problem.upper);
    if (!problem.evaluate(trial, g, nullptr) || g.size() != n) continue;
    if (merit(trial, g, problem.lower, problem.upper) <= (1.0 - 1e-4 * alpha) * merit_at_x) {
      x = trial;
      return true;
    }
  }
  return false;
}

}  // namespace pegrasp::mcp
