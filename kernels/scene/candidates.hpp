// SPDX-License-Identifier: Apache-2.0
// Which bodies may touch, and their friction, asked pair by pair. Models of up to largest_pair_list candidate pairs
// list them, and the friction of each is a parameter of the scene; in larger models friction belongs to the model.
#pragma once

#include <cmath>

#include "kernels/base/platform.hpp"
#include "kernels/model/model.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Index of (a, b), a < b, in two columns sorted by a, then b; -1 when it is not there.
PEGRASP_HD inline int find_pair(const int* column_a, const int* column_b, int count, int a, int b) {
  int low = 0;
  int high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (column_a[middle] < a || (column_a[middle] == a && column_b[middle] < b)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && column_a[low] == a && column_b[low] == b ? low : -1;
}

// May bodies a < b touch? `slot`: the pair's place among the friction parameters, -1 where the model lists no pairs.
PEGRASP_HD inline bool may_touch(const ModelView& m, int a, int b, int& slot) {
  slot = -1;
  if (m.lists_pairs != 0) {
    slot = find_pair(m.body_pair_a, m.body_pair_b, m.body_pair_count, a, b);
    return slot >= 0;
  }
  const int dynamic = static_cast<int>(BodyKind::dynamic);
  if (m.body_kind[a] != dynamic && m.body_kind[b] != dynamic) return false;
  const int named = find_pair(m.named_pair_a, m.named_pair_b, m.named_pair_count, a, b);
  return named < 0 || m.named_pair_friction[named] >= 0.0;
}

// Friction of bodies a < b in a model that lists no pairs: their own coefficient, or the geometric mean of theirs.
PEGRASP_HD inline double unlisted_friction(const ModelView& m, int a, int b) {
  const int named = find_pair(m.named_pair_a, m.named_pair_b, m.named_pair_count, a, b);
  return named >= 0 ? m.named_pair_friction[named] : sqrt(m.body_friction[a] * m.body_friction[b]);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
