// SPDX-License-Identifier: Apache-2.0
// Boxes along the axes: lows, then highs [m].
#pragma once

#include "kernels/base/dimension.hpp"
#include "kernels/base/scalars.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool boxes_meet(const double* a, const double* b) {
  bool meet = true;
  for (int i = 0; i < box_size / 2; ++i) meet = meet && a[i] <= b[box_size / 2 + i] && b[i] <= a[box_size / 2 + i];
  return meet;
}

PEGRASP_HD inline void empty_box(double* box) {
  for (int i = 0; i < box_size; ++i) box[i] = i < box_size / 2 ? 1e300 : -1e300;
}

PEGRASP_HD inline void widen_box(double* box, const double* by) {
  for (int i = 0; i < box_size / 2; ++i) box[i] = min2(box[i], by[i]);
  for (int i = box_size / 2; i < box_size; ++i) box[i] = max2(box[i], by[i]);
}

PEGRASP_HD inline bool box_within(const double* box, const double* in) {
  bool within = true;
  for (int i = 0; i < box_size / 2; ++i) {
    within = within && box[i] >= in[i] && box[box_size / 2 + i] <= in[box_size / 2 + i];
  }
  return within;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
