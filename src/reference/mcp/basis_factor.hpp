// SPDX-License-Identifier: Apache-2.0
// Sparse LU of a basis that changes by one column at a time.
//
// B = P' L U Q' by Markowitz's rule with threshold pivoting; a column is replaced by the update of Forrest and Tomlin
// (1972). Dense right sides of length n, in which zeros are skipped: bases here are a few hundred rows, and
// complementarity pivoting never needs more than one solve with B a pivot.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace pegrasp::mcp {

// One column of the basis: parallel arrays, rows in any order, no row twice.
struct ColumnView {
  std::span<const int> rows;
  std::span<const double> values;
};

class BasisFactor {
 public:
  explicit BasisFactor(int n);

  // Columns that could not be given a pivot (positions in the basis) and the rows left without one, of the same number,
  // in increasing order. Empty both: the basis is regular.
  struct Dependent {
    std::vector<int> positions, rows;
  };

  // Factorises the matrix with columns[0 .. n-1]. Where a position cannot be pivoted (no entry above `pivot_tolerance`
  // times the largest of its column as given, or in absolute terms below 1e-14 times the largest entry of B) it is reported, and
  // the factors are those of the matrix in which column positions[k] is replaced by the unit vector of rows[k].
  Dependent factorise(std::span<const ColumnView> columns, double pivot_tolerance);

  // x := B^-1 x. In: a right side by rows; out: by positions. Remembers nothing.
  void solve(Eigen::VectorXd& x) const;
  // The same, and keeps what replace() needs to bring this column into the basis.
  void solve_entering(Eigen::VectorXd& x);
  // x := B^-T x. In: by positions; out: by rows.
  void solve_transposed(Eigen::VectorXd& x) const;

  // Column `position` becomes the one last given to solve_entering(). False when the new pivot is too small against what it
  // was computed from for the factors to be trusted; they are then unchanged, and factorise() is due.
  bool replace(int position);

  int updates() const;          // since factorise()
  double growth() const;        // largest entry of the factors over the largest of B
  std::size_t entries() const;  // stored in L, U and the updates
};

}  // namespace pegrasp::mcp
