// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/double_double.hpp"

namespace pegrasp::mcp {

Problem linear_problem(SparseMatrix m, Vector q, Vector lower, Vector upper) {
  Problem problem;
  problem.lower = std::move(lower);
  problem.upper = std::move(upper);
  problem.linear = true;
  m.makeCompressed();
  problem.evaluate = [m = std::make_shared<const SparseMatrix>(std::move(m)), q = std::move(q)](
                         const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f = q;
    f += *m * x;
    if (jacobian) *jacobian = *m;
    return true;
  };
  return problem;
}

Problem lcp(SparseMatrix m, Vector q) {
  const Eigen::Index n = q.size();
  return linear_problem(std::move(m), std::move(q), Vector::Zero(n), Vector::Constant(n, infinity));
}

const char* status_name(Status status) {
  switch (status) {
    case Status::solved:
      return "solved";
    case Status::infeasible:
      return "infeasible";
    case Status::no_progress:
      return "no progress";
    case Status::pivot_limit:
      return "pivot limit";
    case Status::iteration_limit:
      return "iteration limit";
    case Status::time_limit:
      return "time limit";
    case Status::evaluation_failed:
      return "evaluation failed";
    case Status::bad_input:
      return "bad input";
  }
  return "?";
}

// x - mid(l, u, x - f) = mid(x - u, f, x - l): the right side does not cancel where x is large and f small.
double natural_residual(double x, double f, double lower, double upper) {
  const double r = std::abs(std::min(std::max(f, x - upper), x - lower));
  return std::isnan(r) || std::isnan(f) || std::isnan(x) ? infinity : r;
}

double natural_residual(const Vector& x, const Vector& f, const Vector& lower, const Vector& upper) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) worst = std::max(worst, natural_residual(x[i], f[i], lower[i], upper[i]));
  return worst;
}

double precise_residual(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                        const Vector& high, const Vector& low) {
  const auto n = static_cast<std::size_t>(high.size());
  std::vector<DoubleDouble> sum(n), f(n);
  for (Eigen::Index i = 0; i < high.size(); ++i) {
    sum[static_cast<std::size_t>(i)] = DoubleDouble(high[i]) + DoubleDouble(low[i]);
    f[static_cast<std::size_t>(i)] = q[i];
  }
  for (Eigen::Index j = 0; j < high.size(); ++j) {
    for (SparseMatrix::InnerIterator it(m, j); it; ++it)
      f[static_cast<std::size_t>(it.row())] += DoubleDouble(it.value()) * sum[static_cast<std::size_t>(j)];
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double l = lower[static_cast<Eigen::Index>(i)], u = upper[static_cast<Eigen::Index>(i)];
    DoubleDouble r = f[i];  // mid(x - u, f, x - l), bounds that are infinite left out
    if (std::isfinite(u)) r = std::max(r, sum[i] - DoubleDouble(u));
    if (std::isfinite(l)) r = std::min(r, sum[i] - DoubleDouble(l));
    const double size = std::abs(static_cast<double>(r));
    const bool number = std::isfinite(static_cast<double>(sum[i])) && std::isfinite(static_cast<double>(f[i]));
    worst = number ? std::max(worst, size) : infinity;
  }
  return worst;
}

}  // namespace pegrasp::mcp
