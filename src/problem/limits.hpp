// SPDX-License-Identifier: Apache-2.0
// Limits that the problem file and the command line share (docs/reference/problem-file.md).
#pragma once

#include <cstdint>

namespace pegrasp {

// Samples a cell. A draw's counter gives 32 bits to the sample.
inline constexpr std::int64_t most_samples = 100'000'000;

}  // namespace pegrasp
