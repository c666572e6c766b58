// SPDX-License-Identifier: Apache-2.0
// Limits that the problem file and the command line share (docs/reference/problem-file.md).
#pragma once

#include <cstdint>

namespace pegrasp {

// Largest number of samples per cell of a map. The counter of a draw has 32 bits for the sample.
inline constexpr std::int64_t most_samples = 100'000'000;

}  // namespace pegrasp
