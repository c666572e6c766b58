// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/outcome/margin.hpp"
#include "kernels/step/step.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds what the success condition says to the outcome of a scene that is over.
PEGRASP_HD inline void judge(const SceneView& s, SceneOutcome& outcome) {
  const bool judged = (outcome.status & fatal_bits) == 0;
  outcome.success = judged && succeeded(s) ? 1 : 0;
  if (judged && s.model->measures_margin != 0) outcome.success_margin = margin_of_success(s);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
