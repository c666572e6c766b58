// SPDX-License-Identifier: Apache-2.0
// Variables x and s = F, rows M x - s = -q; a basis is a choice of n of the 2n columns.
#include "src/reference/mcp/feasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace pegrasp::mcp {
namespace {

constexpr int refactor_interval = 64;  // pivots. More: updates fill the factors; fewer: they are made anew for little
constexpr double largest_cost = 1e6;   // of a nonbasic variable; they begin at one
constexpr double drift = 1e-7;         // relative difference of the pivot from row and column: time to refactor

// Tolerance for numbers near one. With a smaller one the rounding of a solve counts as a violation, and pivots never
// end.
template <class Real>
constexpr Real primal_tolerance = longer<Real> ? Real(1e-12) : Real(1e-9);
// How far reduced costs may lose their sign in favour of a larger pivot.
template <class Real>
constexpr Real harris_slack = longer<Real> ? Real(1e-12) : Real(1e-9);
// Of the largest entry of a column, and of the basis: below it no pivot; the column depends on the others.
template <class Real>
constexpr Real dependent = longer<Real> ? Real(1e-16) : Real(1e-13);
// Of the largest term or entry of a row: rounding of what is solved.
template <class Real>
constexpr Real row_rounding = longer<Real> ? Real(1e-16) : Real(1e-13);
// Weights: an updated one that is off by more than this factor is computed anew (nearer ones shorten no search). None
// is below least_norm: differences of rounding could take it to zero and beyond.
constexpr double norm_slack = 1e3, least_norm = 1e-4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Real>
Feasibility<Real>::Feasibility(SparseMatrix m, Vector q)
    : n_(static_cast<int>(q.size())),
      m_(std::move(m)),
      q_(std::move(q)),
      lower_(index(2 * n_), -infinity),
      upper_(index(2 * n_), infinity),
      value_(index(2 * n_), 0.0),
      reduced_(index(2 * n_), 0.0),
      basic_(index(n_)),
      position_(index(2 * n_), -1),
      factor_(n_),
      columns_(index(n_)),
      all_rows_(index(n_)),
      minus_ones_(index(n_), -1.0),
      rho_(n_),
      column_(n_),
      tau_(n_),
      row_(2 * n_),
      y_(RealVector::Zero(n_)) {
  m_.makeCompressed();
  rows_ = m_;
  std::iota(all_rows_.begin(), all_rows_.end(), 0);
  reset();
}

template <class Real>
ColumnView Feasibility<Real>::view(int j) const {
  if (j >= n_) return {{all_rows_.data() + (j - n_), 1}, {minus_ones_.data() + (j - n_), 1}};
  const auto begin = static_cast<std::size_t>(m_.outerIndexPtr()[j]);
  const auto count = static_cast<std::size_t>(m_.outerIndexPtr()[j + 1]) - begin;
  return {{m_.innerIndexPtr() + begin, count}, {m_.valuePtr() + begin, count}};
}

template <class Real>
void Feasibility<Real>::set_bounds(int j, Real lower, Real upper) {
  lower_[index(j)] = lower;
  upper_[index(j)] = upper;
}

// A nonbasic variable sits at a bound that its reduced cost agrees with; where none does the cost is changed.
template <class Real>
void Feasibility<Real>::place_nonbasic() {
  for (int j = 0; j < 2 * n_; ++j) {
    if (position_[index(j)] >= 0) continue;
    const Real lower = lower_[index(j)], upper = upper_[index(j)];
    Real& d = reduced_[index(j)];
    const bool below = std::isfinite(lower), above = std::isfinite(upper);
    if (!below && !above) {
      d = 0.0;
    } else if (lower < upper) {
      // Updates may let costs grow without end. They have no meaning, so they are replaced by others.
      if (!(std::abs(d) <= largest_cost)) d = 0.0;
      if (d == 0.0) {
        const bool nearer_upper = above && (!below || value_[index(j)] - lower > upper - value_[index(j)]);
        d = nearer_upper ? -random_cost() : random_cost();
      }
      if (d > 0.0 && !below) d = -1e-3 * random_cost();
      if (d < 0.0 && !above) d = 1e-3 * random_cost();
    }
    if (below || above) value_[index(j)] = lower == upper || d > 0.0 ? lower : upper;
  }
}

template <class Real>
void Feasibility<Real>::add_column(int j, Real factor, RealVector& to) const {
  if (j >= n_) {
    to[j - n_] -= factor;
    return;
  }
  for (SparseMatrix::InnerIterator it(m_, j); it; ++it) to[it.row()] += factor * it.value();
}

template <class Real>
void Feasibility<Real>::compute_basic() {
  RealVector right = -q_.cast<Real>();
  for (int j = 0; j < 2 * n_; ++j)
    if (position_[index(j)] < 0 && value_[index(j)] != 0.0) add_column(j, -value_[index(j)], right);
  RealVector solved = right;
  factor_.solve(solved);
  // Refined once: the factors have been through many pivots.
  for (int i = 0; i < n_; ++i)
    if (solved[i] != 0.0) add_column(basic_[index(i)], -solved[i], right);
  factor_.solve(right);
  solved += right;
  for (int i = 0; i < n_; ++i) value_[index(basic_[index(i)])] = solved[i];
}

// Whether the rows M x - s + q = 0 hold, up to the tolerance and the rounding of their own terms.
template <class Real>
bool Feasibility<Real>::rows_hold() const {
  RealVector sum = q_.cast<Real>(), size = sum.cwiseAbs();
  for (int j = 0; j < n_; ++j) {
    const Real x = value_[index(j)];
    for (SparseMatrix::InnerIterator it(m_, j); it; ++it) {
      sum[it.row()] += it.value() * x;
      size[it.row()] += std::abs(it.value() * x);
    }
  }
  for (int i = 0; i < n_; ++i)
    if (!(std::abs(sum[i] - value_[index(n_ + i)]) <= primal_tolerance<Real> + row_rounding<Real> * size[i]))
      return false;
  return true;
}

// A basis that rounding let become singular is repaired: columns that depend on the others give way to the s_i of rows
// without a pivot, until none does: every round has more s in the basis. False: s_i is there and its entry, -1, is no
// pivot, beside entries of the basis that are larger by as much as the tolerance is small.
template <class Real>
bool Feasibility<Real>::factorise() {
  while (true) {
    for (int i = 0; i < n_; ++i) columns_[index(i)] = view(basic_[index(i)]);
    const auto missing = factor_.factorise(columns_, dependent<Real>, dependent<Real>);
    if (missing.positions.empty()) return true;
    norm_.setOnes();  // those of another basis are worth no more
    for (std::size_t k = 0; k < missing.positions.size(); ++k) {
      const int at = missing.positions[k], in = n_ + missing.rows[k];
      if (position_[index(in)] >= 0) return false;
      position_[index(basic_[index(at)])] = -1;
      basic_[index(at)] = in;
      position_[index(in)] = at;
      reduced_[index(in)] = 0.0;
    }
  }
}

template <class Real>
void Feasibility<Real>::refactor() {
  if (!factorise()) reset();
  place_nonbasic();
  compute_basic();
}

// The basis of all s.
template <class Real>
void Feasibility<Real>::reset() {
  for (int i = 0; i < n_; ++i) {
    position_[index(i)] = -1;
    position_[index(n_ + i)] = i;
    basic_[index(i)] = n_ + i;
    reduced_[index(i)] = reduced_[index(n_ + i)] = 0.0;
    if (!std::isfinite(value_[index(i)])) value_[index(i)] = 0.0;  // of x without bounds, which stays as it is
  }
  norm_ = RealVector::Ones(n_);
  factorise();
}

// Of rho_.
template <class Real>
void Feasibility<Real>::compute_row() {
  row_.setZero();
  for (int i = 0; i < n_; ++i) {
    const Real rho = rho_[i];
    if (rho == 0.0) continue;
    for (RowMajor::InnerIterator it(rows_, i); it; ++it) row_[it.col()] += rho * it.value();
    row_[n_ + i] = -rho;
  }
  for (const int j : basic_) row_[j] = 0.0;
}

// Dual steepest edge. -1: all basic variables are within their bounds.
template <class Real>
int Feasibility<Real>::leaving_position() const {
  int best = -1;
  Real most = 0.0;
  for (int i = 0; i < n_; ++i) {
    const auto j = index(basic_[index(i)]);
    const Real violation = std::max(lower_[j] - value_[j], value_[j] - upper_[j]);
    if (violation <= primal_tolerance<Real>) continue;
    const Real score = violation * violation / norm_[i];
    if (score > most) most = score, best = i;
  }
  return best;
}

// Harris' two passes; direction +1: the leaving variable must grow. -1: nothing can make it.
template <class Real>
int Feasibility<Real>::entering(Real direction) {
  const Real tolerance = std::max(static_cast<Real>(pivot_tolerance_), row_rounding<Real> * row_.cwiseAbs().maxCoeff());
  const auto can_enter = [&](int j) {
    const auto k = index(j);
    if (position_[k] >= 0 || lower_[k] == upper_[k]) return false;
    if (std::find(banned_.begin(), banned_.end(), j) != banned_.end()) return false;
    const Real a = direction * row_[j];
    if (!std::isfinite(lower_[k]) && !std::isfinite(upper_[k])) return std::abs(a) > tolerance;
    // It grows from its lower bound, where a < 0 makes the leaving variable grow.
    return value_[k] == lower_[k] ? a < -tolerance : a > tolerance;
  };
  Real longest = std::numeric_limits<Real>::infinity();
  for (int j = 0; j < 2 * n_; ++j)
    if (can_enter(j))
      longest = std::min(longest, (std::abs(reduced_[index(j)]) + harris_slack<Real>) / std::abs(row_[j]));
  int best = -1;
  for (int j = 0; j < 2 * n_; ++j)
    if (can_enter(j) && std::abs(reduced_[index(j)]) / std::abs(row_[j]) <= longest &&
        (best < 0 || std::abs(row_[j]) > std::abs(row_[best])))
      best = j;
  return best;
}

// y = -direction e_r' B^-1, improved once against B itself; entries that are zero in exact numbers are made so.
template <class Real>
void Feasibility<Real>::keep_multipliers(int r, Real direction) {
  RealVector rho = rho_;
  for (int pass = 0; pass < 2; ++pass) {
    RealVector residual = RealVector::Unit(n_, r);
    for (int i = 0; i < n_; ++i) {
      const int j = basic_[index(i)];
      Real sum = 0.0;
      if (j >= n_)
        sum = -rho[j - n_];
      else
        for (SparseMatrix::InnerIterator it(m_, j); it; ++it) sum += rho[it.row()] * it.value();
      residual[i] -= sum;
    }
    factor_.solve_transposed(residual);
    rho += residual;
  }
  y_ = -direction * rho;
  const Real zero = row_rounding<Real> * y_.cwiseAbs().maxCoeff();
  for (int i = 0; i < n_; ++i) {
    const auto s = index(n_ + i);
    const bool basic = position_[s] >= 0 && position_[s] != r;
    // F >= 0 admits y >= 0, F <= 0 admits y <= 0.
    const bool sign = (y_[i] > 0.0 && !std::isfinite(lower_[s])) || (y_[i] < 0.0 && !std::isfinite(upper_[s]));
    if (basic || sign || std::abs(y_[i]) < zero) y_[i] = 0.0;
  }
}

// By Forrest and Goldfarb's recurrence; that of position r is known exactly.
template <class Real>
void Feasibility<Real>::update_norms(int r) {
  const Real pivot = column_[r], leaving = rho_.squaredNorm();
  const auto keep = [this](int i, Real norm) { norm_[i] = norm > least_norm ? norm : Real(least_norm); };
  for (int i = 0; i < n_; ++i) {
    if (i == r || column_[i] == 0.0) continue;
    const Real factor = column_[i] / pivot;
    keep(i, norm_[i] + factor * (factor * leaving - 2 * tau_[i]));
  }
  keep(r, leaving / (pivot * pivot));
}

// `enters` takes position r in the basis; what was there goes to its bound. False: rounding spoils it.
template <class Real>
bool Feasibility<Real>::exchange(int r, int enters, Real direction) {
  column_.setZero();
  add_column(enters, 1.0, column_);
  factor_.solve_entering(column_);
  const Real pivot = column_[r];
  if (std::abs(pivot - row_[enters]) > drift * (1.0 + std::abs(pivot)) || std::abs(pivot) < 0.5 * pivot_tolerance_)
    return false;
  tau_ = rho_;
  factor_.solve(tau_);
  if (!factor_.replace(r)) return false;
  update_norms(r);

  const int leaving = basic_[index(r)];
  const auto out = index(leaving);
  const Real bound = direction > 0.0 ? lower_[out] : upper_[out];
  const Real step = (value_[out] - bound) / pivot;
  for (int i = 0; i < n_; ++i) value_[index(basic_[index(i)])] -= step * column_[i];
  value_[index(enters)] += step;
  value_[out] = bound;
  const Real dual = reduced_[index(enters)] / row_[enters];
  for (int j = 0; j < 2 * n_; ++j) {
    if (row_[j] == 0.0) continue;
    Real& d = reduced_[index(j)];
    const Real before = d;
    d -= dual * row_[j];
    if (before * d < 0.0) d = 0.0;  // Harris' slack; the cost is shifted
  }
  reduced_[index(enters)] = 0.0;
  reduced_[out] = -dual;
  position_[out] = -1;
  position_[index(enters)] = r;
  basic_[index(r)] = enters;
  return true;
}

template <class Real>
typename Feasibility<Real>::Answer Feasibility<Real>::run(std::int64_t max_pivots) {
  place_nonbasic();
  compute_basic();
  banned_.clear();
  bool fresh = true;  // values are those of the factors, not summed up over pivots
  bool was_reset = false;
  while (true) {
    if (factor_.updates() >= refactor_interval) {
      refactor();
      fresh = true;
    }
    const int r = leaving_position();
    if (r < 0) {
      if (!fresh) {
        compute_basic();
        fresh = true;
        continue;
      }
      if (rows_hold()) return Answer::feasible;
      if (factor_.updates() > 0) {
        refactor();
      } else if (!was_reset) {
        was_reset = true;
        reset();
        place_nonbasic();
        compute_basic();
      } else {
        return Answer::failed;
      }
      continue;
    }
    const auto leaving = index(basic_[index(r)]);
    const Real direction = value_[leaving] < lower_[leaving] ? 1.0 : -1.0;
    rho_ = RealVector::Unit(n_, r);
    factor_.solve_transposed(rho_);
    const Real norm = std::max(rho_.squaredNorm(), Real(least_norm));
    if (norm_[r] > norm_slack * norm || norm > norm_slack * norm_[r]) {
      norm_[r] = norm;  // then another row may be the one to go
      continue;
    }
    compute_row();
    const int enters = entering(direction);
    if (enters < 0) {
      keep_multipliers(r, direction);
      return Answer::infeasible;
    }
    if (pivots_ >= max_pivots) return Answer::failed;
    if (exchange(r, enters, direction)) {
      banned_.clear();
      ++pivots_;
      fresh = false;
    } else if (factor_.updates() > 0) {
      refactor();
      fresh = true;
    } else {
      banned_.push_back(enters);  // rounding even so: the basis would be singular
    }
  }
}

template class Feasibility<double>;
template class Feasibility<long double>;

}  // namespace pegrasp::mcp
