// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/pivot_orders.hpp"

#include <algorithm>
#include <cstddef>

namespace pegrasp::mcp {
namespace {

// Patterns that come back do so soon: those of the first and the last basis of the latest few problems. More: longer to
// look through, and more memory for problems whose patterns never come back.
constexpr std::size_t most_known = 8;

// Numbers that refuse each other's order one after the other cost an attempt before every search: so many are made.
constexpr int most_refusals = 3;

std::uint64_t hash_of(std::span<const ColumnView> columns) {
  std::uint64_t hash = columns.size();
  const auto add = [&hash](std::uint64_t x) {
    hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const ColumnView& column : columns) {
    add(column.rows.size());
    for (const int row : column.rows) add(static_cast<std::uint64_t>(row));
  }
  return hash;
}

}  // namespace

bool PivotOrder::has_pattern_of(std::span<const ColumnView> columns) const {
  if (columns.size() != pivots.size()) return false;
  const int* known = column_row.data();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::span<const int> rows = columns[j].rows;
    if (static_cast<int>(rows.size()) != column_start[j + 1] - column_start[j]) return false;
    if (!std::equal(rows.begin(), rows.end(), known + column_start[j])) return false;
  }
  return true;
}

// Column after column, as if every entry that can be nonzero were (Gilbert and Peierls 1988, without their search: what
// a column reaches is marked step by step).
void PivotOrder::analyse() {
  const int n = static_cast<int>(pivots.size());
  std::vector<int> step_of(pivots.size());
  for (int k = 0; k < n; ++k) step_of[pivots[k].row] = k;
  std::vector<int> seen_in(pivots.size(), -1);  // by step: the last step whose column reaches it
  upper_start.assign(1, 0);
  lower_start.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    int lowest = k;
    std::size_t above = 0;
    const auto reach = [&](int row) {
      const int s = step_of[row];
      if (seen_in[s] == k) return;
      seen_in[s] = k;
      if (s < k) {
        ++above;
        lowest = std::min(lowest, s);
      } else if (s > k) {
        lower_row.push_back(row);
      }
    };
    const int j = pivots[k].column;
    for (int e = column_start[j]; e < column_start[j + 1]; ++e) reach(column_row[e]);
    for (int s = lowest; above > 0; ++s) {
      if (seen_in[s] != k) continue;
      --above;
      upper_step.push_back(s);
      for (int e = lower_start[s]; e < lower_start[s + 1]; ++e) reach(lower_row[e]);
    }
    upper_start.push_back(static_cast<int>(upper_step.size()));
    lower_start.push_back(static_cast<int>(lower_row.size()));
  }
}

PivotOrders::Known* PivotOrders::look_up(std::span<const ColumnView> columns, std::uint64_t pattern) {
  for (Known& known : known_)
    if (known.pattern == pattern && known.order.has_pattern_of(columns)) return &known;
  return nullptr;
}

const PivotOrder* PivotOrders::find(std::span<const ColumnView> columns) {
  Known* const known = look_up(columns, hash_of(columns));
  if (known == nullptr || known->refusals >= most_refusals) return nullptr;
  known->used = ++clock_;
  found_ = static_cast<std::size_t>(known - known_.data());
  if (!known->order.analysed()) known->order.analyse();
  return &known->order;
}

void PivotOrders::tell(bool served) {
  int& refusals = known_[found_].refusals;
  refusals = served ? 0 : refusals + 1;
}

void PivotOrders::remember(std::span<const ColumnView> columns, std::span<const PivotPlace> pivots, int first_dense) {
  const std::uint64_t pattern = hash_of(columns);
  Known* const known = look_up(columns, pattern);
  Known* to = known;
  if (to == nullptr && known_.size() < most_known) {
    to = &known_.emplace_back();
  } else if (to == nullptr) {
    to = &*std::min_element(known_.begin(), known_.end(),
                            [](const Known& a, const Known& b) { return a.used < b.used; });
  }
  const bool same_pattern = known != nullptr;
  to->refusals = same_pattern ? to->refusals : 0;
  to->pattern = pattern;
  if (to->refusals < most_refusals) to->used = ++clock_;
  PivotOrder& order = to->order;
  order.first_dense = first_dense;
  if (same_pattern && std::equal(pivots.begin(), pivots.end(), order.pivots.begin())) return;
  order.pivots.assign(pivots.begin(), pivots.end());
  order.column_start.assign(1, 0);
  order.column_row.clear();
  for (const ColumnView& column : columns) {
    order.column_row.insert(order.column_row.end(), column.rows.begin(), column.rows.end());
    order.column_start.push_back(static_cast<int>(order.column_row.size()));
  }
  for (std::vector<int>* list : {&order.upper_start, &order.upper_step, &order.lower_start, &order.lower_row})
    list->clear();
}

}  // namespace pegrasp::mcp
