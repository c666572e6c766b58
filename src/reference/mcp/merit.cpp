// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/merit.hpp"

#include <cmath>

namespace pegrasp::mcp {
namespace {

// phi and its derivatives; at (0, 0), where it has a kink, one of the generalised gradient.
struct Phi {
  double value, da, db;
};

Phi phi(double a, double b) {
  const double r = std::hypot(a, b);
  if (r == 0.0) return {0.0, 1.0 - std::sqrt(0.5), 1.0 - std::sqrt(0.5)};
  // a + b - r without cancellation where both are positive.
  const double value = a > 0.0 && b > 0.0 ? 2.0 * a * b / (a + b + r) : a + b - r;
  return {value, 1.0 - a / r, 1.0 - b / r};
}

// Phi_i and its derivatives with respect to x_i and F_i.
Phi mixed(double x, double f, double lower, double upper) {
  const bool low = std::isfinite(lower), high = std::isfinite(upper);
  if (!low && !high) return {f, 0.0, 1.0};
  if (!high) return phi(x - lower, f);
  const Phi up = phi(upper - x, -f);  // -phi(u - x, -F): derivatives +da by x, +db by F
  if (!low) return {-up.value, up.da, up.db};
  const Phi both = phi(x - lower, -up.value);
  return {both.value, both.da + both.db * up.da, both.db * up.db};
}

}  // namespace

double merit(const Vector& x, const Vector& f, const Vector& lower, const Vector& upper) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value = mixed(x[i], f[i], lower[i], upper[i]).value;
    sum += value * value;
  }
  return std::isfinite(sum) ? 0.5 * sum : infinity;
}

Vector merit_gradient(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower,
                      const Vector& upper) {
  Vector by_x(x.size()), by_f(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Phi p = mixed(x[i], f[i], lower[i], upper[i]);
    by_x[i] = p.value * p.da;
    by_f[i] = p.value * p.db;
  }
  by_x += jacobian.transpose() * by_f;
  return by_x;
}

}  // namespace pegrasp::mcp
