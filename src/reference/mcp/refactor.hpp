// SPDX-License-Identifier: Apache-2.0
// Triangular factors in a known order of pivots (pivot_orders.hpp): column by column, from the left, without a search
// and without lists that change (Davis and Palamadai Natarajan 2010, "Algorithm 907: KLU", section 5).
#pragma once

#include <span>
#include <vector>

#include "src/reference/mcp/pivot_orders.hpp"

namespace pegrasp::mcp {

// Real: of the factors, double or long double; instantiated for both.
template <class Real>
class Refactor {
 public:
  // Factorises columns[0 .. n-1], which have the order's pattern, into `lower` and `upper`, with the tolerances of
  // Markowitz::factorise(). The same numbers give the same factors, up to the order of entries within a column. Returns
  // false where a pivot of the order has become too small against its column. The factors are then unusable, and a
  // search is due.
  bool factorise(const PivotOrder& order, std::span<const ColumnView> columns, Real pivot_tolerance,
                 Real zero_tolerance, Etas<Real>& lower, UpperFactor<Real>& upper);

  Real largest() const { return largest_; }              // entry of the matrix
  Real largest_upper() const { return largest_upper_; }  // entry of its U

 private:
  bool eliminate_above(const PivotOrder& order, int k, const Etas<Real>& lower, UpperFactor<Real>& upper);
  bool finish_step(const PivotOrder& order, int k, Real floor, Etas<Real>& lower, UpperFactor<Real>& upper);

  Real largest_ = 0.0, largest_upper_ = 0.0;
  std::vector<Real> column_;      // (n) by row, zero between the steps
  std::vector<Real> multiplier_;  // (n) by step: the largest of its column of L
  std::vector<int> eta_;          // (n + 1) by step: the first column of L that belongs to it or to one after it
};

extern template class Refactor<double>;
extern template class Refactor<long double>;

}  // namespace pegrasp::mcp
