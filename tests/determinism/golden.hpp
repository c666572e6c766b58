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
    {"gear", 0xc5442c4e42feb3a7ull},
    {"box", 0xed355caff6890cc3ull},
    {"pile", 0xa9670111dfb8ac43ull},
    {"stack", 0x7ebc374a92ad42fdull},
    {"peg/aj", 0x961b1ea9c780b6aeull},
    {"peg/pgs", 0x99b543a32b1a964dull},
    {"peg/jacobi", 0x19d88b0e7bee7a15ull},
    {"peg/nncg", 0xd23678062384bff7ull},
    {"peg/newton", 0x8f78b67dc926275cull},
    {"peg-features/aj", 0x2d325446ac50d4c9ull},
    {"peg-features/pgs", 0x6e4d0d0d4a6f231aull},
    {"peg-features/jacobi", 0x97d493464397fc24ull},
    {"peg-features/nncg", 0x38366c5edf94b33cull},
    {"peg-features/newton", 0x340175354967d616ull},
    {"standard/aj", 0x486a4aea3e2624dfull},
    {"standard/pgs", 0xcefaf80b1e97fdafull},
    {"standard/jacobi", 0x4f0f488e7973d6a0ull},
    {"standard/nncg", 0x9fa122e956e1061dull},
    {"standard/newton", 0xb337172fe1aa0e6bull},
    {"corrective/aj", 0x406554d532fbaea9ull},
    {"corrective/pgs", 0xf1ec319692ea74c1ull},
    {"corrective/jacobi", 0xc27791d38817af65ull},
    {"corrective/nncg", 0x038fb09b3897f6c7ull},
    {"corrective/newton", 0xfb05478fd0332837ull},
};

}  // namespace pegrasp::test
