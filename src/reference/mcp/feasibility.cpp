// SPDX-License-Identifier: Apache-2.0
// Variables x and s = F, rows M x - s = -q; a basis is a choice of n of the 2n columns, its inverse is kept dense.
#include "reference/mcp/feasibility.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pegrasp::mcp {
namespace {

constexpr int refactor_interval = 200;  // pivots; an inversion costs as much as some hundred of them
constexpr double largest_cost = 1e6;    // of a nonbasic variable; they begin at one
constexpr double drift = 1e-7;          // relative difference of the pivot from row and column: time to refactor

// What depends on the digits there are.
template <class Real>
constexpr bool longer = std::numeric_limits<Real>::digits > std::numeric_limits<double>::digits;
// For numbers near one. Below: rounding of the inverse is taken for a violation, and pivots never end.
template <class Real>
constexpr Real primal_tolerance = longer<Real> ? Real(1e-12) : Real(1e-9);
// By how much reduced costs may lose their sign for a larger pivot.
template <class Real>
constexpr Real harris_slack = longer<Real> ? Real(1e-12) : Real(1e-9);
// Of the largest pivot: a column depends on the others.
template <class Real>
constexpr Real singular = longer<Real> ? Real(1e-14) : Real(1e-11);
// Of the largest term or entry of a row: rounding of the inverse.
template <class Real>
constexpr Real row_rounding = longer<Real> ? Real(1e-16) : Real(1e-13);

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
      inverse_(-Inverse::Identity(n_, n_)),
      norm_(RealVector::Ones(n_)),
      row_(2 * n_),
      y_(RealVector::Zero(n_)) {
  m_.makeCompressed();
  for (int i = 0; i < n_; ++i) {
    basic_[index(i)] = n_ + i;
    position_[index(n_ + i)] = i;
  }
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
      // Updates may let costs grow without end. They mean nothing, so that any others do.
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
  RealVector solved = inverse_ * right;
  // Refined once: the inverse is a product of many pivots.
  for (int i = 0; i < n_; ++i)
    if (solved[i] != 0.0) add_column(basic_[index(i)], -solved[i], right);
  solved += inverse_ * right;
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

template <class Real>
typename Feasibility<Real>::RealMatrix Feasibility<Real>::basis() const {
  RealMatrix columns = RealMatrix::Zero(n_, n_);
  for (int i = 0; i < n_; ++i) {
    const int j = basic_[index(i)];
    if (j >= n_)
      columns(j - n_, i) = -1.0;
    else
      for (SparseMatrix::InnerIterator it(m_, j); it; ++it) columns(it.row(), i) = it.value();
  }
  return columns;
}

// A basis that rounding let become singular is repaired: columns that depend on the others give way to those s_i whose
// rows have no pivot, which cannot be in the basis already, for s_i has its pivot in row i or nowhere.
template <class Real>
void Feasibility<Real>::refactor() {
  const RealMatrix columns = basis();
  const Eigen::PartialPivLU<RealMatrix> lu(columns);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (n_ > 0 && pivots.minCoeff() > singular<Real> * pivots.maxCoeff()) {
    inverse_ = lu.inverse();
  } else if (n_ > 0) {
    Eigen::FullPivLU<RealMatrix> full(columns);
    full.setThreshold(singular<Real>);
    for (Eigen::Index k = full.rank(); k < n_; ++k) {
      // P B Q = L U: row i of B is row P(i) of L U, column k of L U is column Q(k) of B.
      const auto& rows = full.permutationP().indices();
      const auto row = static_cast<int>(std::find(rows.begin(), rows.end(), static_cast<int>(k)) - rows.begin());
      const int column = full.permutationQ().indices()[k];
      const int out = basic_[index(column)];
      if (position_[index(n_ + row)] >= 0) continue;
      position_[index(out)] = -1;
      basic_[index(column)] = n_ + row;
      position_[index(n_ + row)] = column;
      reduced_[index(n_ + row)] = 0.0;
    }
    inverse_ = basis().partialPivLu().inverse();
  }
  if (!inverse_.allFinite() || inverse_.cwiseAbs().maxCoeff() > 1.0 / (singular<Real> * singular<Real>)) reset();
  norm_ = inverse_.rowwise().squaredNorm();
  since_refactor_ = 0;
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
  }
  inverse_ = -Inverse::Identity(n_, n_);
  norm_ = RealVector::Ones(n_);
  since_refactor_ = 0;
}

template <class Real>
void Feasibility<Real>::compute_row(int r) {
  const auto rho = inverse_.row(r);
  for (int j = 0; j < n_; ++j) {
    Real sum = 0.0;
    if (position_[index(j)] < 0)
      for (SparseMatrix::InnerIterator it(m_, j); it; ++it) sum += rho[it.row()] * it.value();
    row_[j] = sum;
    row_[n_ + j] = position_[index(n_ + j)] < 0 ? -rho[j] : 0.0;
  }
}

// Dual steepest edge. -1: all basic variables are within their bounds.
template <class Real>
int Feasibility<Real>::leaving_row() const {
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
  RealVector rho = inverse_.row(r).transpose();
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
    rho += inverse_.transpose() * residual;
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

template <class Real>
typename Feasibility<Real>::Answer Feasibility<Real>::run(std::int64_t max_pivots) {
  place_nonbasic();
  compute_basic();
  banned_.clear();
  bool fresh = true;  // values are those of the inverse, not summed up over pivots
  bool was_reset = false;
  while (true) {
    if (since_refactor_ >= refactor_interval) {
      refactor();
      fresh = true;
    }
    const int r = leaving_row();
    if (r < 0) {
      if (!fresh) {
        compute_basic();
        fresh = true;
        continue;
      }
      if (rows_hold()) return Answer::feasible;
      if (since_refactor_ > 0) {
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
    const int leaving = basic_[index(r)];
    const auto out = index(leaving);
    const Real direction = value_[out] < lower_[out] ? 1.0 : -1.0;
    compute_row(r);
    const int enters = entering(direction);
    if (enters < 0) {
      keep_multipliers(r, direction);
      return Answer::infeasible;
    }
    if (pivots_ >= max_pivots) return Answer::failed;
    RealVector column = RealVector::Zero(n_), right = RealVector::Zero(n_);
    add_column(enters, 1.0, right);
    for (int k = 0; k < n_; ++k)
      if (right[k] != 0.0) column += right[k] * inverse_.col(k);
    const Real pivot = column[r];
    if (std::abs(pivot - row_[enters]) > drift * (1.0 + std::abs(pivot)) || std::abs(pivot) < 0.5 * pivot_tolerance_) {
      if (since_refactor_ > 0) {
        refactor();
        fresh = true;
      } else {
        banned_.push_back(enters);  // rounding even so: the basis would be singular
      }
      continue;
    }

    const Real bound = direction > 0.0 ? lower_[out] : upper_[out];
    const Real step = (value_[out] - bound) / pivot;
    for (int i = 0; i < n_; ++i) value_[index(basic_[index(i)])] -= step * column[i];
    value_[index(enters)] += step;
    value_[out] = bound;
    const Real dual = reduced_[index(enters)] / row_[enters];
    for (int j = 0; j < 2 * n_; ++j) {
      if (position_[index(j)] >= 0 || row_[j] == 0.0) continue;
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

    inverse_.row(r) /= pivot;
    norm_[r] = inverse_.row(r).squaredNorm();
    for (int i = 0; i < n_; ++i) {
      if (i == r || column[i] == 0.0) continue;
      inverse_.row(i) -= column[i] * inverse_.row(r);
      norm_[i] = inverse_.row(i).squaredNorm();
    }
    banned_.clear();
    ++pivots_;
    ++since_refactor_;
    fresh = false;
  }
}

template class Feasibility<double>;
template class Feasibility<long double>;

}  // namespace pegrasp::mcp
