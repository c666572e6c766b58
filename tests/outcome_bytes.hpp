// SPDX-License-Identifier: Apache-2.0
// Outcomes compared to the bit, as bytes.
#pragma once

#include <cstring>

#include "pegrasp/options.hpp"

namespace pegrasp::test {

inline bool same_bytes(const SceneOutcome* a, const SceneOutcome* b, std::size_t count) {
  static_assert(sizeof(SceneOutcome) == 8 * sizeof(int) + 19 * 8, "padding, which may differ, or new members to count");
  return std::memcmp(a, b, sizeof(SceneOutcome) * count) == 0;
}

}  // namespace pegrasp::test
