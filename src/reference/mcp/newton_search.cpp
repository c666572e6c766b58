// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/newton_search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "src/reference/mcp/acceptance.hpp"
#include "src/reference/mcp/certify.hpp"
#include "src/reference/mcp/crash.hpp"
#include "src/reference/mcp/merit.hpp"

namespace pegrasp::mcp {
namespace {

constexpr int slight_share = 5;  // so much shorter is the search for slight contradictions, where a node takes longer

// The residual below which more digits may help: for a path, and for proofs of slight contradictions before others.
constexpr double near_solution = 1e-4;

constexpr double armijo = 1e-4;        // of the descent that the slope promises
constexpr double least_step = 1e-10;   // shorter steps along a direction count as failure
constexpr double first_lambda = 1e-3;  // perturbation where a model fails, against the Jacobian's diagonal scale

constexpr int crash_steps = 10;

bool finite(const SparseMatrix& m) {
  for (Eigen::Index k = 0; k < m.nonZeros(); ++k) {
    if (!std::isfinite(m.valuePtr()[k])) return false;
  }
  return true;
}

double largest(const SparseMatrix& m) {
  double most = 0.0;
  for (Eigen::Index k = 0; k < m.nonZeros(); ++k) most = std::max(most, std::abs(m.valuePtr()[k]));
  return most;
}

}  // namespace

NewtonSearch::NewtonSearch(const Problem& problem, const Options& options, Budget& budget, PivotOrders& orders,
                           Result& result)
    : problem_(problem),
      options_(options),
      budget_(budget),
      result_(result),
      n_(static_cast<int>(result.x.size())),
      linear_(n_, options, result.statistics, budget, orders) {}

// False where F, or its Jacobian when asked, is not defined or not finite.
bool NewtonSearch::evaluate(const Vector& x, Point& point, SparseMatrix* jacobian) {
  ++result_.statistics.function_evaluations;
  if (jacobian) ++result_.statistics.jacobian_evaluations;
  point.x = x;
  if (!problem_.evaluate(x, point.f, jacobian) || point.f.size() != n_ || !point.f.allFinite()) return false;
  if (jacobian) {
    if (jacobian->rows() != n_ || jacobian->cols() != n_) return false;
    jacobian->makeCompressed();
    if (!finite(*jacobian)) return false;
  }
  point.merit = merit(x, point.f, problem_.lower, problem_.upper);
  point.residual = natural_residual(x, point.f, problem_.lower, problem_.upper);
  return true;
}

// Keeps the best point, which a failure returns.
void NewtonSearch::keep(const Point& point) {
  if (!(point.residual < result_.residual)) return;
  result_.x = point.x;
  result_.residual = point.residual;
}

// Solved (acceptance.hpp). Needs the Jacobian at the point.
bool NewtonSearch::good(const Point& point) {
  double rounding = 0.0;
  if (!accepted(point.x, point.f, jacobian_, problem_.lower, problem_.upper, options_.tolerance, rounding))
    return false;
  result_.x = point.x;
  result_.residual = point.residual;
  result_.rounding = rounding;
  return solved_ = true;
}

// The solution of the model at `at`, with lambda added to its diagonal where it fails without. False: no model would
// do.
bool NewtonSearch::newton_point(const Point& at, double& lambda, Vector& z) {
  const double scale = std::max(largest(jacobian_), 1e-300);
  // Near the end the model must be solved as exactly as the answer is wanted.
  const bool near = at.residual < 1e-3;
  ++majors_;
  for (int tries = 0; tries < 6; ++tries) {
    ++result_.statistics.majors;
    LinearModel model{jacobian_, at.f, problem_.lower, problem_.upper};
    model.q -= jacobian_ * at.x;
    if (lambda > 0.0) {
      SparseMatrix shift(n_, n_);
      shift.setIdentity();
      model.m += lambda * scale * shift;
      model.m.makeCompressed();
      model.q -= lambda * scale * at.x;
    }
    linear_.set_model(std::move(model), at.x);
    z = at.x;
    std::vector<Place> place = linear_.places(z);
    const PathEnd end = linear_.path(place, z);
    if (end == PathEnd::solution) {
      if (near) linear_.polish(place, z);
      return z.allFinite();
    }
    if (budget_.out_of_pivots() || budget_.out_of_time()) return false;
    if (!options_.perturb) return z.allFinite() && (z - at.x).lpNorm<Eigen::Infinity>() > 0.0;
    lambda = lambda == 0.0 ? (options_.regularisation > 0.0 ? options_.regularisation : first_lambda) : 10.0 * lambda;
  }
  return false;
}

// Armijo's rule on x + alpha d; f may be undefined on part of the segment.
bool NewtonSearch::search_segment(const Point& from, const Vector& direction, double reference, double slope,
                                  Point& to) {
  for (double alpha = 1.0; alpha > least_step; alpha *= 0.5) {
    const Vector x = (from.x + alpha * direction).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    if (evaluate(x, to, nullptr) && to.merit <= reference + armijo * alpha * slope) return true;
  }
  return false;
}

bool NewtonSearch::gradient_step(const Point& from, double reference, Point& to) {
  ++result_.statistics.gradient_steps;
  const Vector gradient = merit_gradient(from.x, from.f, jacobian_, problem_.lower, problem_.upper);
  const double size = gradient.norm();
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  // The first trial would bring a linear merit to zero.
  double beta = std::min(2.0 * from.merit / (size * size), 1e6);
  for (int k = 0; k < 60; ++k, beta *= 0.5) {
    const Vector x = (from.x - beta * gradient).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    const double slope = gradient.dot(x - from.x);
    if (!(slope < 0.0)) continue;
    if (evaluate(x, to, nullptr) && to.merit <= reference + armijo * slope)
      return to.merit < from.merit * (1.0 - 1e-12);
  }
  return false;
}

NewtonSearch::End NewtonSearch::descend(const Point& from, const Settings& settings) {
  Point at = from;
  if (!evaluate(at.x, at, &jacobian_)) return End::stuck;
  keep(at);
  std::deque<double> history{at.merit};
  Point checkpoint = at;
  int unchecked = 0;
  double lambda = settings.regularisation;
  const auto remember = [&](double value) {
    history.push_back(value);
    while (static_cast<int>(history.size()) > settings.memory) history.pop_front();
  };
  if (settings.gradient_first) {
    for (int k = 0; k < 20 && !good(at); ++k) {
      Point next;
      if (!gradient_step(at, at.merit, next) || !evaluate(next.x, at, &jacobian_)) break;
      keep(at);
    }
    if (!evaluate(at.x, at, &jacobian_)) return End::stuck;
  }
  for (int major = 0; major < settings.majors; ++major) {
    if (good(at)) return End::solved;
    if (budget_.out_of_pivots() || budget_.out_of_time()) return End::out_of_budget;
    const double reference = *std::max_element(history.begin(), history.end());
    Vector z;
    Point next;
    bool moved = false;
    const bool model = newton_point(at, lambda, z);
    lambda = lambda > settings.regularisation ? std::max(0.1 * lambda, settings.regularisation) : lambda;
    if (lambda < 1e-10) lambda = 0.0;
    if (model) {
      const Vector direction = z - at.x;
      if (!settings.search) {
        moved = evaluate(z, next, nullptr);
        if (!moved) return End::stuck;
      } else {
        const bool whole = evaluate(z, next, nullptr);
        if (whole && next.merit <= (1.0 - armijo) * reference) {
          moved = true;
          unchecked = 0;
        } else if (whole && unchecked < settings.watchdog && std::isfinite(next.merit)) {
          // The watchdog accepts full steps that increase the merit for a while; the checkpoint is kept to return to.
          if (unchecked == 0) checkpoint = at;
          ++unchecked;
          moved = true;
        } else {
          if (unchecked > 0 && checkpoint.merit < at.merit) {
            ++result_.statistics.watchdog_returns;
            if (!evaluate(checkpoint.x, at, &jacobian_)) return End::stuck;
            unchecked = settings.watchdog;  // and searches from there
            history.assign(1, at.merit);
            checkpoint.merit = infinity;
            continue;
          }
          unchecked = 0;
          const Vector gradient = merit_gradient(at.x, at.f, jacobian_, problem_.lower, problem_.upper);
          const double slope = gradient.dot(direction);
          if (slope < -1e-12 * direction.squaredNorm()) moved = search_segment(at, direction, reference, slope, next);
        }
      }
    }
    if (!moved) {
      if (!settings.search) return End::stuck;
      moved = gradient_step(at, reference, next);
      if (!moved) return End::stuck;
    }
    if (!evaluate(Vector(next.x), at, &jacobian_)) return End::stuck;
    keep(at);
    remember(at.merit);
  }
  return good(at) ? End::solved : End::majors;
}

// Searches for a proof that there is no solution, with at most so many leaves, or meets a solution on the way. True:
// the search is over.
bool NewtonSearch::certify(int nodes, Digits digits, Branching branching) {
  Options limited = options_;
  limited.certify_nodes = std::min(nodes, options_.certify_nodes);
  limited.time_limit_s = std::min(limited.time_limit_s, budget_.seconds_left());
  const LinearModel& m = linear_.model();
  Vector met;
  std::optional<Certificate> proof =
      find_certificate(m.m, m.q, m.lower, m.upper, result_.x, limited, &met, digits, branching);
  if (proof) {
    result_.certificate = *std::move(proof);
    return true;
  }
  if (met.size() != n_ || !linear_.refine(met)) return false;
  Point at;
  return evaluate(met, at, nullptr) && good(at);
}

// Linear problems: paths from several starts, before anything is searched. True: solved, or shown to have no solution.
bool NewtonSearch::solve_linear() {
  Point at;
  const Vector start = result_.x;
  Vector z = start;
  const auto solved = [&](bool found) {
    if (evaluate(z, at, nullptr)) keep(at);
    return found && good(at);
  };
  if (solved(linear_.solve_quickly(z))) return true;
  // A proof costs as much as some paths, in vain where one of them solves the problem.
  if (options_.restarts && solved(linear_.solve_from_elsewhere(z))) return true;
  if (options_.restarts && solved(linear_.solve_relaxed(start, z))) return true;
  if (options_.certify && certify(1)) return true;
  if (!options_.restarts) return false;
  if (solved(linear_.solve_perturbed(z))) return true;
  if (result_.residual < near_solution && solve_precisely()) return true;
  return options_.certify && certify(100);
}

// The linear problem itself, from F at a point, F = f + M (x - around). False where F is not defined there.
bool NewtonSearch::set_linear_model(const Vector& around) {
  Point at;
  if (!evaluate(around, at, nullptr)) return false;
  LinearModel model{jacobian_, at.f, problem_.lower, problem_.upper};
  model.q -= jacobian_ * around;
  linear_.set_model(std::move(model), around);
  return true;
}

// Solves with 32 decimals where impulses are so large that no double meets the tolerance: a solution up to rounding, or
// as a sum of two doubles. A sum is claimed only for bounds that admit 0, because the model has every digit of F(0),
// but not of F elsewhere.
bool NewtonSearch::solve_precisely() {
  const Vector origin = Vector::Zero(n_).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  const bool sums = options_.sums && origin.isZero(0.0);
  if (tried_precisely_ || (solved_ && !sums)) return false;
  tried_precisely_ = true;
  Vector high, low;
  Point at;
  if (!set_linear_model(origin) || !linear_.follow_precisely(high, low) || !evaluate(high, at, nullptr)) return false;
  if (!solved_) {
    keep(at);
    good(at);
  }
  const LinearModel& m = linear_.model();
  if (sums && !(result_.residual <= options_.tolerance) &&
      precise_residual(m.m, m.q, m.lower, m.upper, high, low) <= options_.tolerance) {
    result_.sum_high = high;
    result_.sum_low = low;
    solved_ = true;
  }
  return solved_;
}

void NewtonSearch::run() {
  Point start;
  if (!evaluate(result_.x, start, &jacobian_)) {
    result_.status = Status::evaluation_failed;
    result_.message = "F or its Jacobian is not defined, not finite or of the wrong size at the start";
    return;
  }
  keep(start);
  const auto finish = [&](Status status, std::string message) {
    if (problem_.linear && solved_ && result_.rounding > 0.0) solve_precisely();  // for the digits
    result_.status = solved_ ? Status::solved : (result_.certificate.leaves.empty() ? status : Status::infeasible);
    if (!solved_) result_.message = std::move(message);
  };
  if (problem_.linear) {
    set_linear_model(start.x);  // F is defined there
    if (solve_linear()) return finish(Status::solved, "no point meets the conditions: see the certificate");
    if (!options_.globalise) return finish(Status::no_progress, "the path ended without a solution");
  }
  if (options_.crash) {
    Point next = start;
    for (int k = 0; k < crash_steps && crash_step(problem_, jacobian_, next.x, next.f, next.merit); ++k) {
      if (!evaluate(Vector(next.x), next, &jacobian_)) break;
      keep(next);
      start = next;
    }
    evaluate(Vector(start.x), start, &jacobian_);
  }
  const bool search = options_.globalise;
  const int watchdog = 5;
  const std::vector<Settings> all = {
      {options_.memory, watchdog, search, 0.0, 200, false},  {1, 0, search, 0.0, 100, true},
      {options_.memory, watchdog, search, 1e-2, 200, false}, {options_.memory, 0, false, 0.0, 60, false},
      {options_.memory, 0, search, 1.0, 100, false},         {1, 0, search, 1e-1, 200, true},
  };
  const std::size_t runs = options_.restarts ? all.size() : 1;
  Status status = Status::no_progress;
  std::string message = "every start and setting ended without a solution";
  for (std::size_t k = 0; k < runs && !solved_; ++k) {
    if (k > 0) ++result_.statistics.restarts;
    Settings settings = all[k];
    settings.majors = std::min(settings.majors, options_.max_majors - majors_);
    if (settings.majors <= 0) {
      status = Status::iteration_limit;
      message = "no solution within " + std::to_string(options_.max_majors) + " linearisations";
      break;
    }
    const End end = descend(start, settings);
    if (end == End::out_of_budget) {
      status = budget_.out_of_time() ? Status::time_limit : Status::pivot_limit;
      message =
          status == Status::time_limit ? "no solution within the time limit" : "no solution within the pivot limit";
      break;
    }
  }
  if (problem_.linear && !solved_ && options_.certify && !budget_.out_of_time()) {
    evaluate(start.x, start, &jacobian_);
    set_linear_model(start.x);
    // Where a point nearly solves the problem it contradicts itself by little, if at all.
    const bool near = result_.residual < near_solution;
    for (const bool slight : {near, !near}) {
      if (slight ? certify(options_.certify_nodes / slight_share, Digits::more, Branching::at_hint)
                 : certify(options_.certify_nodes))
        break;
    }
  }
  finish(status, std::move(message));
}

}  // namespace pegrasp::mcp
