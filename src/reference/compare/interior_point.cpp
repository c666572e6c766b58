// SPDX-License-Identifier: Apache-2.0
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "src/reference/compare/best_point.hpp"
#include "src/reference/compare/damped_newton.hpp"

namespace pegrasp::reference {
namespace {

using Eigen::Index;
using mcp::SparseMatrix;

// x strictly between its bounds, with multipliers s of lower and t of upper ones: F(x) - s + t = 0, (x - l) s = 0,
// (u - x) t = 0, all not negative. Bounds that are infinite have multiplier 0.
struct Iterate {
  Vector x, s, t;
};

class PathFollowing {
 public:
  explicit PathFollowing(const StoredMcp& problem) : problem_(problem) {
    count_ = problem.lower.array().isFinite().count() + problem.upper.array().isFinite().count();
  }

  bool below(Index i) const { return std::isfinite(problem_.lower[i]); }
  bool above(Index i) const { return std::isfinite(problem_.upper[i]); }
  double room_below(const Vector& x, Index i) const { return x[i] - problem_.lower[i]; }
  double room_above(const Vector& x, Index i) const { return problem_.upper[i] - x[i]; }

  Iterate begin(const Vector& start) const {
    Iterate z{start, Vector::Zero(start.size()), Vector::Zero(start.size())};
    for (Index i = 0; i < start.size(); ++i) {
      if (below(i) && above(i)) {
        z.x[i] = 0.5 * (problem_.lower[i] + problem_.upper[i]);
      } else if (below(i)) {
        z.x[i] = std::max(start[i], problem_.lower[i] + 1.0);
      } else if (above(i)) {
        z.x[i] = std::min(start[i], problem_.upper[i] - 1.0);
      }
      z.s[i] = below(i) ? 1.0 : 0.0;
      z.t[i] = above(i) ? 1.0 : 0.0;
    }
    return z;
  }

  double gap(const Iterate& z) const {
    double sum = 0.0;
    for (Index i = 0; i < z.x.size(); ++i) {
      if (below(i)) sum += room_below(z.x, i) * z.s[i];
      if (above(i)) sum += room_above(z.x, i) * z.t[i];
    }
    return count_ > 0 ? sum / static_cast<double>(count_) : 0.0;
  }

  // One predictor and corrector from z; false where the matrix is singular. f = F(z.x).
  bool step(Iterate& z, const Vector& f) const {
    const Index n = z.x.size();
    SparseMatrix matrix = problem_.m;
    for (Index i = 0; i < n; ++i) {
      double barrier = 0.0;
      if (below(i)) barrier += z.s[i] / room_below(z.x, i);
      if (above(i)) barrier += z.t[i] / room_above(z.x, i);
      matrix.coeffRef(i, i) += barrier;
    }
    matrix.makeCompressed();
    Eigen::SparseLU<SparseMatrix> factor(matrix);
    if (factor.info() != Eigen::Success) return false;
    const double mu = gap(z);
    const Vector none = Vector::Zero(n);
    const Iterate predicted = direction(factor, z, f, none, none);
    const double affine = longest(z, predicted, 1.0);
    const double after = gap({z.x + affine * predicted.x, z.s + affine * predicted.s, z.t + affine * predicted.t});
    const double centring = mu > 0.0 ? std::min(1.0, std::pow(after / mu, 3.0)) : 0.0;
    const Vector aim_s = (centring * mu - (predicted.x.array() * predicted.s.array())).matrix();
    const Vector aim_t = (centring * mu + (predicted.x.array() * predicted.t.array())).matrix();
    const Iterate d = direction(factor, z, f, aim_s, aim_t);
    if (!d.x.allFinite()) return false;
    const double t = std::min(1.0, 0.995 * longest(z, d, 1e3));
    z = {z.x + t * d.x, z.s + t * d.s, z.t + t * d.t};
    return true;
  }

 private:
  // The Newton direction towards (x - l) s = aim_s, (u - x) t = aim_t.
  Iterate direction(const Eigen::SparseLU<SparseMatrix>& factor, const Iterate& z, const Vector& f, const Vector& aim_s,
                    const Vector& aim_t) const {
    Vector right = -(f - z.s + z.t);
    for (Index i = 0; i < right.size(); ++i) {
      if (below(i)) right[i] += aim_s[i] / room_below(z.x, i) - z.s[i];
      if (above(i)) right[i] -= aim_t[i] / room_above(z.x, i) - z.t[i];
    }
    Iterate d{factor.solve(right), Vector::Zero(right.size()), Vector::Zero(right.size())};
    for (Index i = 0; i < right.size(); ++i) {
      if (below(i)) d.s[i] = (aim_s[i] - z.s[i] * d.x[i]) / room_below(z.x, i) - z.s[i];
      if (above(i)) d.t[i] = (aim_t[i] + z.t[i] * d.x[i]) / room_above(z.x, i) - z.t[i];
    }
    return d;
  }

  // How far along d everything stays positive, at most `most`.
  double longest(const Iterate& z, const Iterate& d, double most) const {
    const auto limit = [&most](double value, double rate) {
      if (rate < 0.0) most = std::min(most, -value / rate);
    };
    for (Index i = 0; i < z.x.size(); ++i) {
      if (below(i)) {
        limit(room_below(z.x, i), d.x[i]);
        limit(z.s[i], d.s[i]);
      }
      if (above(i)) {
        limit(room_above(z.x, i), -d.x[i]);
        limit(z.t[i], d.t[i]);
      }
    }
    return most;
  }

  const StoredMcp& problem_;
  Index count_ = 0;  // of finite bounds
};

}  // namespace

mcp::Result solve_interior_point(const StoredMcp& problem, const Vector& start, const mcp::Options& limits) {
  BestPoint best(problem, limits, limits.max_majors);
  if (!problem.quadratic.empty()) {
    best.end(mcp::Status::bad_input, "is for linear problems; this one has quadratic terms");
    return std::move(best.result);
  }
  const PathFollowing path(problem);
  Iterate z = path.begin(start);
  while (!best.over(z.x, problem.m * z.x + problem.q)) {
    if (path.step(z, problem.m * z.x + problem.q)) continue;
    best.end(mcp::Status::no_progress, "a singular matrix");
    break;
  }
  return std::move(best.result);
}

}  // namespace pegrasp::reference
