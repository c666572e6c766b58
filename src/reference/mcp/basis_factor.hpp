// SPDX-License-Identifier: Apache-2.0
// Sparse LU factors of a basis that changes by one column at a time.
//
// B = P' L U Q' by Markowitz's rule with threshold pivoting (markowitz.hpp). A column is replaced by the update of
// Forrest and Tomlin (1972, "Updated triangular factors of the basis to maintain sparsity in the product form simplex
// method"). Right sides are dense, of length n; zeros in them are skipped. Bases here have a few hundred rows, and
// complementarity pivoting needs one solve with B per pivot.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "src/reference/mcp/markowitz.hpp"
#include "src/reference/mcp/pivot_orders.hpp"
#include "src/reference/mcp/refactor.hpp"

namespace pegrasp::mcp {

// Vectors passed to the solves have n finite entries. The const solves share a buffer, so use an object from one thread
// at a time. Memory is allocated only where the factors need more capacity than ever before. Real: the type of the
// factors and of what is solved, double or long double; instantiated for both.
template <class Real>
class BasisFactor {
 public:
  using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  // orders: known pivot orders, in which factorise() looks up patterns and to which it adds new ones. It must live as
  // long as this object. null: every factorisation searches.
  explicit BasisFactor(int n, PivotOrders* orders = nullptr);

  // The columns without a pivot (positions in the basis) and the rows without one, equally many, in increasing order.
  // If both are empty, the basis is regular.
  struct Dependent {
    std::vector<int> positions, rows;
  };

  // Factorises the matrix with columns[0 .. n-1]. Where a position cannot be pivoted (no entry above `pivot_tolerance`
  // times the largest of its column as given and above `zero_tolerance` times the largest entry of B) it is reported,
  // and the factors are those of the matrix in which column positions[k] is replaced by the unit vector of rows[k].
  // zero_tolerance = 0: columns may differ in scale as much as they like.
  Dependent factorise(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance = 1e-14);

  // x := B^-1 x. The input is a right side by rows, the output is by positions. Nothing is remembered.
  void solve(RealVector& x) const;
  // The same for an entering column; keeps what replace() needs to bring this column into the basis.
  void solve_entering(RealVector& x);
  // x := B^-T x. The input is by positions, the output by rows.
  void solve_transposed(RealVector& x) const;

  // Column `position` becomes the column last given to solve_entering(), which serves one replacement. Returns false if
  // there is no such column, if the new pivot is too small to be trusted against the terms that it was computed from,
  // or if the two ways to compute it disagree. Then the factors are unchanged, and factorise() is due.
  bool replace(int position);

  int updates() const { return updates_; }     // since factorise()
  bool repeated() const { return repeated_; }  // the last factorise() found the order of its pivots in `orders`
  // The growth of the factors: the largest entry of U since factorise() over the largest entry of B at that time, or
  // the largest multiplier of an update if that is larger. Multipliers of L are at most 10, or 100 where a row had one
  // entry left, and twice that when repeated().
  Real growth() const;
  std::size_t entries() const;  // stored in L, U and the updates

 private:
  bool repeat(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance);
  void solve_lower(Real* w) const;
  void solve_upper(Real* w, Real* x) const;
  Real eliminate_row(int r, Real& size);

  int n_;
  PivotOrders* orders_;
  Markowitz<Real> markowitz_;
  Refactor<Real> refactor_;
  bool repeated_ = false;
  Etas<Real> lower_;         // L: columns, first to last
  UpperFactor<Real> upper_;  // U
  Etas<Real> row_changes_;   // of the updates: rows, first to last, after L
  int updates_ = 0;
  Real pivot_tolerance_ = 0.0, largest_ = 0.0, largest_upper_ = 0.0, largest_multiplier_ = 0.0;
  // U by rows: chains through the entries of the columns. A deleted entry stays in its chain with value zero.
  std::vector<int> row_first_, row_next_;
  std::vector<int> row_of_;  // of a position: the row of its pivot
  std::vector<int> slot_;    // of a row in upper_.order; -1 when it is not there. A slot given up holds n
  // The entering column after L and the updates, before U; and what is left in it after U.
  std::vector<Real> spike_, entering_;
  bool has_entering_ = false;
  std::vector<Real> row_work_;  // by row, zero between calls
  mutable std::vector<Real> work_;
};

extern template class BasisFactor<double>;
extern template class BasisFactor<long double>;

}  // namespace pegrasp::mcp
