// SPDX-License-Identifier: Apache-2.0
// The bias of rows of friction whose slip turns.
//
// Friction acts where the step begins, against the slip there, which is between that of the last step, s_, and that of
// this one, s+. Where the slip turns, a force against s+ would be half a step ahead, an error of first order. So the
// rows get a bias c across s+:
//   s+ + c = (s_ + s+) |s+| / (|s+| + a),   a = s_ . s+ / |s+|,   c = 0 where a <= 0
//
// Where the slip turns by more than 60 degrees, which a step does not resolve, c fades out: it is multiplied by
// (2 a / |s_|)^2. So it is at most 2 |s+| and changes no faster than s+ does, and a point that comes to rest gets none
// of a direction that is rounding alone. It is at most |s_|, so that what has not slipped does not begin to. It
// vanishes where the slip keeps its direction. s+ is that of the last pass; in the first pass that which follows if the
// bodies are accelerated as in the last step.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// c, from the slips of the last step and of this one: vectors, or a slip and a turn.
template <class Slip>
PEGRASP_HD inline Slip turn_of_slip(Slip before, Slip after) {
  const double speed = norm(after);
  if (!(speed > 0.0)) return Slip{};
  const Slip along = (1.0 / speed) * after;
  const double kept = dot(before, along);
  if (!(kept > 0.0)) return Slip{};
  const double share = 2.0 * kept / norm(before);
  const double weight = share < 1.0 ? share * share : 1.0;
  return (weight * speed / (speed + kept)) * (before - kept * along);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
