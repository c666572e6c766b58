// SPDX-License-Identifier: Apache-2.0
#include "src/reference/compare/damped_newton.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <array>
#include <cmath>

#include "src/reference/compare/best_point.hpp"

namespace pegrasp::reference {
namespace {

using Eigen::Index;
using mcp::SparseMatrix;

// Phi_i and its derivatives by x_i and by F_i.
struct Entry {
  double value, by_x, by_f;
};

// a + b - sqrt(a^2 + b^2) and an element of its generalised gradient.
std::array<double, 3> fischer_of(double a, double b) {
  const double root = std::hypot(a, b);
  const double a_part = root > 0.0 ? a / root : std::sqrt(0.5);
  const double b_part = root > 0.0 ? b / root : std::sqrt(0.5);
  // Where a + b > 0, a + b - root may lose digits; where it is less, a + b + root.
  const double value = a + b > 0.0 ? 2.0 * a * b / (a + b + root) : a + b - root;
  return {std::isfinite(value) ? value : a + b - root, 1.0 - a_part, 1.0 - b_part};
}

Entry fischer_entry(double x, double f, double lower, double upper) {
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (!below && !above) return {f, 0.0, 1.0};
  Entry inner{f, 0.0, 1.0};
  if (above) {
    const auto [value, by_room, by_f] = fischer_of(upper - x, -f);
    inner = {-value, by_room, by_f};
  }
  if (!below) return inner;
  const auto [value, by_room, by_inner] = fischer_of(x - lower, inner.value);
  return {value, by_room + by_inner * inner.by_x, by_inner * inner.by_f};
}

Entry minmap_entry(double x, double f, double lower, double upper) {
  if (x - f < lower) return {x - lower, 1.0, 0.0};
  if (x - f > upper) return {x - upper, 1.0, 0.0};
  return {f, 0.0, 1.0};
}

// Phi and its generalised Jacobian at x, of the kind asked for.
class Map {
 public:
  Map(const StoredMcp& problem, NewtonKind kind) : stored_(problem), kind_(kind), problem_(to_problem(problem)) {}

  bool evaluate(const Vector& x, bool jacobian) {
    if (!problem_.evaluate(x, f, jacobian ? &f_by_x_ : nullptr)) return false;
    phi.resize(x.size());
    Vector by_f(x.size());
    std::vector<Eigen::Triplet<double>> by_x;
    for (Index i = 0; i < x.size(); ++i) {
      const Entry entry = kind_ == NewtonKind::fischer ? fischer_entry(x[i], f[i], stored_.lower[i], stored_.upper[i])
                                                       : minmap_entry(x[i], f[i], stored_.lower[i], stored_.upper[i]);
      phi[i] = entry.value;
      by_f[i] = entry.by_f;
      by_x.emplace_back(static_cast<int>(i), static_cast<int>(i), entry.by_x);
    }
    if (!jacobian) return true;
    SparseMatrix diagonal(x.size(), x.size());
    diagonal.setFromTriplets(by_x.begin(), by_x.end());
    slope = diagonal + SparseMatrix(by_f.asDiagonal() * f_by_x_);
    slope.makeCompressed();
    return true;
  }
  double merit() const { return 0.5 * phi.squaredNorm(); }

  Vector f, phi;
  SparseMatrix slope;

 private:
  const StoredMcp& stored_;
  NewtonKind kind_;
  mcp::Problem problem_;
  SparseMatrix f_by_x_;
};

// d with slope d = -phi where that is regular and leads downhill, else none.
bool newton_step(const Map& map, const Vector& gradient, Vector& d) {
  Eigen::SparseLU<SparseMatrix> factor(map.slope);
  if (factor.info() != Eigen::Success) return false;
  d = -factor.solve(map.phi);
  return d.allFinite() && gradient.dot(d) < -1e-10 * std::pow(d.norm(), 2.1);
}

// Levenberg and Marquardt's step: downhill wherever the gradient does not vanish.
bool damped_step(const Map& map, const Vector& gradient, double damping, Vector& d) {
  SparseMatrix normal = map.slope.transpose() * map.slope;
  for (Index i = 0; i < normal.rows(); ++i) normal.coeffRef(i, i) += damping;
  Eigen::SimplicialLDLT<SparseMatrix> factor(normal);
  if (factor.info() != Eigen::Success) return false;
  d = -factor.solve(gradient);
  return d.allFinite() && gradient.dot(d) < 0.0;
}

// A whole Newton step of the regularised problem F(x) + lambda (x - x_k), which is regular where F is monotone. It may
// lead uphill: out of a stationary point that is no solution.
bool regularised_step(Map& map, Vector& x, double lambda) {
  if (!map.evaluate(x, true)) return false;
  SparseMatrix regular = map.slope;
  for (Index i = 0; i < regular.rows(); ++i) regular.coeffRef(i, i) += lambda;
  regular.makeCompressed();
  Eigen::SparseLU<SparseMatrix> factor(regular);
  if (factor.info() != Eigen::Success) return false;
  const Vector d = -factor.solve(map.phi);
  if (!d.allFinite()) return false;
  x += d;
  return true;
}

// A step of the search along d that lowers the merit enough (Armijo); false where none does.
bool search(Map& map, Vector& x, const Vector& d, double slope_along) {
  const double before = map.merit();
  constexpr double enough = 1e-4;
  const Vector from = x;
  for (double t = 1.0; t > 1e-10; t *= 0.5) {
    x = from + t * d;
    if (map.evaluate(x, false) && std::isfinite(map.merit()) && map.merit() <= before + enough * t * slope_along)
      return true;
  }
  x = from;
  return false;
}

}  // namespace

mcp::Result solve_newton(const StoredMcp& problem, const Vector& start, NewtonKind kind, const mcp::Options& limits) {
  BestPoint best(problem, limits, limits.max_majors);
  Map map(problem, kind);
  const mcp::Problem asked = to_problem(problem);
  Vector x = within_bounds(problem, start);
  Vector f_inside;
  int escapes = 0, slow = 0;  // slow: steps in a row that hardly led down
  constexpr int most_slow = 5;
  for (;;) {
    const Vector inside = within_bounds(problem, x);
    if (!map.evaluate(x, true) || !asked.evaluate(inside, f_inside, nullptr)) {
      best.end(mcp::Status::evaluation_failed);
      break;
    }
    if (best.over(inside, f_inside)) break;
    const Vector gradient = map.slope.transpose() * map.phi;
    const double before = map.merit();
    Vector d;
    bool moved = slow < most_slow && newton_step(map, gradient, d) && search(map, x, d, gradient.dot(d));
    // The damping falls with the distance to a solution, so that steps become Newton's again.
    for (double damping = std::min(1.0, map.phi.norm()); !moved && slow < most_slow && damping < 1e12;
         damping *= 100.0) {
      if (!map.evaluate(x, true) || !damped_step(map, gradient, damping, d)) continue;
      moved = search(map, x, d, gradient.dot(d));
    }
    slow = moved && map.merit() > 0.9 * before ? slow + 1 : 0;
    constexpr int most_escapes = 40;
    if (!moved && escapes < most_escapes) {
      moved = regularised_step(map, x, std::pow(0.5, escapes % 8));
      ++escapes;
    }
    if (!moved) {
      best.end(mcp::Status::no_progress, "no step leads downhill: a stationary point that is no solution");
      break;
    }
  }
  return std::move(best.result);
}

}  // namespace pegrasp::reference
