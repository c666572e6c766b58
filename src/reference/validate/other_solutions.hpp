// SPDX-License-Identifier: Apache-2.0
// Is a step that the two sides take apart a step with several solutions? The reference tries to find the product's
// answer as well, from other starts.
#pragma once

#include "reference/validate/validate.hpp"

namespace pegrasp::reference {

// Whether the reference, from the product's state before that step and from some start, comes to the product's
// velocities within `tolerance` [m/s]. Deterministic.
bool reference_finds_it(const ValidateCase& job, const StepDifference& step, double tolerance);

}  // namespace pegrasp::reference
