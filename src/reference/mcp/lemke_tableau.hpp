// SPDX-License-Identifier: Apache-2.0
// Lemke's method with the lexicographic ratio test on a dense tableau, in numbers of any length: double for the baseline
// (lexicographic_lemke.hpp), DoubleDouble where a double's digits are too few (precise_lemke.hpp).
//
// Cottle, Pang and Stone, The Linear Complementarity Problem (1992), 4.4 and 4.9; Murty, Linear Complementarity (1988),
// 2.2.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/mcp/certificate.hpp"
#include "reference/mcp/double_double.hpp"

namespace pegrasp::mcp::lemke {

// What depends on the digits of a number.
template <class Real>
struct Digits;

template <>
struct Digits<double> {
  // Below this part of the column's largest entry a number counts as zero: a smaller pivot loses all digits. Larger, and
  // true pivots are missed, which ends in false rays.
  static constexpr double pivot_zero = 1e-11;
  static constexpr double tie =
      1e-12;  // ratios this near, relative, are equal: rounding would break ties in its own way
  static constexpr double singular = 1e-14;  // of the largest pivot of the free variables' block
};

template <>
struct Digits<DoubleDouble> {
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

// w = M z + q, w, z >= 0, w'z = 0 from l <= x <= u, and the way back. Free variables are eliminated with the rows of their
// own; for the others x = offset + sign z; those with two bounds get a second row.
template <class Real>
class StandardForm {
 public:
  // False in `regular`: the rows of the free variables do not determine them.
  StandardForm(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper) : n_(q.size()) {
    for (int i = 0; i < n_; ++i) {
      const bool below = is_finite_bound(lower[i]), above = is_finite_bound(upper[i]);
      if (below && above) boxed_.push_back(static_cast<int>(bounded_.size()));
      (below || above ? bounded_ : free_).push_back(i);
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
    eliminate();
    for (const int at : boxed_) {
      const int i = bounded_[static_cast<std::size_t>(at)];
      room_.push_back(Real(upper[i]) - Real(lower[i]));
    }
  }

  bool regular() const { return regular_; }
  int size() const { return bounded_count() + static_cast<int>(boxed_.size()); }

  Real q(int i) const {
    const int b = bounded_count();
    return i < b ? rows_(bounded(i), n_) : room_[static_cast<std::size_t>(i - b)];
  }
  // A boxed variable's F may be negative at the upper bound: w = F + t, t >= 0 complementary to the room that is left,
  // (u - l) - z.
  Real m(int i, int j) const {
    const int b = bounded_count();
    if (i < b && j < b) return rows_(bounded(i), bounded(j));
    if (i < b && boxed_[static_cast<std::size_t>(j - b)] == i) return 1.0;
    if (i >= b && j < b && boxed_[static_cast<std::size_t>(i - b)] == j) return -1.0;
    return 0.0;
  }

  // (size()) -> (n)
  Vector x(const std::vector<Real>& z) const {
    Vector out(n_);
    for (int k = 0; k < bounded_count(); ++k) {
      const auto i = static_cast<std::size_t>(bounded(k));
      out[bounded(k)] = static_cast<double>(Real(offset_[i]) + Real(sign_[i]) * z[static_cast<std::size_t>(k)]);
    }
    for (const auto& [row, column] : pivots_) {
      Real value = -rows_(row, n_);
      for (int k = 0; k < bounded_count(); ++k) value -= rows_(row, bounded(k)) * z[static_cast<std::size_t>(k)];
      out[column] = static_cast<double>(value);
    }
    return out;
  }

 private:
  int bounded_count() const { return static_cast<int>(bounded_.size()); }
  int bounded(int k) const { return bounded_[static_cast<std::size_t>(k)]; }

  // Gauss and Jordan with full pivoting: 0 = M_ff f + M_fb z + q_f for f, and without f in the other rows.
  void eliminate() {
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
      if (!(largest > Real(Digits<Real>::singular * static_cast<double>(free_.size())) * first)) {
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
  std::vector<int> bounded_, free_, boxed_;
  std::vector<double> sign_, offset_;        // (n)
  std::vector<Real> room_;                   // of boxed_
  std::vector<std::pair<int, int>> pivots_;  // row and free variable
  bool regular_ = true;
};

// w - M z - d z0 = q with d = 1, columns [w | z | z0 | q], one row a basic variable. The columns of w start as the
// identity, so they hold the inverse of the basis, by which the lexicographic test breaks its ties: no basis comes twice
// (4.9.1 in Cottle, Pang and Stone).
template <class Real>
class Tableau {
 public:
  explicit Tableau(const StandardForm<Real>& s) : n_(s.size()), t_(n_, 2 * n_ + 2) {
    for (int i = 0; i < n_; ++i) {
      t_(i, i) = 1.0;
      for (int j = 0; j < n_; ++j) t_(i, n_ + j) = -s.m(i, j);
      t_(i, 2 * n_) = -1.0;
      t_(i, 2 * n_ + 1) = s.q(i);
      basic_.push_back(i);
    }
  }

  int covering() const { return 2 * n_; }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  Real right(int row) const { return t_(row, 2 * n_ + 1); }
  int basic(int row) const { return basic_[static_cast<std::size_t>(row)]; }

  // The first pivot: z0 enters where q is least, the last of equals. Lexicographically least (q_i, e_i): among equal
  // q_i the row whose unit vector has its one latest.
  int first_row() const {
    int best = 0;
    for (int i = 1; i < n_; ++i)
      if (right(i) <= right(best)) best = i;
    return best;
  }

  // The row that leaves for `entering`: lexicographically least (q_i, B^-1 row i) / column_i over positive column_i. z0
  // goes first where it ties in q alone, for then the problem is solved. -1: a ray.
  int leaving_row(int entering) const {
    using std::abs;
    Real largest = 1.0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, Real(abs(t_(i, entering))));
    const Real zero = Real(Digits<Real>::pivot_zero) * largest;
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      if (!(t_(i, entering) > zero)) continue;
      if (best < 0 || lexicographically_less(i, best, entering)) best = i;
    }
    if (best < 0) return -1;
    for (int i = 0; i < n_; ++i)
      if (basic(i) == covering() && t_(i, entering) > zero && compare(i, best, entering, 2 * n_ + 1) <= 0) return i;
    return best;
  }

  void pivot(int row, int entering) {
    const Real value = t_(row, entering);
    Real* const from = t_.row(row);
    filled_.clear();
    for (int j = 0; j < 2 * n_ + 2; ++j) {
      if (from[j] == Real(0.0)) continue;
      from[j] /= value;
      filled_.push_back(j);
    }
    from[entering] = 1.0;
    for (int i = 0; i < n_; ++i) {
      Real* const to = t_.row(i);
      const Real factor = to[entering];
      if (i == row || factor == Real(0.0)) continue;
      for (const int j : filled_) to[j] -= factor * from[j];
      to[entering] = 0.0;
    }
    basic_[static_cast<std::size_t>(row)] = entering;
  }

 private:
  // Sign of t(i, column) / t(i, entering) - t(k, column) / t(k, entering), zero where the two are equal but for
  // rounding.
  int compare(int i, int k, int entering, int column) const {
    using std::abs;
    const Real a = t_(i, column) / t_(i, entering), b = t_(k, column) / t_(k, entering);
    if (abs(a - b) <= Real(Digits<Real>::tie) * std::max({Real(1.0), Real(abs(a)), Real(abs(b))})) return 0;
    return a < b ? -1 : 1;
  }

  bool lexicographically_less(int i, int k, int entering) const {
    int sign = compare(i, k, entering, 2 * n_ + 1);
    for (int column = 0; sign == 0 && column < n_; ++column) sign = compare(i, k, entering, column);
    return sign < 0;
  }

  int n_;
  Dense<Real> t_;
  std::vector<int> basic_, filled_;
};

enum class End { solution, ray, pivot_limit, time_limit };

template <class Real>
End run(Tableau<Real>& tableau, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
        std::int64_t& pivots) {
  int row = tableau.first_row();
  if (tableau.right(row) >= Real(0.0)) return End::solution;
  int entering = tableau.covering();
  while (true) {
    if (pivots >= max_pivots) return End::pivot_limit;
    if (deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline)
      return End::time_limit;
    const int leaving = tableau.basic(row);
    tableau.pivot(row, entering);
    ++pivots;
    if (leaving == tableau.covering()) return End::solution;
    entering = tableau.complement(leaving);
    row = tableau.leaving_row(entering);
    if (row < 0) return End::ray;
  }
}

// From z = 0: how it ended, and x there (n).
template <class Real>
End solve(const StandardForm<Real>& form, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
          std::int64_t& pivots, Vector& x) {
  std::vector<Real> z(static_cast<std::size_t>(form.size()), Real(0.0));
  End end = End::solution;
  if (form.size() > 0) {
    Tableau<Real> tableau(form);
    end = run(tableau, max_pivots, deadline, pivots);
    for (int row = 0; row < form.size(); ++row) {
      const int variable = tableau.basic(row) - form.size();
      if (variable >= 0 && variable < form.size()) z[static_cast<std::size_t>(variable)] = tableau.right(row);
    }
  }
  x = form.x(z);
  return end;
}

}  // namespace pegrasp::mcp::lemke
