// SPDX-License-Identifier: Apache-2.0
// Seeds of fuzz tests: said on every run, and taken from PEGRASP_FUZZ_SEED where it is set, to look for more or to see
// again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace pegrasp::test {

inline std::uint64_t fuzz_seed(std::uint64_t usual) {
  const char* const asked = std::getenv("PEGRASP_FUZZ_SEED");
  const std::uint64_t seed = asked == nullptr ? usual : std::stoull(asked);
  std::cout << "[ SEED     ] " << seed << "\n";
  return seed;
}

}  // namespace pegrasp::test
