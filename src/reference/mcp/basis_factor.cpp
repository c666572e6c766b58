// SPDX-License-Identifier: Apache-2.0
// Solves with the factors, and the update of Forrest and Tomlin.
//
// Factors: B = L R_1^-1 .. R_k^-1 U, rows and columns permuted, each R_k the identity but for one row. Replacing the
// column whose pivot is in row r puts the spike, R_k .. R_1 L^-1 a, in its place; r becomes the last of the order, and
// the entries of row r of U are eliminated by the rows after it, which makes R_k+1 and the one new number on the
// diagonal.
#include "src/reference/mcp/basis_factor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace pegrasp::mcp {

namespace {

// In long double all of these have as many digits more as it has.
// The new diagonal entry follows from two independent sums. Where they differ by more than this share of it, the
// factors have lost too many digits. With a larger value errors are noticed later, with a smaller one the basis is
// factorised needlessly.
template <class Real>
constexpr Real update_disagreement = longer<Real> ? Real(1e-11) : Real(1e-8);
// The new diagonal entry relative to the sum of the sizes of its terms: below this nearly all digits cancelled.
template <class Real>
constexpr Real update_cancellation = longer<Real> ? Real(1e-15) : Real(1e-12);
// And against the largest entry of the new column, where factorise() was given less.
template <class Real>
constexpr Real update_smallest = longer<Real> ? Real(1e-16) : Real(1e-13);

}  // namespace

// n + 1 numbers in the buffers: slots given up point at the last, which stays zero.
template <class Real>
BasisFactor<Real>::BasisFactor(int n, PivotOrders* orders)
    : n_(n), orders_(orders), row_of_(n), slot_(n), spike_(n + 1), entering_(n + 1), row_work_(n + 1), work_(n + 1) {}

// Factorises in the known order of pivots for this pattern. False where none is known, or where it can no longer be
// used.
template <class Real>
bool BasisFactor<Real>::repeat(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance) {
  if (orders_ == nullptr) return false;
  const PivotOrder* const order = orders_->find(columns);
  if (order == nullptr) return false;
  const bool served = refactor_.factorise(*order, columns, pivot_tolerance, zero_tolerance, lower_, upper_);
  orders_->tell(served);
  return served;
}

template <class Real>
typename BasisFactor<Real>::Dependent BasisFactor<Real>::factorise(std::span<const ColumnView> columns,
                                                                   Real pivot_tolerance, Real zero_tolerance) {
  assert(static_cast<int>(columns.size()) == n_);
  Dependent dependent;
  repeated_ = repeat(columns, pivot_tolerance, zero_tolerance);
  if (!repeated_) {
    markowitz_.factorise(columns, pivot_tolerance, zero_tolerance, lower_, upper_, dependent.positions, dependent.rows);
    if (orders_ != nullptr && dependent.rows.empty())
      orders_->remember(columns, markowitz_.pivots(), markowitz_.first_dense());
  }
  largest_ = repeated_ ? refactor_.largest() : markowitz_.largest();
  row_changes_.clear();
  updates_ = 0;
  has_entering_ = false;
  pivot_tolerance_ = pivot_tolerance;
  largest_upper_ = repeated_ ? refactor_.largest_upper() : markowitz_.largest_upper();
  largest_multiplier_ = 0.0;
  row_first_.assign(n_, -1);
  std::fill(row_work_.begin(), row_work_.end(), 0.0);
  const int entries = static_cast<int>(upper_.row.size());
  row_next_.resize(entries);
  for (int e = entries - 1; e >= 0; --e) {
    row_next_[e] = row_first_[upper_.row[e]];
    row_first_[upper_.row[e]] = e;
  }
  for (int r = 0; r < n_; ++r) row_of_[upper_.position[r]] = r;
  std::fill(slot_.begin(), slot_.end(), -1);
  for (std::size_t s = 0; s < upper_.order.size(); ++s) slot_[upper_.order[s]] = static_cast<int>(s);
  return dependent;
}

// w := R_k .. R_1 L^-1 w.
template <class Real>
void BasisFactor<Real>::solve_lower(Real* w) const {
  {
    const int* const pivot = lower_.pivot.data();
    const int* const start = lower_.start.data();
    const int* const index = lower_.index.data();
    const Real* const value = lower_.value.data();
    for (int k = 0, count = lower_.count(); k < count; ++k) {
      const Real x = w[pivot[k]];
      if (x == 0.0) continue;
      for (int e = start[k], end = start[k + 1]; e < end; ++e) w[index[e]] -= value[e] * x;
    }
  }
  const int* const start = row_changes_.start.data();
  const int* const index = row_changes_.index.data();
  const Real* const value = row_changes_.value.data();
  for (int k = 0, count = row_changes_.count(); k < count; ++k) {
    Real sum = 0.0;
    for (int e = start[k], end = start[k + 1]; e < end; ++e) sum += value[e] * w[index[e]];
    w[row_changes_.pivot[k]] -= sum;
  }
}

// x := U^-1 w, by positions. What is left in w[r] is the solution times the diagonal.
template <class Real>
void BasisFactor<Real>::solve_upper(Real* w, Real* x) const {
  const int* const order = upper_.order.data();
  const int* const start = upper_.start.data();
  const int* const end = upper_.end.data();
  const int* const row = upper_.row.data();
  const Real* const value = upper_.value.data();
  const Real* const inverse = upper_.inverse.data();
  for (int s = static_cast<int>(upper_.order.size()) - 1; s >= 0; --s) {
    const int r = order[s];
    if (w[r] == 0.0) continue;
    const Real y = w[r] * inverse[r];
    for (int e = start[r], last = end[r]; e < last; ++e) w[row[e]] -= value[e] * y;
  }
  const int* const position = upper_.position.data();
  for (int r = 0; r < n_; ++r) x[position[r]] = w[r] * inverse[r];
}

template <class Real>
void BasisFactor<Real>::solve(RealVector& x) const {
  assert(x.size() == n_);
  std::copy_n(x.data(), n_, work_.data());
  solve_lower(work_.data());
  solve_upper(work_.data(), x.data());
}

template <class Real>
void BasisFactor<Real>::solve_entering(RealVector& x) {
  assert(x.size() == n_);
  std::copy_n(x.data(), n_, spike_.data());
  solve_lower(spike_.data());
  std::copy_n(spike_.data(), n_, entering_.data());
  solve_upper(entering_.data(), x.data());
  has_entering_ = true;
}

template <class Real>
void BasisFactor<Real>::solve_transposed(RealVector& x) const {
  assert(x.size() == n_);
  Real* const w = work_.data();
  for (int r = 0; r < n_; ++r) w[r] = x[upper_.position[r]];
  // Rows that are not in the order have no entries in their columns.
  for (int r = 0; r < n_; ++r)
    if (slot_[r] < 0) w[r] *= upper_.inverse[r];
  for (const int r : upper_.order) {
    if (r == n_) continue;
    Real sum = w[r];
    for (int e = upper_.start[r]; e < upper_.end[r]; ++e) sum -= upper_.value[e] * w[upper_.row[e]];
    w[r] = sum * upper_.inverse[r];
  }
  for (int k = row_changes_.count() - 1; k >= 0; --k) {
    const Real y = w[row_changes_.pivot[k]];
    if (y == 0.0) continue;
    for (int e = row_changes_.start[k]; e < row_changes_.start[k + 1]; ++e)
      w[row_changes_.index[e]] -= row_changes_.value[e] * y;
  }
  for (int k = lower_.count() - 1; k >= 0; --k) {
    Real sum = 0.0;
    for (int e = lower_.start[k]; e < lower_.start[k + 1]; ++e) sum += lower_.value[e] * w[lower_.index[e]];
    w[lower_.pivot[k]] -= sum;
  }
  std::copy_n(w, n_, x.data());
}

// Eliminates row r of U by the rows after it; the multipliers are left unfinished in row_changes_. Returns the new
// diagonal, and in `size` the sum of the sizes of its terms.
template <class Real>
Real BasisFactor<Real>::eliminate_row(int r, Real& size) {
  Real diagonal = spike_[r];
  size = std::abs(diagonal);
  const int* const first = row_first_.data();
  const int* const next = row_next_.data();
  const int* const column = upper_.column.data();
  const Real* const value = upper_.value.data();
  Real* const w = row_work_.data();
  for (int e = first[r]; e >= 0; e = next[e]) w[column[e]] += value[e];  // of two for a column, one is deleted
  if (first[r] < 0) return diagonal;
  const int* const order = upper_.order.data();
  const Real* const inverse = upper_.inverse.data();
  const Real* const spike = spike_.data();
  for (int s = slot_[r] + 1, slots = static_cast<int>(upper_.order.size()); s < slots; ++s) {
    const int j = order[s];
    if (w[j] == 0.0) continue;
    const Real multiplier = w[j] * inverse[j];
    w[j] = 0.0;
    row_changes_.push(j, multiplier);
    const Real term = multiplier * spike[j];
    diagonal -= term;
    size += std::abs(term);
    for (int e = first[j]; e >= 0; e = next[e]) w[column[e]] -= multiplier * value[e];
  }
  return diagonal;
}

template <class Real>
bool BasisFactor<Real>::replace(int position) {
  assert(position >= 0 && position < n_);
  if (!has_entering_) return false;
  const int r = row_of_[position];
  Real size = 0.0;
  const Real diagonal = eliminate_row(r, size);
  const Real predicted = entering_[r];  // the solution at this position times the old diagonal

  // The new column of U, appended; taken back when the update is refused.
  const int begin = static_cast<int>(upper_.row.size());
  upper_.row.resize(begin + n_);
  upper_.value.resize(begin + n_);
  int end = begin;
  Real largest = std::abs(spike_[r]);
  {
    int* const row = upper_.row.data();
    Real* const value = upper_.value.data();
    for (int i = 0; i < n_; ++i) {
      const Real entry = spike_[i];
      row[end] = i;
      value[end] = entry;
      end += entry != 0.0 && i != r;
    }
    for (int e = begin; e < end; ++e) largest = std::max(largest, std::abs(value[e]));
  }
  const Real smallest = std::max({std::max(pivot_tolerance_, update_smallest<Real>) * largest,
                                  update_cancellation<Real> * size, std::numeric_limits<Real>::min()});
  if (!(std::abs(diagonal) > smallest) ||
      !(std::abs(diagonal - predicted) <= update_disagreement<Real> * std::abs(diagonal))) {
    upper_.row.resize(begin);
    upper_.value.resize(begin);
    row_changes_.drop_unfinished();
    return false;
  }

  for (std::size_t e = row_changes_.start.back(); e < row_changes_.value.size(); ++e)
    largest_multiplier_ = std::max(largest_multiplier_, std::abs(row_changes_.value[e]));
  if (static_cast<int>(row_changes_.value.size()) > row_changes_.start.back()) row_changes_.finish(r);
  largest_upper_ = std::max({largest_upper_, largest, std::abs(diagonal)});

  for (int e = row_first_[r]; e >= 0; e = row_next_[e]) upper_.value[e] = 0.0;
  row_first_[r] = -1;
  for (int e = upper_.start[r]; e < upper_.end[r]; ++e) upper_.value[e] = 0.0;
  upper_.row.resize(end);
  upper_.value.resize(end);
  upper_.column.resize(end, r);
  row_next_.resize(end);
  for (int e = begin; e < end; ++e) {
    row_next_[e] = row_first_[upper_.row[e]];
    row_first_[upper_.row[e]] = e;
  }
  upper_.start[r] = begin;
  upper_.end[r] = end;
  upper_.pivot(r, position, diagonal);
  if (slot_[r] >= 0) upper_.order[slot_[r]] = n_;
  slot_[r] = -1;
  if (end > begin) {
    slot_[r] = static_cast<int>(upper_.order.size());
    upper_.order.push_back(r);
  }
  has_entering_ = false;
  ++updates_;
  return true;
}

template <class Real>
Real BasisFactor<Real>::growth() const {
  return std::max(largest_ > 0.0 ? largest_upper_ / largest_ : 0.0, largest_multiplier_);
}

template <class Real>
std::size_t BasisFactor<Real>::entries() const {
  return lower_.index.size() + row_changes_.index.size() + upper_.row.size() + static_cast<std::size_t>(n_);
}

template class BasisFactor<double>;
template class BasisFactor<long double>;

}  // namespace pegrasp::mcp
