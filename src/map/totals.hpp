// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/map.hpp"

namespace pegrasp {

// Adds samples. penetration_tolerance: SuccessMap's.
void add_samples(MapTotals& totals, const SampleBlock& block, double penetration_tolerance);

}  // namespace pegrasp
