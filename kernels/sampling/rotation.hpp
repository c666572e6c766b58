// SPDX-License-Identifier: Apache-2.0
// Turns of vectors while a sample is drawn.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp {

// The rows of the rotation of the unit quaternion w, x, y, z.
PEGRASP_HD inline void rotation_rows(const double* q, double* row) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  row[0] = 1.0 - 2.0 * (y * y + z * z);
  row[1] = 2.0 * (x * y - w * z);
  row[2] = 2.0 * (x * z + w * y);
  row[3] = 2.0 * (x * y + w * z);
  row[4] = 1.0 - 2.0 * (x * x + z * z);
  row[5] = 2.0 * (y * z - w * x);
  row[6] = 2.0 * (x * z - w * y);
  row[7] = 2.0 * (y * z + w * x);
  row[8] = 1.0 - 2.0 * (x * x + y * y);
}
PEGRASP_HD inline void rotated(const double* row, const double* v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = row[3 * i] * v[0] + row[3 * i + 1] * v[1] + row[3 * i + 2] * v[2];
}

}  // namespace pegrasp
