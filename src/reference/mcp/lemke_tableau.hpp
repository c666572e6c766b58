// SPDX-License-Identifier: Apache-2.0
// Lemke's method with the lexicographic ratio test on a dense tableau, in numbers of any length: double for the
// baseline (lexicographic_lemke.hpp), DoubleDouble where a double's digits are too few (precise_lemke.hpp).
//
// Cottle, Pang and Stone, The Linear Complementarity Problem (1992), 4.4 and 4.9; Murty, Linear Complementarity (1988),
// 2.2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/reference/mcp/lemke_standard_form.hpp"
#include "src/reference/mcp/stop.hpp"

namespace pegrasp::mcp::lemke {

// The tableau of w - M z - d z0 = q with d = 1, columns [w | z | z0 | q], one row per basic variable. The columns of w
// start as the identity. They therefore hold the inverse of the basis, with which the lexicographic test breaks ties,
// so that no basis comes twice (Cottle, Pang and Stone, 4.9.1).
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

  // The first pivot: z0 enters where (q_i, e_i) is lexicographically least, that is where q is least, and among equal
  // rows the one whose unit vector has its one latest.
  int first_row() const {
    int best = 0;
    for (int i = 1; i < n_; ++i)
      if (right(i) <= right(best)) best = i;
    return best;
  }

  // The row that leaves for `entering`: lexicographically least (q_i, B^-1 row i) / column_i over positive column_i. z0
  // leaves first where it ties in q, because then the problem is solved. -1: a ray.
  int leaving_row(int entering) const {
    using std::abs;
    Real largest = 1.0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, Real(abs(t_(i, entering))));
    const Real zero = Real(Thresholds<Real>::pivot_zero) * largest;
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
    const int width = 2 * n_ + 2;
    const bool sparse =
        2 * static_cast<int>(filled_.size()) < width;  // else in one sweep, which a compiler can vectorise
    for (int i = 0; i < n_; ++i) {
      Real* const to = t_.row(i);
      const Real factor = to[entering];
      if (i == row || factor == Real(0.0)) continue;
      if (sparse) {
        for (const int j : filled_) to[j] -= factor * from[j];
      } else {
        for (int j = 0; j < width; ++j) to[j] -= factor * from[j];
      }
      to[entering] = 0.0;
    }
    basic_[static_cast<std::size_t>(row)] = entering;
  }

 private:
  // The sign of t(i, column) / t(i, entering) - t(k, column) / t(k, entering). It is zero where the two are equal up to
  // rounding.
  int compare(int i, int k, int entering, int column) const {
    using std::abs;
    const Real a = t_(i, column) / t_(i, entering), b = t_(k, column) / t_(k, entering);
    if (abs(a - b) <= Real(Thresholds<Real>::tie) * std::max({Real(1.0), Real(abs(a)), Real(abs(b))})) return 0;
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
End run(Tableau<Real>& tableau, std::int64_t max_pivots, Clock::time_point deadline, std::int64_t& pivots) {
  int row = tableau.first_row();
  if (tableau.right(row) >= Real(0.0)) return End::solution;
  int entering = tableau.covering();
  while (true) {
    if (pivots >= max_pivots) return End::pivot_limit;
    if (stop_asked() || (deadline != Clock::time_point::max() && Clock::now() >= deadline)) return End::time_limit;
    const int leaving = tableau.basic(row);
    tableau.pivot(row, entering);
    ++pivots;
    if (leaving == tableau.covering()) return End::solution;
    entering = tableau.complement(leaving);
    row = tableau.leaving_row(entering);
    if (row < 0) return End::ray;
  }
}

// Runs from z = 0. Returns how it ended, and x there (n).
template <class Real>
End solve(const StandardForm<Real>& form, std::int64_t max_pivots, Clock::time_point deadline, std::int64_t& pivots,
          std::vector<Real>& x) {
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

template <class Real>
End solve(const StandardForm<Real>& form, std::int64_t max_pivots, Clock::time_point deadline, std::int64_t& pivots,
          Vector& x) {
  std::vector<Real> values;
  const End end = solve(form, max_pivots, deadline, pivots, values);
  x.resize(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) x[static_cast<Eigen::Index>(i)] = static_cast<double>(values[i]);
  return end;
}

}  // namespace pegrasp::mcp::lemke
