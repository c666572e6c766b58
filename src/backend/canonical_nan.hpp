// SPDX-License-Identifier: Apache-2.0
// What is not a number has many bit patterns, and processors differ in which they make: an x86 a negative one, a GPU
// one with all bits set; what was given is carried on by some. Results have one, so that they are the same bytes
// everywhere.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "pegrasp/options.hpp"

namespace pegrasp {

inline void make_canonical(double& x) {
  if (std::isnan(x)) x = std::numeric_limits<double>::quiet_NaN();
}

inline void make_canonical(std::span<SceneOutcome> outcomes, std::span<double> final_poses) {
  for (SceneOutcome& outcome : outcomes) {
    for (double* x :
         {&outcome.time, &outcome.residual_max, &outcome.penetration_max, &outcome.grip_force_max,
          &outcome.slip_margin_min, &outcome.slip_margin_end, &outcome.hold_force_max, &outcome.hold_margin_min,
          &outcome.hold_slip_max, &outcome.hold_tilt_max, &outcome.success_margin}) {
      make_canonical(*x);
    }
  }
  for (double& x : final_poses) make_canonical(x);
}

}  // namespace pegrasp
