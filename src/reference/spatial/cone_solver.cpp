// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/cone_solver.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace pegrasp::reference::spatial {
namespace {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

// E relative to the diagonal of the problem, from one proximal point to the next.
constexpr double first_damping = 1e-2, less_damping = 0.5, least_damping = 1e-7;
constexpr double slow =
    0.5;  // what a proximal point leaves of the residual, at least, where there is nothing more to win
constexpr int proximal_steps = 20, rounds = 4;
// The accuracy to which each of these problems is solved, relative to its start.
constexpr double closeness = 1e-6;
constexpr int inner_rounds = 4, inner_sweeps = 10, sweeps_between = 40;
constexpr int moment_rounds = 20;  // of a contact with moments, which has no solution of its own
constexpr int newton_most = 30;
constexpr int halvings = 10;
constexpr double slight = 1e-4;  // decrease that a full step must bring, relative

// One contact without moments, with all others held fixed: w = a p + q.
class OneContact {
 public:
  OneContact(const Matrix3& a, const Vector3& q, double mu) : a_(a), q_(q), mu_(mu) {}

  Vector3 solve() const {
    if (q_[0] >= 0.0) return Vector3::Zero();  // it opens
    const Vector3 sticks = a_.partialPivLu().solve(-q_);
    if (sticks.allFinite() && sticks[0] > 0.0 && sticks.tail<2>().norm() <= mu_ * sticks[0]) return sticks;
    return slides();
  }

 private:
  // The impulse p of the closed contact, with friction against the direction u of the slip.
  Vector3 against(const Vector2& u) const {
    const double stiffness = a_(0, 0) - mu_ * a_.block<1, 2>(0, 1).dot(u.transpose());
    if (!(stiffness > 0.0)) return Vector3::Zero();  // friction that jams: no such sliding
    const double normal = -q_[0] / stiffness;
    return {normal, -mu_ * normal * u[0], -mu_ * normal * u[1]};
  }
  // How the slip turns away from u: zero where they are in line. `along`: the product of the two.
  double turn_of_slip(double angle, double& along) const {
    const Vector2 u(std::cos(angle), std::sin(angle));
    const Vector3 p = against(u);
    const Vector2 slip = a_.block<2, 3>(1, 0) * p + q_.tail<2>();
    along = p[0] > 0.0 ? slip.dot(u) : -1.0;
    return u[0] * slip[1] - u[1] * slip[0];
  }
  // All directions are sampled, so that no sliding solution is missed unless two are closer than a sector.
  Vector3 slides() const {
    constexpr int sectors = 24;
    constexpr int bisections = 60;
    constexpr double whole = 6.283185307179586;
    double best_along = -1.0;
    double best = std::atan2(q_[2], q_[1]);
    double along = 0.0;
    const double from = best;
    double low_value = turn_of_slip(from, along);
    for (int k = 0; k < sectors; ++k) {
      double low = from + whole * k / sectors;
      double high = from + whole * (k + 1) / sectors;
      const double next_value = turn_of_slip(high, along);
      const double start_value = low_value;
      low_value = next_value;
      if ((start_value > 0.0) == (next_value > 0.0)) continue;
      for (int i = 0; i < bisections; ++i) {
        const double middle = 0.5 * (low + high);
        ((turn_of_slip(middle, along) > 0.0) == (start_value > 0.0) ? low : high) = middle;
      }
      turn_of_slip(low, along);
      if (along > best_along) {
        best_along = along;
        best = low;
      }
    }
    return against({std::cos(best), std::sin(best)});
  }

  const Matrix3& a_;
  const Vector3& q_;
  double mu_;
};

// The problem with A + E and c - E p_k in place of A and c (a proximal point). Its solution is isolated even where
// contacts can share their load in many ways. As E vanishes, it is the solution of the original problem that is nearest
// to p_k.
class Search {
 public:
  Search(const ConeProblem& problem, double enough, double fair)
      : problem_(problem), enough_(enough), fair_(fair), a_(problem.matrix()), c_(problem.offset()) {}

  ConeSolution run(const Vector& start) {
    look_at(Vector::Zero(problem_.size()));
    if (start.size() == problem_.size() && start.allFinite()) look_at(start);
    if (done()) return best_;
    Vector p = best_.impulses;
    for (int round = 0; round < rounds && !done(); ++round) {
      double damping = first_damping;
      for (int k = 0; k < proximal_steps && !done(); ++k) {
        const double before = best_.residual;
        regularise(p, damping);
        solve_regularised(p);
        look_at(p);
        if (best_.residual <= fair_ && !(best_.residual < slow * before)) return best_;
        damping = std::max(least_damping, less_damping * damping);
      }
      p = best_.impulses;
      regularise(p, 0.0);
      for (int k = 0; k < sweeps_between && !done(); ++k) {
        sweep(p);
        look_at(p);
      }
    }
    return best_;
  }

 private:
  bool done() const { return best_.residual <= enough_; }
  // Keeps the best point, measured by the original problem.
  void look_at(const Vector& p) {
    const Vector map =
        problem_.natural_map(p, problem_.matrix() * p + problem_.offset()).cwiseProduct(problem_.scale());
    const double residual = map.size() > 0 ? map.lpNorm<Eigen::Infinity>() : 0.0;
    if (best_.impulses.size() == p.size() && !(residual < best_.residual)) return;
    best_.impulses = p;
    best_.residual = residual;
  }

  void regularise(const Vector& centre, double damping) {
    const Vector more = damping * problem_.scale();
    a_ = problem_.matrix();
    a_.diagonal() += more;
    c_ = problem_.offset() - more.cwiseProduct(centre);
  }
  Vector map(const Vector& p) const { return problem_.natural_map(p, a_ * p + c_).cwiseProduct(problem_.scale()); }

  // A Newton step, and sweeps over single contacts where Newton makes no progress.
  void solve_regularised(Vector& p) {
    const double close = closeness * map(p).norm();
    for (int round = 0; round < inner_rounds; ++round) {
      newton(p, std::max(close, 0.1 * enough_));
      if (map(p).norm() <= std::max(close, 0.1 * enough_)) return;
      for (int k = 0; k < inner_sweeps; ++k) sweep(p);
    }
  }

  void sweep(Vector& p) {
    for (const ConeBlock& block : problem_.blocks()) {
      const Eigen::Index i = block.first;
      if (block.kind == BlockKind::contact && block.rows == 3) {
        const Matrix3 own = a_.block<3, 3>(i, i);
        const Vector3 q = a_.middleRows<3>(i) * p + c_.segment<3>(i) - own * p.segment<3>(i);
        p.segment<3>(i) = OneContact(own, q, block.mu).solve();
        continue;
      }
      const Eigen::Index rows = block.rows;
      const double stiffness =
          std::max(a_.block(i, i, rows, rows).rowwise().lpNorm<1>().maxCoeff(), problem_.scale()[i]);
      for (int k = 0; k < (rows > 3 ? moment_rounds : 1); ++k) {
        const Vector w = a_.middleRows(i, rows) * p + c_.segment(i, rows);
        p.segment(i, rows) -= w / stiffness;
        problem_.project(block, p);
      }
    }
    ++best_.sweeps;
  }

  // A derivative of the natural map; at a corner it is one of several.
  Eigen::MatrixXd slope(const Vector& p) const {
    const Eigen::Index n = problem_.size();
    // of the point that is projected: to = p - w / scale
    const Eigen::MatrixXd step = Eigen::MatrixXd::Identity(n, n) - problem_.scale().cwiseInverse().asDiagonal() * a_;
    const Vector to = p - (a_ * p + c_).cwiseQuotient(problem_.scale());
    Eigen::MatrixXd out = Eigen::MatrixXd::Identity(n, n);
    for (const ConeBlock& block : problem_.blocks()) {
      out.middleRows(block.first, block.rows) -=
          problem_.projection_slope(block, to) * step.middleRows(block.first, block.rows);
    }
    return out;
  }

  void newton(Vector& p, double close) {
    double merit = map(p).norm();
    for (int k = 0; k < newton_most && merit > close; ++k) {
      const Vector way = slope(p).partialPivLu().solve(-map(p).cwiseQuotient(problem_.scale()));
      ++best_.newton_steps;
      if (!way.allFinite()) return;
      double share = 1.0;
      double reached = merit;
      for (int halving = 0; halving < halvings; ++halving, share *= 0.5) {
        reached = map(p + share * way).norm();
        if (reached < (1.0 - slight * share) * merit) break;
      }
      if (!(reached < merit)) return;
      p += share * way;
      merit = reached;
    }
  }

  const ConeProblem& problem_;
  double enough_, fair_;
  Eigen::MatrixXd a_;
  Vector c_;
  ConeSolution best_;
};

}  // namespace

ConeSolution solve_cones(const ConeProblem& problem, const Vector& start, double enough, double fair) {
  return Search(problem, enough, fair).run(start);
}

}  // namespace pegrasp::reference::spatial
