// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/fit_impulses.hpp"

#include <Eigen/QR>
#include <vector>

namespace pegrasp::reference::spatial {
namespace {

// Impulses this close to their bound, relative to it, are at it.
constexpr double at_bound = 1.0 - 1e-6;

// The directions in which the impulses of a block may change.
void add_ways(const ConeBlock& block, const Vector& p, std::vector<Vector>& ways) {
  const auto each = [&] {
    for (Eigen::Index k = 0; k < block.rows; ++k) ways.push_back(Vector::Unit(p.size(), block.first + k));
  };
  if (block.kind == BlockKind::servo) {
    if (p.segment(block.first, block.rows).norm() < at_bound * block.bound) each();
    return;
  }
  if (!(p[block.first] > 0.0)) return;
  const double bound = block.mu * p[block.first];
  const double friction = block.rubs() ? block.slip(p).norm() : 0.0;
  if (!block.rubs() || friction < at_bound * bound) return each();
  Vector side = Vector::Unit(p.size(), block.first);
  block.slip(side) = block.mu / friction * block.slip(p);
  ways.push_back(side);
}

}  // namespace

StepSolution fit_impulses(const StepProblem& step, const ConeProblem& problem, const Vector& p, const Vector& claimed) {
  std::vector<Vector> ways;
  for (const ConeBlock& block : problem.blocks()) add_ways(block, p, ways);
  const StepSolution start = problem.write(p);
  if (ways.empty()) return start;
  const Vector weight = step.mass.diagonal().cwiseSqrt();
  Eigen::MatrixXd gain(claimed.size(), static_cast<Eigen::Index>(ways.size()));
  for (std::size_t k = 0; k < ways.size(); ++k) {
    gain.col(static_cast<Eigen::Index>(k)) = weight.cwiseProduct(problem.write(p + ways[k]).velocity - start.velocity);
  }
  const Vector share = gain.completeOrthogonalDecomposition().solve(weight.cwiseProduct(claimed - start.velocity));
  Vector out = p;
  for (std::size_t k = 0; k < ways.size(); ++k) out += share[static_cast<Eigen::Index>(k)] * ways[k];
  return problem.write(out);
}

}  // namespace pegrasp::reference::spatial
