// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "pegrasp/map.hpp"

namespace pegrasp {

// Samples that are handed out at a time.
constexpr std::size_t rows_a_block = 65536;

// Adds samples. penetration_tolerance: SuccessMap's.
void add_samples(MapTotals& totals, const SampleBlock& block, double penetration_tolerance);

// Adds what was counted of other samples.
void add_totals(MapTotals& totals, const MapTotals& more);

}  // namespace pegrasp
