// SPDX-License-Identifier: Apache-2.0
// Steps within which bodies land, which are halved around that time (attempt_frame.hpp).
#pragma once

#include <limits>

#include "src/reference/common/attempt_frame.hpp"

namespace pegrasp::reference {

// Whether bodies that are apart, and touch at no other contact, come together in the free motion, by more than the
// distance within which pairs are examined. One that comes at the very end is left to the next attempt.
template <class Dimension>
bool AttemptFrame<Dimension>::bodies_land(const StepProblem& step) const {
  constexpr double closed_tolerances = 2.0;
  const double closed = closed_tolerances * options_.penetration_tolerance;
  const Vector free = free_velocity(step);
  // What stops bodies of a shell is its core.
  const auto stops_at = [](const PairContact& c) {
    if (c.shell.layer == Layer::shell) return std::numeric_limits<double>::infinity();
    return c.shell.layer == Layer::core ? c.at.gap + c.shell.law.thickness : c.at.gap;
  };
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const PairContact& c = contacts_[i];
    const double gap = stops_at(c);
    if (!(gap > closed) || !std::isfinite(gap)) continue;
    // The row's velocity is (gap - target) / h and the speed at which the gap opens.
    const double row = step.contacts[i].normal.dot(free) + step.contacts[i].gap / step.h + step.contacts[i].rate;
    const double way = c.at.gap - c.target - options_.h * row;
    if (!(way > gap + closed && way > options_.detect_distance)) continue;
    const bool touch = std::any_of(contacts_.begin(), contacts_.end(), [&](const PairContact& other) {
      return other.body_a == c.body_a && other.body_b == c.body_b && stops_at(other) <= closed;
    });
    if (!touch) return true;
  }
  return false;
}

}  // namespace pegrasp::reference
