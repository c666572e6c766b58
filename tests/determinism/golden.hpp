// SPDX-License-Identifier: Apache-2.0
// Hashes of results, the same with every compiler, at every optimisation level and on every backend. A change that is meant
// to change results brings new ones: scripts/update_golden.sh writes this file.
#pragma once

#include <cstdint>

namespace pegrasp::test {

struct Golden {
  const char* name;
  std::uint64_t hash;
};

constexpr Golden golden_hashes[] = {
    {"gear", 0xc8b15e6977e0544eull},
    {"box", 0x3f1555d6598373dfull},
    {"pile", 0x14c3c639cbc02e27ull},
    {"stack", 0x8f659669d56318faull},
    {"peg/aj", 0x961b1ea9c780b6aeull},
    {"peg/pgs", 0x99b543a32b1a964dull},
    {"peg/jacobi", 0x19d88b0e7bee7a15ull},
    {"peg/nncg", 0xd23678062384bff7ull},
    {"peg/newton", 0xd931f86422001e87ull},
    {"peg-features/aj", 0x2d325446ac50d4c9ull},
    {"peg-features/pgs", 0x6e4d0d0d4a6f231aull},
    {"peg-features/jacobi", 0x97d493464397fc24ull},
    {"peg-features/nncg", 0x38366c5edf94b33cull},
    {"peg-features/newton", 0x8fdd100e55855c2cull},
    {"standard/aj", 0x486a4aea3e2624dfull},
    {"standard/pgs", 0xcefaf80b1e97fdafull},
    {"standard/jacobi", 0x4f0f488e7973d6a0ull},
    {"standard/nncg", 0x9fa122e956e1061dull},
    {"standard/newton", 0x62ad346c81c40c3dull},
    {"corrective/aj", 0x406554d532fbaea9ull},
    {"corrective/pgs", 0xf1ec319692ea74c1ull},
    {"corrective/jacobi", 0xc27791d38817af65ull},
    {"corrective/nncg", 0x038fb09b3897f6c7ull},
    {"corrective/newton", 0x351adc62657b5743ull},
};

}  // namespace pegrasp::test
