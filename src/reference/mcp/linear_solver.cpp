// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/linear_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/reference/mcp/acceptance.hpp"
#include "src/reference/mcp/precise_lemke.hpp"
#include "src/reference/mcp/thread_time.hpp"

namespace pegrasp::mcp {
namespace {

// Relative to the tolerance: the residual up to which relaxing rows by the tolerance is worthwhile.
constexpr double relaxation_reach = 100.0;
constexpr std::array relaxed_parts{0.9, 0.98};  // of the tolerance, by which rows are relaxed

constexpr std::int64_t path_pivots = 50000;  // one path may take so many, at most

// A number in [1/2, 3/2) that depends on i alone: covering vectors off the diagonal of e.
double spread(int i, int variant) {
  std::uint64_t x =
      static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(variant) * 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return 0.5 + static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace

LinearSolver::LinearSolver(int n, const Options& options, Statistics& statistics, Budget& budget, PivotOrders& orders)
    : n_(n),
      options_(options),
      statistics_(statistics),
      budget_(budget),
      tolerance_(options.tolerance),
      engine_(n, orders) {}

void LinearSolver::set_model(LinearModel model, const Vector& z) {
  model_ = std::move(model);
  scaling_ = choose_scaling(model_, z);
  scaled_ = scaled(model_, scaling_);
  engine_.forget();
}

double LinearSolver::residual(const Vector& z) const {
  Vector f = model_.q;
  f += model_.m * z;
  return natural_residual(z, f, model_.lower, model_.upper);
}

bool LinearSolver::good(const Vector& z) const {
  Vector f = model_.q;
  f += model_.m * z;
  double rounding = 0.0;
  return accepted(z, f, model_.m, model_.lower, model_.upper, tolerance_, rounding);
}

std::vector<Place> LinearSolver::places(const Vector& z) const {
  std::vector<Place> place(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) {
    Place& at = place[static_cast<std::size_t>(i)];
    at = z[i] <= model_.lower[i] ? Place::lower : (z[i] >= model_.upper[i] ? Place::upper : Place::basic);
  }
  return place;
}

PathEnd LinearSolver::follow(std::vector<Place>& place, Vector& z, const Vector* covering, double tolerance) {
  PivotSettings settings;
  settings.pivot_tolerance = options_.pivot_tolerance;
  settings.feasibility_tolerance = tolerance;
  settings.refactor_interval = options_.refactor_interval;
  settings.max_pivots = std::min(budget_.pivots, path_pivots);
  settings.deadline = budget_.deadline;
  const double begin = thread_seconds();
  Vector s = to_scaled(z, scaling_);
  const PathEnd end = engine_.follow(scaled_, place, s, covering, settings);
  z = from_scaled(s, scaling_).cwiseMax(model_.lower).cwiseMin(model_.upper);
  statistics_.pivots += engine_.pivots();
  statistics_.factorisations += engine_.factorisations();
  statistics_.repeated_factorisations += engine_.repeated_factorisations();
  statistics_.pivot_seconds += thread_seconds() - begin;
  budget_.pivots -= engine_.pivots();
  return end;
}

PathEnd LinearSolver::path(std::vector<Place>& place, Vector& z) {
  return follow(place, z, nullptr, options_.feasibility_tolerance);
}

PathEnd LinearSolver::ray_path(std::vector<Place>& place, Vector& z, const Vector& covering) {
  for (int i = 0; i < n_; ++i) {
    Place& at = place[static_cast<std::size_t>(i)];
    at = std::isfinite(model_.lower[i]) ? Place::lower : (std::isfinite(model_.upper[i]) ? Place::upper : Place::basic);
  }
  return follow(place, z, &covering, options_.feasibility_tolerance);
}

double LinearSolver::polish(std::vector<Place>& place, Vector& z) {
  double best = residual(z);
  double tolerance = options_.feasibility_tolerance;
  for (int k = 0; k < 6 && !good(z) && !budget_.out_of_pivots() && !budget_.out_of_time(); ++k) {
    tolerance = std::max(1e-3 * tolerance, 1e-13);
    std::vector<Place> next_place = place;
    Vector next = z;
    // First from the basis, then from the point alone, whose basis may be another.
    if (k % 2 == 1) next_place = places(z);
    if (follow(next_place, next, nullptr, tolerance) != PathEnd::solution) continue;
    const double reached = residual(next);
    if (!(reached < best)) continue;
    best = reached;
    z = next;
    place = next_place;
  }
  return best;
}

// One path from `start` and its polish; `best` is replaced by what is better.
double LinearSolver::attempt(const std::vector<Place>& from, const Vector& start, const Vector* covering,
                             Vector& best) {
  ++statistics_.majors;
  std::vector<Place> place = from;
  Vector z = start;
  const PathEnd end = covering ? ray_path(place, z, *covering) : path(place, z);
  double reached = residual(z);
  if (end == PathEnd::solution) {
    reached = polish(place, z);
  }
  if (reached < residual(best)) best = z;
  return residual(best);
}

// (M + lambda I) z + q - lambda z_k, from z_k with lambda fading: its path is regular where M's basis is singular.
double LinearSolver::perturbed(const Vector& start, double lambda, Vector& best) {
  const LinearModel original = model_;
  Vector z = start;
  std::vector<Place> place = places(z);
  SparseMatrix identity(n_, n_);
  identity.setIdentity();
  // The residual a perturbed solution leaves is lambda |z - z_k|: repeating the last lambda brings it down, too.
  for (int k = 0; k < 12 && !budget_.out_of_pivots() && !budget_.out_of_time(); ++k) {
    ++statistics_.majors;
    LinearModel shifted = original;
    shifted.m += lambda * identity;
    shifted.m.makeCompressed();
    shifted.q -= lambda * z;
    set_model(std::move(shifted), z);
    const PathEnd end = path(place, z);
    set_model(original, z);
    if (end != PathEnd::solution) break;
    if (residual(z) < residual(best)) best = z;
    if (good(best)) break;
    std::vector<Place> last_place = place;
    Vector last = z;
    if (path(last_place, last) == PathEnd::solution) {
      polish(last_place, last);
      if (residual(last) < residual(best)) best = last;
      if (good(best)) break;
    }
    lambda = std::max(1e-2 * lambda, 1e-8);
  }
  return residual(best);
}

bool LinearSolver::done(const Vector& best) const {
  return good(best) || budget_.out_of_pivots() || budget_.out_of_time();
}

bool LinearSolver::refine(Vector& z) {
  std::vector<Place> place = places(z);
  polish(place, z);
  return good(z);
}

bool LinearSolver::solve_quickly(Vector& best) {
  best = best.cwiseMax(model_.lower).cwiseMin(model_.upper);
  if (good(best)) return true;
  if (budget_.out_of_pivots() || budget_.out_of_time()) return false;
  const Vector start = best;
  if (!options_.regular_start) {
    const Vector e = Vector::Ones(n_);
    attempt(places(start), start, &e, best);
    return good(best);
  }
  attempt(places(start), start, nullptr, best);
  if (good(best) || !options_.restarts || best == start) return good(best);
  attempt(places(best), Vector(best), nullptr, best);
  return good(best);
}

bool LinearSolver::solve_from_elsewhere(Vector& best) {
  const Vector start = Vector::Zero(n_).cwiseMax(model_.lower).cwiseMin(model_.upper);
  if (budget_.out_of_pivots() || budget_.out_of_time()) return false;
  ++statistics_.restarts;
  attempt(places(start), start, nullptr, best);
  for (int variant = 0; variant < 4 && !done(best); ++variant) {
    ++statistics_.restarts;
    Vector covering = Vector::Ones(n_);
    for (int i = 0; variant > 0 && i < n_; ++i) covering[i] = spread(i, variant);
    attempt(places(start), start, &covering, best);
  }
  return good(best);
}

// q with rows relaxed whose variables have one bound.
Vector LinearSolver::relaxed_q(double amount) const {
  Vector q = model_.q;
  for (int i = 0; i < n_; ++i) {
    const bool below = std::isfinite(model_.lower[i]), above = std::isfinite(model_.upper[i]);
    if (below != above) q[i] += below ? amount : -amount;
  }
  return q;
}

// The natural residual changes by no more than F does, so that a solution of the relaxed problem solves the problem to
// the tolerance. Where walls contradict each other by less than that, no path through the original problem comes to an
// end.
bool LinearSolver::solve_relaxed(const Vector& start, Vector& best) {
  if (done(best) || residual(best) > relaxation_reach * options_.tolerance) return good(best);
  const LinearModel original = model_;
  const Vector bounds = Vector::Zero(n_).cwiseMax(model_.lower).cwiseMin(model_.upper);
  for (const double part : relaxed_parts) {
    ++statistics_.restarts;
    LinearModel relaxed = original;
    relaxed.q = relaxed_q(part * options_.tolerance);
    Vector z = best;
    set_model(std::move(relaxed), z);
    tolerance_ = (1.0 - part) * options_.tolerance;
    for (const Vector& from : {best, start, bounds})
      if (!done(z)) attempt(places(from), from, nullptr, z);
    tolerance_ = options_.tolerance;
    set_model(original, z);
    if (residual(z) < residual(best)) best = z;
    if (done(best)) break;
  }
  return good(best);
}

// Constraints that leave no clearance may need unbounded impulses; a small clearance bounds them. What remains above
// the tolerance is the rounding of rows with large impulses.
bool LinearSolver::follow_precisely(Vector& z, Vector& z_low) {
  if (n_ > largest_precise || budget_.out_of_pivots() || budget_.out_of_time()) return false;
  ++statistics_.restarts;
  const double begin = thread_seconds();
  LinearModel relaxed = model_;
  relaxed.q = relaxed_q(relaxed_parts.front() * options_.tolerance);
  std::int64_t pivots = 0;
  const bool ended = mcp::solve_precisely(relaxed, budget_.pivots, budget_.deadline, pivots, z, z_low);
  statistics_.pivots += pivots;
  statistics_.pivot_seconds += thread_seconds() - begin;
  budget_.pivots -= pivots;
  return ended;
}

bool LinearSolver::solve_perturbed(Vector& best) {
  const Vector start = Vector::Zero(n_).cwiseMax(model_.lower).cwiseMin(model_.upper);
  for (const double lambda : {1e-2, 1.0}) {
    if (!options_.perturb || done(best)) break;
    ++statistics_.restarts;
    perturbed(start, lambda, best);
  }
  return good(best);
}

}  // namespace pegrasp::mcp
