// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/lexicographic_lemke.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include "src/reference/mcp/lemke_tableau.hpp"

namespace pegrasp::mcp {

Result solve_lexicographic_lemke(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                                 std::int64_t max_pivots, double tolerance) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  const Eigen::Index n = q.size();
  result.x = Vector::Zero(n);
  result.status = Status::bad_input;
  if (m.rows() != n || m.cols() != n || lower.size() != n || upper.size() != n) {
    result.message = "M, q and the bounds have different sizes";
    return result;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    if (lower[i] <= upper[i] && std::isfinite(q[i])) continue;
    result.message = "row " + std::to_string(i) + ": not a number, or a lower bound above the upper one";
    return result;
  }
  result.x = Vector::Zero(n).cwiseMax(lower).cwiseMin(upper);
  result.status = Status::no_progress;
  const lemke::StandardForm<double> form(m, q, lower, upper);
  if (!form.regular()) {
    result.message = "the rows of the free variables do not determine them";
    return result;
  }
  const lemke::End end =
      lemke::solve(form, max_pivots, lemke::Clock::time_point::max(), result.statistics.pivots, result.x);
  result.x = result.x.cwiseMax(lower).cwiseMin(upper);
  const Vector f = m * result.x + q;
  result.residual = natural_residual(result.x, f, lower, upper);
  if (end == lemke::End::pivot_limit) {
    result.status = Status::pivot_limit;
    result.message = "pivot limit";
  } else if (end == lemke::End::ray) {
    result.message = "ended on a ray";
  } else if (result.residual <= tolerance * (1.0 + (n > 0 ? q.cwiseAbs().maxCoeff() : 0.0))) {
    result.status = Status::solved;
  } else {
    result.message = "rounding spoilt the tableau";
  }
  result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace pegrasp::mcp
