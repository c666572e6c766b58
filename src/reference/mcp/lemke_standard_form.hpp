// SPDX-License-Identifier: Apache-2.0
// Brings a mixed linear problem into the form of Lemke's method: w = M z + q, w, z >= 0, w'z = 0. Dense, in numbers of
// any length.
#pragma once

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "src/reference/mcp/certificate.hpp"
#include "src/reference/mcp/double_double.hpp"

namespace pegrasp::mcp::lemke {

using Clock = std::chrono::steady_clock;

// The tolerances that depend on the digits of a number. Numbers should be near one: below one, `pivot_zero` and `tie`
// are absolute.
template <class Real>
struct Thresholds;

template <>
struct Thresholds<double> {
  // Relative to the column's largest entry, or to one: smaller entries count as zero, because such a pivot loses all
  // digits. With a larger value true pivots are missed, which ends in false rays.
  static constexpr double pivot_zero = 1e-11;
  // Ratios that differ by less, relative, or absolute below one, count as equal. Otherwise rounding would break ties.
  static constexpr double tie = 1e-12;
  // Times the number of free variables, relative to the largest pivot of their block: rounding.
  static constexpr double singular = std::numeric_limits<double>::epsilon();
};

// Measured on steps with contact that need these digits: with a pivot_zero of 1e-18 or 1e-26, or with a tie of 1e-12,
// steps are lost.
template <>
struct Thresholds<DoubleDouble> {
  static constexpr double pivot_zero = 1e-22;
  static constexpr double tie = 1e-24;
  static constexpr double singular = 1e-26;
};

template <class Real>
class Dense {
 public:
  Dense() = default;
  Dense(int rows, int columns)
      : columns_(static_cast<std::size_t>(columns)), entries_(static_cast<std::size_t>(rows) * columns_) {}

  Real& operator()(int i, int j) { return row(i)[j]; }
  const Real& operator()(int i, int j) const { return row(i)[j]; }
  Real* row(int i) { return entries_.data() + static_cast<std::size_t>(i) * columns_; }
  const Real* row(int i) const { return entries_.data() + static_cast<std::size_t>(i) * columns_; }

 private:
  std::size_t columns_ = 0;
  std::vector<Real> entries_;
};

// Converts from l <= x <= u and back. Free variables are eliminated with their own rows, fixed ones become numbers. For
// the others x = offset + sign z; variables with two bounds get a second row.
template <class Real>
class StandardForm {
 public:
  StandardForm(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
               Clock::time_point deadline = Clock::time_point::max())
      : n_(static_cast<int>(q.size())) {
    for (int i = 0; i < n_; ++i) {
      const bool below = is_finite_bound(lower[i]), above = is_finite_bound(upper[i]);
      if (below && above && lower[i] == upper[i]) {
        fixed_.push_back(i);
      } else {
        if (below && above) boxed_.push_back(static_cast<int>(bounded_.size()));
        (below || above ? bounded_ : free_).push_back(i);
      }
      sign_.push_back(below || !above ? 1.0 : -1.0);
      offset_.push_back(below ? lower[i] : (above ? upper[i] : 0.0));
    }
    rows_ = Dense<Real>(n_, n_ + 1);
    for (int i = 0; i < n_; ++i) rows_(i, n_) = q[i];
    for (int j = 0; j < n_; ++j) {
      const auto k = static_cast<std::size_t>(j);
      for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
        const int i = static_cast<int>(it.row());
        rows_(i, j) += Real(it.value()) * Real(sign_[k]);
        rows_(i, n_) += Real(it.value()) * Real(offset_[k]);
      }
    }
    for (const int i : bounded_)
      if (sign_[static_cast<std::size_t>(i)] < 0.0)
        for (int j = 0; j <= n_; ++j) rows_(i, j) = -rows_(i, j);
    for (const int j : fixed_)
      for (int i = 0; i < n_; ++i) rows_(i, j) = 0.0;
    eliminate(deadline);
    for (const int at : boxed_) {
      const int i = bounded_[static_cast<std::size_t>(at)];
      capacity_.push_back(Real(upper[i]) - Real(lower[i]));
    }
  }

  // False if the rows of the free variables do not determine them, or if the time is up.
  bool regular() const { return regular_; }
  int size() const { return bounded_count() + static_cast<int>(boxed_.size()); }

  Real q(int i) const {
    const int b = bounded_count();
    return i < b ? rows_(bounded(i), n_) : capacity_[static_cast<std::size_t>(i - b)];
  }
  // The F of a boxed variable may be negative at the upper bound: w = F + t, with t >= 0 complementary to the remaining
  // distance (u - l) - z.
  Real m(int i, int j) const {
    const int b = bounded_count();
    if (i < b && j < b) return rows_(bounded(i), bounded(j));
    if (i < b && boxed_[static_cast<std::size_t>(j - b)] == i) return 1.0;
    if (i >= b && j < b && boxed_[static_cast<std::size_t>(i - b)] == j) return -1.0;
    return 0.0;
  }

  // (size()) -> (n)
  std::vector<Real> x(const std::vector<Real>& z) const {
    std::vector<Real> out(static_cast<std::size_t>(n_));
    for (const int i : fixed_) out[static_cast<std::size_t>(i)] = offset_[static_cast<std::size_t>(i)];
    for (int k = 0; k < bounded_count(); ++k) {
      const auto i = static_cast<std::size_t>(bounded(k));
      out[i] = Real(offset_[i]) + Real(sign_[i]) * z[static_cast<std::size_t>(k)];
    }
    for (const auto& [row, column] : pivots_) {
      Real value = -rows_(row, n_);
      for (int k = 0; k < bounded_count(); ++k) value -= rows_(row, bounded(k)) * z[static_cast<std::size_t>(k)];
      out[static_cast<std::size_t>(column)] = value;
    }
    return out;
  }

 private:
  int bounded_count() const { return static_cast<int>(bounded_.size()); }
  int bounded(int k) const { return bounded_[static_cast<std::size_t>(k)]; }

  // Gauss and Jordan with full pivoting: 0 = M_ff f + M_fb z + q_f for f, and without f in the other rows.
  void eliminate(Clock::time_point deadline) {
    using std::abs;
    std::vector<int> rows = free_, columns = free_;
    Real first = 0.0;
    while (!rows.empty()) {
      std::size_t r = 0, c = 0;
      Real largest = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j)
          if (const Real size = abs(rows_(rows[i], columns[j])); size > largest) largest = size, r = i, c = j;
      if (pivots_.empty()) first = largest;
      const bool late = deadline != Clock::time_point::max() && Clock::now() >= deadline;
      if (late || !(largest > Real(Thresholds<Real>::singular * static_cast<double>(free_.size())) * first)) {
        regular_ = false;
        return;
      }
      const int row = rows[r], column = columns[c];
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(r));
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
      pivots_.emplace_back(row, column);
      eliminate_with(row, column);
    }
  }

  void eliminate_with(int row, int column) {
    const Real pivot = rows_(row, column);
    std::vector<int> entries;
    for (int j = 0; j <= n_; ++j) {
      if (rows_(row, j) == Real(0.0)) continue;
      rows_(row, j) /= pivot;
      if (j != column) entries.push_back(j);
    }
    rows_(row, column) = 1.0;
    for (int i = 0; i < n_; ++i) {
      const Real factor = rows_(i, column);
      if (i == row || factor == Real(0.0)) continue;
      for (const int j : entries) rows_(i, j) -= factor * rows_(row, j);
      rows_(i, column) = 0.0;
    }
  }

  int n_;
  Dense<Real> rows_;  // M | q, in z; the free variables' rows solved for them
  std::vector<int> bounded_, free_, fixed_, boxed_;
  std::vector<double> sign_, offset_;        // (n)
  std::vector<Real> capacity_;               // of boxed_
  std::vector<std::pair<int, int>> pivots_;  // row and free variable
  bool regular_ = true;
};

}  // namespace pegrasp::mcp::lemke
