// SPDX-License-Identifier: Apache-2.0
// Limits that the problem file and the command line share (docs/reference/problem-file.md).
#pragma once

#include <cstdint>

namespace pegrasp {

// Largest number of samples per cell of a map. The counter of a draw has 32 bits for the sample.
inline constexpr std::int64_t most_samples = 100'000'000;

// Of [[axis]]: values of one, and combinations of the values of all.
inline constexpr std::size_t most_axes = 30;
inline constexpr std::int64_t most_axis_values = 10'000;
inline constexpr double most_combinations = 100'000.0;

// Combinations of the variants of all bodies.
inline constexpr std::size_t most_variants = 1000;

// Cells of a map.
inline constexpr double most_cells = 1e7;

// Of map.refine.
inline constexpr std::int64_t most_refine_cells = 1'000'000;

}  // namespace pegrasp
