// SPDX-License-Identifier: Apache-2.0
// Triangular factors of a sparse matrix: B = P' L U Q', by Markowitz's rule with threshold pivoting.
//
// Singletons come first, because they need no arithmetic: most columns of a basis are unit vectors, and many of the
// others lie in a triangle once those are removed. The rest, the kernel, is eliminated in a copy by columns, with the
// pattern by rows beside it. Pivots are searched in the shortest columns and rows only (Suhl and Suhl 1990, "Computing
// sparse LU factorizations for large-scale linear programming bases"; Duff, Erisman and Reid 1986, ch. 5 and 7).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace pegrasp::mcp {

// Whether a number type has more digits than a double. Tolerances are smaller then.
template <class Real>
constexpr bool longer = std::numeric_limits<Real>::digits > std::numeric_limits<double>::digits;

// A difference smaller than this share of its operands is rounding and becomes zero. Larger values lose digits; without
// it, rounding errors fill the kernel.
template <class Real>
constexpr Real cancelled = 4 * std::numeric_limits<Real>::epsilon();
template <class Real>
bool is_noise(Real difference, Real subtracted) {
  return std::abs(difference) <= cancelled<Real> * std::abs(subtracted);
}

// A pivot must be above this, and 1 / pivot must be finite.
template <class Real>
Real pivot_floor(Real zero_tolerance, Real largest_of_matrix) {
  return std::max(zero_tolerance * largest_of_matrix, std::numeric_limits<Real>::min());
}

// A pivot is at least this share of the largest entry of its column, which bounds the multipliers in L by ten. Larger
// values are more stable and give denser factors.
constexpr double pivot_threshold = 0.1;
// The same for a pivot that is alone in its row. Nothing is updated there, so nothing grows, and it may be smaller, but
// not so small that L dominates the rest of the right side.
constexpr double row_singleton_threshold = 0.01;

// The place of a pivot: its row and its column, or position in the basis.
struct PivotPlace {
  int row = -1, column = -1;
  bool alone = false;  // in its row, of the columns that were left

  bool operator==(const PivotPlace&) const = default;
};

// One column of a matrix: parallel arrays, rows in any order, no row twice. Values are finite.
struct ColumnView {
  std::span<const int> rows;
  std::span<const double> values;
};

// A product of matrices that differ from the identity in one column, or in one row, each: entries
// start[k] .. start[k+1]-1 belong to the column, or the row, pivot[k].
template <class Real>
struct Etas {
  std::vector<int> pivot;
  std::vector<int> start;  // (count + 1)
  std::vector<int> index;
  std::vector<Real> value;

  int count() const { return static_cast<int>(pivot.size()); }
  void clear();
  void push(int i, Real v) {
    index.push_back(i);
    value.push_back(v);
  }
  // What was pushed since the last call becomes the column, or row, p.
  void finish(int p);
  void drop_unfinished();
};

// The upper triangle U. Its columns are named by the row of their pivot: the pairs (row, position) of the pivots do not
// change when a column is replaced, only their order does.
template <class Real>
struct UpperFactor {
  // By row r:
  std::vector<int> position;    // the column of B with the pivot in r
  std::vector<Real> diagonal;   // never zero
  std::vector<Real> inverse;    // of the diagonal
  std::vector<int> start, end;  // entries of the column off the diagonal
  // By entry, columns in one piece each:
  std::vector<int> row, column;
  std::vector<Real> value;
  // Rows whose columns have entries off the diagonal, in the order of the pivots; a column has entries only in rows
  // before it, or in rows not listed. Unit columns are not listed: nothing depends on when they are dealt with.
  std::vector<int> order;

  void clear(int n);
  void pivot(int r, int p, Real d);  // the column without entries; start and end are the caller's
};

// Real: of the factors, double or long double; instantiated for both.
template <class Real>
class Markowitz {
 public:
  // Factorises columns[0 .. n-1] into `lower` and `upper`. An entry is accepted as pivot when it is above
  // `pivot_tolerance` times the largest of its column as given and above `zero_tolerance` times the largest of the
  // matrix. Positions left without a pivot, and rows, go to `positions` and `rows`, in increasing order; the factors
  // are those of the matrix in which column positions[k] is the unit vector of rows[k].
  void factorise(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance, Etas<Real>& lower,
                 UpperFactor<Real>& upper, std::vector<int>& positions, std::vector<int>& rows);

  Real largest() const { return largest_; }              // entry of the matrix last factorised
  Real largest_upper() const { return largest_upper_; }  // entry of its U
  // In the order in which they were found, and how many of them before the rest was eliminated as a dense matrix.
  std::span<const PivotPlace> pivots() const { return pivots_; }
  int first_dense() const { return first_dense_; }

 private:
  // A piece of a file of lists. [begin, active) is what already belongs to U, [active, end) is still to be eliminated.
  struct Piece {
    int begin, active, end, capacity_end;
  };
  // Rows, or columns, of the kernel by how many active entries they have.
  struct CountLists {
    std::vector<int> head, next, previous;
    void clear(int lines, int longest);
    void link(int i, int count);
    void unlink(int i, int count);
    bool linked(int i) const { return previous[i] != absent; }
    static constexpr int none = -1, absent = -2;
  };

  void load(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance);
  void eliminate_column_singletons(UpperFactor<Real>& upper);
  void eliminate_row_singletons(Etas<Real>& lower, UpperFactor<Real>& upper);
  void start_kernel();
  void eliminate_kernel(Etas<Real>& lower, UpperFactor<Real>& upper);
  void eliminate_dense(int left, Etas<Real>& lower, UpperFactor<Real>& upper);
  PivotPlace choose_pivot();
  void eliminate(PivotPlace pivot, Etas<Real>& lower, UpperFactor<Real>& upper);
  void update_column(int j, int p, int first, const Etas<Real>& lower);
  void partition(int j);
  void write_column(PivotPlace at, Real d, UpperFactor<Real>& upper);
  void copy_upper_part(int j, UpperFactor<Real>& upper);
  void finish_column(PivotPlace at, Real d, int begin, UpperFactor<Real>& upper);
  void remove_from_row(int i, int j);
  void add_to_row(int i, int j);
  void reserve_in_column(int j, int more);
  int column_count(int j) const { return column_[j].end - column_[j].active; }
  int row_count(int i) const { return row_[i].end - row_[i].begin; }

  int n_ = 0;
  int kernel_ = 0;  // rows
  int active_ = 0;  // entries of the kernel that are left
  int first_dense_ = 0;
  Real largest_ = 0.0, largest_upper_ = 0.0;
  std::vector<PivotPlace> pivots_;
  std::vector<Piece> column_, row_;
  std::vector<int> column_row_, row_column_;  // the files: rows of the columns, columns of the rows
  std::vector<Real> column_value_;
  std::vector<Real> column_floor_;    // a pivot must be above it
  std::vector<Real> column_largest_;  // active entry of a kernel column
  std::vector<Real> multiplier_;      // by row, zero between pivots
  std::vector<int> left_in_column_, left_in_row_, queue_;
  std::vector<char> column_done_, row_done_;
  std::vector<Real> dense_;  // by columns
  std::vector<int> dense_row_, dense_column_;
  CountLists columns_by_count_, rows_by_count_;
};

extern template class Markowitz<double>;
extern template class Markowitz<long double>;

}  // namespace pegrasp::mcp
