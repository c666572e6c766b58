// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/acceptance.hpp"

#include <algorithm>
#include <limits>

namespace pegrasp::mcp {
namespace {

// Rounding excuses no more than this. Where numbers are so large that F is known less exactly, nothing counts as
// solved.
constexpr double largest_excuse = 1e-6;
// Of the terms of a row, some of which may cancel.
constexpr double rounding_of_a_row = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace

bool accepted(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower, const Vector& upper,
              double tolerance, double& rounding) {
  rounding = 0.0;
  const double residual = natural_residual(x, f, lower, upper);
  if (residual <= tolerance) return true;
  Vector size = f.cwiseAbs();
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) size[it.row()] += std::abs(it.value() * x[j]);
  }
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double r = natural_residual(x[i], f[i], lower[i], upper[i]);
    if (r <= tolerance) continue;
    const double noise = std::min(rounding_of_a_row * size[i], largest_excuse);
    if (!(r <= noise)) return false;
    rounding = std::max(rounding, noise);
  }
  return true;
}

}  // namespace pegrasp::mcp
