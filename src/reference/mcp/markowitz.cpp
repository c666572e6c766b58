// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/markowitz.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace pegrasp::mcp {

namespace {

// The number of columns and rows that are searched for a pivot once there is a candidate. More give sparser factors and
// take longer.
constexpr int candidate_lines = 2;
// The rest of the kernel is eliminated as a dense matrix once this share of it is filled, if it has that many rows.
// Smaller values factorise faster, but leave more entries to every solve.
constexpr double dense_share = 0.8;
constexpr int dense_rows = 8;

}  // namespace

template <class Real>
void Etas<Real>::clear() {
  pivot.clear();
  start.assign(1, 0);
  index.clear();
  value.clear();
}

template <class Real>
void Etas<Real>::finish(int p) {
  pivot.push_back(p);
  start.push_back(static_cast<int>(index.size()));
}

template <class Real>
void Etas<Real>::drop_unfinished() {
  index.resize(start.back());
  value.resize(start.back());
}

template <class Real>
void UpperFactor<Real>::clear(int n) {
  position.resize(n);
  diagonal.resize(n);
  inverse.resize(n);
  start.resize(n);
  end.resize(n);
  row.clear();
  column.clear();
  value.clear();
  order.clear();
}

template <class Real>
void UpperFactor<Real>::pivot(int r, int p, Real d) {
  position[r] = p;
  diagonal[r] = d;
  inverse[r] = 1.0 / d;
}

template <class Real>
void Markowitz<Real>::CountLists::clear(int lines, int longest) {
  head.assign(longest + 1, none);
  next.resize(lines);
  previous.assign(lines, absent);
}

template <class Real>
void Markowitz<Real>::CountLists::link(int i, int count) {
  const int after = head[count];
  next[i] = after;
  previous[i] = none;
  if (after != none) previous[after] = i;
  head[count] = i;
}

template <class Real>
void Markowitz<Real>::CountLists::unlink(int i, int count) {
  if (!linked(i)) return;
  const int before = previous[i], after = next[i];
  if (before == none)
    head[count] = after;
  else
    next[before] = after;
  if (after != none) previous[after] = before;
  previous[i] = absent;
}

template <class Real>
void Markowitz<Real>::factorise(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance,
                                Etas<Real>& lower, UpperFactor<Real>& upper, std::vector<int>& positions,
                                std::vector<int>& rows) {
  lower.clear();
  upper.clear(static_cast<int>(columns.size()));
  positions.clear();
  rows.clear();
  pivots_.clear();
  first_dense_ = static_cast<int>(columns.size());
  load(columns, pivot_tolerance, zero_tolerance);
  eliminate_column_singletons(upper);
  eliminate_row_singletons(lower, upper);
  start_kernel();
  eliminate_kernel(lower, upper);
  for (int k = 0; k < n_; ++k) {
    if (!column_done_[k]) positions.push_back(k);
    if (!row_done_[k]) rows.push_back(k);
  }
  // No pivot was in these rows, so L leaves their unit vectors alone: they are columns of U as they are.
  for (std::size_t k = 0; k < rows.size(); ++k) {
    upper.start[rows[k]] = upper.end[rows[k]] = static_cast<int>(upper.row.size());
    upper.pivot(rows[k], positions[k], 1.0);
    largest_upper_ = std::max(largest_upper_, Real(1));
  }
}

// Copies the columns, without stored zeros, and makes the pattern by rows.
template <class Real>
void Markowitz<Real>::load(std::span<const ColumnView> columns, Real pivot_tolerance, Real zero_tolerance) {
  n_ = static_cast<int>(columns.size());
  column_.resize(n_);
  row_.resize(n_);
  column_floor_.resize(n_);
  column_largest_.resize(n_);
  multiplier_.assign(n_, 0.0);
  column_done_.assign(n_, 0);
  row_done_.assign(n_, 0);
  left_in_column_.resize(n_);
  left_in_row_.assign(n_, 0);
  std::size_t total = 0;
  for (const ColumnView& column : columns) total += column.rows.size();
  column_row_.resize(total);
  column_value_.resize(total);
  largest_ = largest_upper_ = 0.0;
  int at = 0;
  for (int j = 0; j < n_; ++j) {
    const int begin = at;
    Real largest = 0.0;
    for (std::size_t e = 0; e < columns[j].rows.size(); ++e) {
      const Real value = columns[j].values[e];
      if (value == 0.0) continue;
      column_row_[at] = columns[j].rows[e];
      column_value_[at++] = value;
      ++left_in_row_[columns[j].rows[e]];
      largest = std::max(largest, std::abs(value));
    }
    column_[j] = {begin, begin, at, at};
    left_in_column_[j] = at - begin;
    column_floor_[j] = largest;
    largest_ = std::max(largest_, largest);
  }
  const Real floor = pivot_floor(zero_tolerance, largest_);
  for (int j = 0; j < n_; ++j) column_floor_[j] = std::max(pivot_tolerance * column_floor_[j], floor);
  int begin = 0;
  for (int i = 0; i < n_; ++i) {
    const int end = begin + left_in_row_[i];
    row_[i] = {begin, begin, begin, end};
    begin = end;
  }
  row_column_.resize(at);
  for (int j = 0; j < n_; ++j)
    for (int e = column_[j].begin; e < column_[j].end; ++e) row_column_[row_[column_row_[e]].end++] = j;
}

// Entries in rows that have their pivot come first: they belong to U.
template <class Real>
void Markowitz<Real>::partition(int j) {
  Piece& piece = column_[j];
  for (int e = piece.active; e < piece.end; ++e) {
    if (!row_done_[column_row_[e]]) continue;
    std::swap(column_row_[e], column_row_[piece.active]);
    std::swap(column_value_[e], column_value_[piece.active]);
    ++piece.active;
  }
}

// The column of the pivot d, partitioned, becomes that of U.
template <class Real>
void Markowitz<Real>::write_column(PivotPlace at, Real d, UpperFactor<Real>& upper) {
  const int begin = static_cast<int>(upper.row.size());
  copy_upper_part(at.column, upper);
  finish_column(at, d, begin, upper);
}

template <class Real>
void Markowitz<Real>::copy_upper_part(int j, UpperFactor<Real>& upper) {
  const Piece& piece = column_[j];
  upper.row.insert(upper.row.end(), column_row_.begin() + piece.begin, column_row_.begin() + piece.active);
  upper.value.insert(upper.value.end(), column_value_.begin() + piece.begin, column_value_.begin() + piece.active);
}

// The entries from `begin` on are those of row r's column.
template <class Real>
void Markowitz<Real>::finish_column(PivotPlace at, Real d, int begin, UpperFactor<Real>& upper) {
  const int r = at.row, j = at.column;
  const int end = static_cast<int>(upper.row.size());
  Real largest = std::abs(d);
  for (int e = begin; e < end; ++e) largest = std::max(largest, std::abs(upper.value[e]));
  upper.start[r] = begin;
  upper.end[r] = end;
  upper.column.resize(end, r);
  if (end > begin) upper.order.push_back(r);
  upper.pivot(r, j, d);
  largest_upper_ = std::max(largest_upper_, largest);
  column_done_[j] = row_done_[r] = 1;
  pivots_.push_back(at);
}

// Columns with one entry in the rows that are left: their rows go to U. Makes no row shorter among those that stay.
template <class Real>
void Markowitz<Real>::eliminate_column_singletons(UpperFactor<Real>& upper) {
  queue_.clear();
  for (int j = 0; j < n_; ++j)
    if (left_in_column_[j] == 1) queue_.push_back(j);
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const int j = queue_[k];
    if (left_in_column_[j] != 1) continue;  // another column took the row
    partition(j);
    const int e = column_[j].active, r = column_row_[e];
    const Real d = column_value_[e];
    if (!(std::abs(d) > column_floor_[j])) continue;
    write_column({r, j}, d, upper);
    for (int f = row_[r].begin; f < row_[r].end; ++f) {
      const int other = row_column_[f];
      if (!column_done_[other] && --left_in_column_[other] == 1) queue_.push_back(other);
    }
  }
}

// Rows with one entry in the columns that are left: their columns go to L. Makes no column shorter among those that
// stay.
template <class Real>
void Markowitz<Real>::eliminate_row_singletons(Etas<Real>& lower, UpperFactor<Real>& upper) {
  queue_.clear();
  for (int i = 0; i < n_; ++i)
    if (!row_done_[i] && left_in_row_[i] == 1) queue_.push_back(i);
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const int r = queue_[k];
    if (left_in_row_[r] != 1) continue;
    int f = row_[r].begin;
    while (column_done_[row_column_[f]]) ++f;
    const int j = row_column_[f];
    partition(j);
    const Piece& piece = column_[j];
    Real d = 0.0, largest = 0.0;
    for (int e = piece.active; e < piece.end; ++e) {
      if (column_row_[e] == r) d = column_value_[e];
      largest = std::max(largest, std::abs(column_value_[e]));
    }
    if (!(std::abs(d) > column_floor_[j]) || std::abs(d) < row_singleton_threshold * largest) continue;
    for (int e = piece.active; e < piece.end; ++e) {
      const int i = column_row_[e];
      if (i == r) continue;
      lower.push(i, column_value_[e] / d);
      if (--left_in_row_[i] == 1) queue_.push_back(i);
    }
    if (column_count(j) > 1) lower.finish(r);
    write_column({r, j, true}, d, upper);
  }
}

template <class Real>
void Markowitz<Real>::start_kernel() {
  kernel_ = active_ = 0;
  for (int i = 0; i < n_; ++i) kernel_ += !row_done_[i];
  if (kernel_ == 0) return;
  columns_by_count_.clear(n_, kernel_);
  rows_by_count_.clear(n_, kernel_);
  // From the last to the first: lists are filled at their heads.
  for (int j = n_ - 1; j >= 0; --j) {
    if (column_done_[j]) continue;
    partition(j);
    Real largest = 0.0;
    for (int e = column_[j].active; e < column_[j].end; ++e) largest = std::max(largest, std::abs(column_value_[e]));
    column_largest_[j] = largest;
    columns_by_count_.link(j, column_count(j));
    active_ += column_count(j);
  }
  for (int i = n_ - 1; i >= 0; --i) {
    if (row_done_[i]) continue;
    Piece& piece = row_[i];
    int kept = piece.begin;
    for (int f = piece.begin; f < piece.end; ++f)
      if (!column_done_[row_column_[f]]) row_column_[kept++] = row_column_[f];
    piece.end = kept;
    rows_by_count_.link(i, row_count(i));
  }
}

template <class Real>
void Markowitz<Real>::eliminate_kernel(Etas<Real>& lower, UpperFactor<Real>& upper) {
  for (int left = kernel_; left > 0; --left) {
    if (left >= dense_rows && active_ > dense_share * left * left) {
      first_dense_ = static_cast<int>(pivots_.size());
      eliminate_dense(left, lower, upper);
      return;
    }
    const PivotPlace pivot = choose_pivot();
    if (pivot.row < 0) return;
    eliminate(pivot, lower, upper);
  }
}

// Gauss with row exchanges. Columns without a pivot are passed over, and tried again after every pivot.
template <class Real>
void Markowitz<Real>::eliminate_dense(int left, Etas<Real>& lower, UpperFactor<Real>& upper) {
  using DenseVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  dense_.assign(static_cast<std::size_t>(left) * left, 0.0);
  dense_row_.clear();
  dense_column_.clear();
  for (int i = 0; i < n_; ++i) {
    if (row_done_[i]) continue;
    left_in_row_[i] = static_cast<int>(dense_row_.size());  // its place, from here on
    dense_row_.push_back(i);
  }
  for (int j = 0; j < n_; ++j) {
    if (column_done_[j]) continue;
    Real* const to = dense_.data() + static_cast<std::ptrdiff_t>(left) * dense_column_.size();
    for (int e = column_[j].active; e < column_[j].end; ++e) to[left_in_row_[column_row_[e]]] = column_value_[e];
    dense_column_.push_back(j);
  }
  const auto column = [this, left](int k) { return dense_.data() + static_cast<std::ptrdiff_t>(left) * k; };
  for (int k = 0; k < left; ++k) {
    int pivot = -1, c = k;
    for (; c < left && pivot < 0; ++c) {
      Real largest = column_floor_[dense_column_[c]];
      for (int i = k; i < left; ++i) {
        const Real size = std::abs(column(c)[i]);
        if (!(size > largest)) continue;
        largest = size;
        pivot = i;
      }
    }
    if (pivot < 0) return;
    if (--c != k) {
      std::swap_ranges(column(c), column(c) + left, column(k));
      std::swap(dense_column_[c], dense_column_[k]);
    }
    for (int j = k; j < left; ++j) std::swap(column(j)[k], column(j)[pivot]);
    std::swap(dense_row_[k], dense_row_[pivot]);
    Real* const l = column(k);
    const int q = dense_column_[k], r = dense_row_[k], begin = static_cast<int>(upper.row.size());
    copy_upper_part(q, upper);
    for (int i = 0; i < k; ++i) {
      if (l[i] == 0.0) continue;
      upper.row.push_back(dense_row_[i]);
      upper.value.push_back(l[i]);
    }
    finish_column({r, q}, l[k], begin, upper);
    for (int i = k + 1; i < left; ++i) {
      l[i] /= l[k];
      if (l[i] != 0.0) lower.push(dense_row_[i], l[i]);
    }
    if (static_cast<int>(lower.index.size()) > lower.start.back()) lower.finish(r);
    const int below = left - k - 1;
    const Eigen::Map<const DenseVector> multipliers(l + k + 1, below);
    for (int j = k + 1; j < left; ++j) {
      const Real u = column(j)[k];
      if (u != 0.0) Eigen::Map<DenseVector>(column(j) + k + 1, below) -= u * multipliers;
    }
  }
}

// The entry with the fewest possible fill-ins, (entries in its row - 1) (entries in its column - 1), of those that are
// large enough in their column; of equal ones, the largest in its column, then the first. No entry: row -1.
template <class Real>
PivotPlace Markowitz<Real>::choose_pivot() {
  PivotPlace best;
  long best_cost = std::numeric_limits<long>::max();
  Real best_size = 0.0;  // over the largest of its column
  int lines = 0;
  for (int count = 1; count <= kernel_; ++count) {
    const long shorter = count - 1;
    if (best_cost <= shorter * shorter) return best;
    for (int j = columns_by_count_.head[count], next; j >= 0; j = next) {
      next = columns_by_count_.next[j];
      const Real largest = column_largest_[j];
      if (!(largest > column_floor_[j])) {
        // Set aside: has no pivot as it stands. It is listed again when it changes.
        columns_by_count_.unlink(j, count);
        continue;
      }
      const Real needed = pivot_threshold * largest;
      for (int e = column_[j].active; e < column_[j].end; ++e) {
        const Real size = std::abs(column_value_[e]);
        if (size < needed || !(size > column_floor_[j])) continue;
        const long cost = (row_count(column_row_[e]) - 1) * shorter;
        if (cost > best_cost || (cost == best_cost && size / largest <= best_size)) continue;
        best = {column_row_[e], j};
        best_cost = cost;
        best_size = size / largest;
      }
      if (best_cost <= shorter * shorter || ++lines >= candidate_lines) return best;
    }
    const Real part = count == 1 ? row_singleton_threshold : pivot_threshold;
    for (int i = rows_by_count_.head[count]; i >= 0; i = rows_by_count_.next[i]) {
      for (int f = row_[i].begin; f < row_[i].end; ++f) {
        const int j = row_column_[f];
        const long cost = (column_count(j) - 1) * shorter;
        if (cost > best_cost) continue;
        int e = column_[j].active;
        while (column_row_[e] != i) ++e;
        const Real size = std::abs(column_value_[e]), largest = column_largest_[j];
        if (size < part * largest || !(size > column_floor_[j])) continue;
        if (cost == best_cost && size / largest <= best_size) continue;
        best = {i, j, count == 1};
        best_cost = cost;
        best_size = size / largest;
      }
      if (best.row >= 0 && (best_cost <= shorter * count || ++lines >= candidate_lines)) return best;
    }
  }
  return best;
}

template <class Real>
void Markowitz<Real>::eliminate(PivotPlace pivot, Etas<Real>& lower, UpperFactor<Real>& upper) {
  const int p = pivot.row, q = pivot.column;
  columns_by_count_.unlink(q, column_count(q));
  rows_by_count_.unlink(p, row_count(p));
  const Piece piece = column_[q];
  active_ -= column_count(q);
  Real d = 0.0;
  for (int e = piece.active; e < piece.end; ++e)
    if (column_row_[e] == p) d = column_value_[e];
  const int first = lower.start.back();
  for (int e = piece.active; e < piece.end; ++e) {
    const int i = column_row_[e];
    if (i == p) continue;
    const Real l = column_value_[e] / d;
    lower.push(i, l);
    multiplier_[i] = l;
    rows_by_count_.unlink(i, row_count(i));
    remove_from_row(i, q);
  }
  write_column(pivot, d, upper);
  for (int f = row_[p].begin; f < row_[p].end; ++f)
    if (row_column_[f] != q) update_column(row_column_[f], p, first, lower);
  const int last = static_cast<int>(lower.index.size());
  for (int k = first; k < last; ++k) {
    const int i = lower.index[k];
    multiplier_[i] = 0.0;
    if (row_count(i) > 0) rows_by_count_.link(i, row_count(i));
  }
  if (last > first) lower.finish(p);
}

// Column j has an entry in the pivot row p: it goes to U, and its product with the multipliers off the column.
template <class Real>
void Markowitz<Real>::update_column(int j, int p, int first, const Etas<Real>& lower) {
  const int before = column_count(j);
  columns_by_count_.unlink(j, before);
  int* rows = column_row_.data();
  Real* values = column_value_.data();
  Real* const multiplier = multiplier_.data();
  const int active = column_[j].active + 1;
  int end = column_[j].end, e = active - 1;
  while (rows[e] != p) ++e;
  const Real u = values[e];
  std::swap(rows[e], rows[active - 1]);
  std::swap(values[e], values[active - 1]);
  column_[j].active = active;

  Real largest = 0.0;
  const int last = static_cast<int>(lower.index.size());
  int missed = last - first;
  for (e = active; e < end;) {
    const int i = rows[e];
    // Most rows have no multiplier and lose zero, which is cheaper than a test.
    const Real product = multiplier[i] * u, value = values[e] - product;
    missed -= multiplier[i] != 0.0;
    multiplier[i] = 0.0;  // met: restored below
    if (is_noise(value, product)) {
      --end;
      rows[e] = rows[end];
      values[e] = values[end];
      remove_from_row(i, j);
      continue;
    }
    values[e++] = value;
    largest = std::max(largest, std::abs(value));
  }
  column_[j].end = end;
  if (missed > 0) {
    reserve_in_column(j, missed);
    end = column_[j].end;
    rows = column_row_.data();
    values = column_value_.data();
  }
  for (int k = first; k < last; ++k) {
    const int i = lower.index[k];
    const bool met = multiplier[i] == 0.0;
    multiplier[i] = lower.value[k];
    if (met || missed == 0) continue;
    const Real value = -(lower.value[k] * u);
    if (value == 0.0) continue;  // underflow
    rows[end] = i;
    values[end++] = value;
    add_to_row(i, j);
    largest = std::max(largest, std::abs(value));
  }
  column_[j].end = end;
  column_largest_[j] = largest;
  active_ += column_count(j) - before;
  if (column_count(j) > 0) columns_by_count_.link(j, column_count(j));
}

template <class Real>
void Markowitz<Real>::remove_from_row(int i, int j) {
  int f = row_[i].begin;
  while (row_column_[f] != j) ++f;
  row_column_[f] = row_column_[--row_[i].end];
}

template <class Real>
void Markowitz<Real>::add_to_row(int i, int j) {
  Piece& piece = row_[i];
  if (piece.end == piece.capacity_end) {
    // To the end of the file, with room to grow: the file grows to twice what is stored, at most.
    const int count = piece.end - piece.begin, to = static_cast<int>(row_column_.size());
    row_column_.resize(to + 2 * count + 4);
    std::copy_n(row_column_.begin() + piece.begin, count, row_column_.begin() + to);
    piece = {to, to, to + count, static_cast<int>(row_column_.size())};
  }
  row_column_[piece.end++] = j;
}

template <class Real>
void Markowitz<Real>::reserve_in_column(int j, int more) {
  Piece& piece = column_[j];
  if (piece.end + more <= piece.capacity_end) return;
  const int count = piece.end - piece.begin, to = static_cast<int>(column_row_.size());
  column_row_.resize(to + 2 * (count + more));
  column_value_.resize(column_row_.size());
  std::copy_n(column_row_.begin() + piece.begin, count, column_row_.begin() + to);
  std::copy_n(column_value_.begin() + piece.begin, count, column_value_.begin() + to);
  piece = {to, to + (piece.active - piece.begin), to + count, static_cast<int>(column_row_.size())};
}

template struct Etas<double>;
template struct Etas<long double>;
template struct UpperFactor<double>;
template struct UpperFactor<long double>;
template class Markowitz<double>;
template class Markowitz<long double>;

}  // namespace pegrasp::mcp
