// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::mcp {
namespace {

// Entries so small against the largest of their row or column are rounding errors of a zero and say nothing of scale.
constexpr double negligible = 1e-6;

double power_of_two(double x) { return x > 0.0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1.0; }

}  // namespace

Scaling choose_scaling(const LinearModel& model, const Vector& z) {
  const Eigen::Index n = model.q.size();
  Scaling s;
  s.row = Vector::Ones(n);
  s.column = Vector::Ones(n);
  for (int sweep = 0; sweep < 2; ++sweep) {
    Vector low = Vector::Constant(n, infinity), high = Vector::Zero(n);
    const auto each = [&](auto&& visit) {
      for (Eigen::Index j = 0; j < n; ++j) {
        for (SparseMatrix::InnerIterator it(model.m, j); it; ++it) visit(it.row(), j, std::abs(it.value()));
      }
    };
    each([&](Eigen::Index i, Eigen::Index j, double a) { high[i] = std::max(high[i], a * s.column[j]); });
    each([&](Eigen::Index i, Eigen::Index j, double a) {
      if (a * s.column[j] >= negligible * high[i]) low[i] = std::min(low[i], a * s.column[j]);
    });
    for (Eigen::Index i = 0; i < n; ++i) {
      if (high[i] > 0.0) s.row[i] = 1.0 / std::sqrt(low[i] * high[i]);
    }
    low.setConstant(infinity);
    high.setZero();
    each([&](Eigen::Index i, Eigen::Index j, double a) { high[j] = std::max(high[j], a * s.row[i]); });
    each([&](Eigen::Index i, Eigen::Index j, double a) {
      if (a * s.row[i] >= negligible * high[j]) low[j] = std::min(low[j], a * s.row[i]);
    });
    for (Eigen::Index j = 0; j < n; ++j) {
      if (high[j] > 0.0) s.column[j] = 1.0 / std::sqrt(low[j] * high[j]);
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    s.row[i] = power_of_two(s.row[i]);
    s.column[i] = power_of_two(s.column[i]);
  }
  const Vector f = model.q + model.m * z;
  s.size = power_of_two(s.row.cwiseProduct(f).lpNorm<Eigen::Infinity>());
  return s;
}

LinearModel scaled(const LinearModel& model, const Scaling& s) {
  LinearModel out;
  out.m = s.row.asDiagonal() * model.m * s.column.asDiagonal();
  out.m.makeCompressed();
  out.q = s.row.cwiseProduct(model.q) / s.size;
  out.lower = to_scaled(model.lower, s);
  out.upper = to_scaled(model.upper, s);
  return out;
}

Vector to_scaled(const Vector& z, const Scaling& s) { return z.cwiseQuotient(s.column) / s.size; }
Vector from_scaled(const Vector& z, const Scaling& s) { return s.size * z.cwiseProduct(s.column); }

}  // namespace pegrasp::mcp
