// SPDX-License-Identifier: Apache-2.0
// The pivot orders of matrices factorised before, by pattern. A matrix whose columns have the same pattern is
// factorised in the same order, with all fill-in known beforehand and without a search (refactor.hpp). Contact problems
// repeat their patterns: in the next linearisation, and in the next step while the same contacts carry force.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/reference/mcp/markowitz.hpp"

namespace pegrasp::mcp {

// What is known of a matrix once its pattern and its pivots are. Step k eliminates column pivots[k].column by row
// pivots[k].row. Lists with a start: entries start[k] .. start[k+1]-1 belong to k.
struct PivotOrder {
  std::vector<PivotPlace> pivots;             // (n)
  int first_dense = 0;                        // step from which on the rest was eliminated as a dense matrix
  std::vector<int> column_start, column_row;  // the pattern, by columns, stored zeros included
  // Filled in by analyse(). The column of step k has entries in U in the rows of the steps upper_step, which increase,
  // and in L in the rows lower_row: of any matrix with this pattern and these pivots, unless numbers cancel.
  std::vector<int> upper_start, upper_step, lower_start, lower_row;

  bool analysed() const { return !upper_start.empty(); }
  bool has_pattern_of(std::span<const ColumnView> columns) const;
  void analyse();
};

// The few orders used last. Not to be shared between threads.
class PivotOrders {
 public:
  // The order of a matrix with this pattern, analysed; null where none is known, or where it failed too often. Valid
  // until the next call.
  const PivotOrder* find(std::span<const ColumnView> columns);
  // Reports whether the order that find() returned last could be used, or a pivot had become too small.
  void tell(bool served);
  // Stores the pivots that a search found for these columns, all n of them, as the order of their pattern.
  void remember(std::span<const ColumnView> columns, std::span<const PivotPlace> pivots, int first_dense);

 private:
  struct Known {
    std::uint64_t pattern = 0;  // its hash
    std::uint64_t used = 0;     // when
    int refusals = 0;
    PivotOrder order;
  };
  Known* look_up(std::span<const ColumnView> columns, std::uint64_t pattern);

  std::vector<Known> known_;
  std::size_t found_ = 0;  // by the last find() that found something
  std::uint64_t clock_ = 0;
};

}  // namespace pegrasp::mcp
