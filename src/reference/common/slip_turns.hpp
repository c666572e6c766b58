// SPDX-License-Identifier: Apache-2.0
// Friction against a slip that turns.
#pragma once

#include <algorithm>

namespace pegrasp::reference {

// What rows of friction get beside the slip of a step, `after`, so that they point as the mean of it and of the slip of
// the last step does: that of the time at which friction acts, where the step begins. It lies across `after`.
//
// tan of the angle between `after` and the mean is |across| / (|after| + along / |after|). Beyond 60 degrees the bias
// fades with the square of the cosine, so that it ends with the slip and has no jump.
template <class Slip>
Slip bias_across(const Slip& before, const Slip& after) {
  const double along = before.dot(after);
  if (!(along > 0.0)) return Slip::Zero(before.size());
  const double square = after.squaredNorm();
  const double share = std::min(1.0, 2.0 * along / (before.norm() * after.norm()));
  return share * share * square / (square + along) * (before - along / square * after);
}

}  // namespace pegrasp::reference
