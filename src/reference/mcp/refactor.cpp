// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/refactor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pegrasp::mcp {
namespace {

// The share of the search's demand on a pivot (markowitz.hpp): numbers that have changed a little keep the order.
// Smaller values are less stable, larger ones search needlessly.
constexpr double kept = 0.5;
// So large multipliers may be where a step's row updates other columns.
constexpr double most_multiplier = 1.0 / (kept * pivot_threshold);

}  // namespace

template <class Real>
bool Refactor<Real>::factorise(const PivotOrder& order, std::span<const ColumnView> columns, Real pivot_tolerance,
                               Real zero_tolerance, Etas<Real>& lower, UpperFactor<Real>& upper) {
  const int n = static_cast<int>(columns.size());
  lower.clear();
  upper.clear(n);
  column_.assign(columns.size(), 0.0);
  eta_.assign(columns.size() + 1, 0);
  multiplier_.assign(columns.size(), 0.0);
  largest_ = largest_upper_ = 0.0;
  for (const ColumnView& column : columns)
    for (const double value : column.values) largest_ = std::max(largest_, Real(std::abs(value)));
  const Real floor = pivot_floor(zero_tolerance, largest_);
  for (int k = 0; k < n; ++k) {
    const ColumnView& from = columns[order.pivots[k].column];
    Real largest = 0.0;
    for (std::size_t e = 0; e < from.rows.size(); ++e) {
      column_[from.rows[e]] = from.values[e];
      largest = std::max(largest, Real(std::abs(from.values[e])));
    }
    eta_[k] = lower.count();
    if (!eliminate_above(order, k, lower, upper)) return false;
    if (!finish_step(order, k, std::max(pivot_tolerance * largest, floor), lower, upper)) return false;
  }
  return true;
}

// The entries of U: in the rows of the steps before, which then take their part off what is left of the column. False
// where a row that was alone but for zeros, and had its small pivot for that, is so no longer.
template <class Real>
bool Refactor<Real>::eliminate_above(const PivotOrder& order, int k, const Etas<Real>& lower,
                                     UpperFactor<Real>& upper) {
  const int r = order.pivots[k].row;
  upper.start[r] = static_cast<int>(upper.row.size());
  Real* const x = column_.data();
  for (int e = order.upper_start[k]; e < order.upper_start[k + 1]; ++e) {
    const int s = order.upper_step[e], row = order.pivots[s].row;
    const Real u = x[row];
    if (u == 0.0) continue;
    if (multiplier_[s] > most_multiplier) return false;
    x[row] = 0.0;
    upper.row.push_back(row);
    upper.value.push_back(u);
    largest_upper_ = std::max(largest_upper_, std::abs(u));
    if (eta_[s] == eta_[s + 1]) continue;
    const int begin = lower.start[eta_[s]], end = lower.start[eta_[s] + 1];
    if (s < order.first_dense) {
      for (int f = begin; f < end; ++f) {
        const int i = lower.index[f];
        const Real product = lower.value[f] * u, value = x[i] - product;
        x[i] = is_noise(value, product) ? Real(0) : value;
      }
    } else {
      for (int f = begin; f < end; ++f) x[lower.index[f]] -= lower.value[f] * u;
    }
  }
  upper.end[r] = static_cast<int>(upper.row.size());
  upper.column.resize(upper.row.size(), r);
  return true;
}

// The pivot and the column of L.
template <class Real>
bool Refactor<Real>::finish_step(const PivotOrder& order, int k, Real floor, Etas<Real>& lower,
                                 UpperFactor<Real>& upper) {
  const int r = order.pivots[k].row, j = order.pivots[k].column;
  Real* const x = column_.data();
  const Real d = x[r];
  const int begin = order.lower_start[k], end = order.lower_start[k + 1];
  Real largest = 0.0;
  for (int e = begin; e < end; ++e) largest = std::max(largest, std::abs(x[order.lower_row[e]]));
  const Real threshold = kept * (order.pivots[k].alone ? row_singleton_threshold : pivot_threshold);
  if (!(std::abs(d) > floor) || std::abs(d) < threshold * largest) return false;
  multiplier_[k] = largest / std::abs(d);
  x[r] = 0.0;
  for (int e = begin; e < end; ++e) {
    const int i = order.lower_row[e];
    if (x[i] != 0.0) lower.push(i, x[i] / d);
    x[i] = 0.0;
  }
  if (largest > 0.0) lower.finish(r);
  eta_[k + 1] = lower.count();
  if (upper.end[r] > upper.start[r]) upper.order.push_back(r);
  upper.pivot(r, j, d);
  largest_upper_ = std::max(largest_upper_, std::abs(d));
  return true;
}

template class Refactor<double>;
template class Refactor<long double>;

}  // namespace pegrasp::mcp
