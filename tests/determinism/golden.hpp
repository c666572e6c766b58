// SPDX-License-Identifier: Apache-2.0
// Hashes of results, the same with every compiler, at every optimisation level and on every backend. A change that is
// meant to change results brings new ones: scripts/update_golden.sh writes this file.
#pragma once

#include <cstdint>

namespace pegrasp::test {

struct Golden {
  const char* name;
  std::uint64_t hash;
};

constexpr Golden golden_hashes[] = {
    {"gear", 0xb9f09fc35229170full},
    {"box", 0x5ace65a2713de18eull},
    {"pile", 0x5701a61a309637efull},
    {"stack", 0xebf7c5d51ff9de4dull},
    {"peg/aj", 0x81593bf7be4b01c1ull},
    {"peg/pgs", 0xea070420db1313b6ull},
    {"peg/jacobi", 0xf8aff5c5990dcdc5ull},
    {"peg/nncg", 0x109c23644f33e584ull},
    {"peg/newton", 0xbceb5226622689dbull},
    {"peg/stiff-newton", 0xf82261adadf9de0cull},
    {"peg-features/aj", 0x70bcd843feacb59full},
    {"peg-features/pgs", 0xc4c0174e3c196821ull},
    {"peg-features/jacobi", 0xef2a0fe4cf3a3a90ull},
    {"peg-features/nncg", 0x6ec4382130d70e98ull},
    {"peg-features/newton", 0xe3850a3c524ad108ull},
    {"peg-features/stiff-newton", 0x7f3df2dd8df7a79dull},
    {"standard/aj", 0x14dc4a61c196ef53ull},
    {"standard/pgs", 0xa3621f5b50951232ull},
    {"standard/jacobi", 0x51a38f31d912a71eull},
    {"standard/nncg", 0x79b79a3c4aa67c50ull},
    {"standard/newton", 0xafc3071f0c58cbaaull},
    {"standard/stiff-newton", 0x591316ffbeda53f3ull},
    {"corrective/aj", 0x4575a2119cdd95d9ull},
    {"corrective/pgs", 0xbbb999822c997dadull},
    {"corrective/jacobi", 0xbd985c459bffcc39ull},
    {"corrective/nncg", 0xa395bef8b69507a5ull},
    {"corrective/newton", 0x4c2690aff6247b4cull},
    {"corrective/stiff-newton", 0x74aec93bda2b6708ull},
    {"spatial/mixed", 0x1134e4207b1cbdc1ull},
    {"spatial/box", 0x338e73d408093838ull},
    {"spatial/peg/aj", 0x2b85c018fa56285aull},
    {"spatial/peg/pgs", 0x3b0d5a62ec6b7802ull},
    {"spatial/peg/jacobi", 0x74f30328bb63d913ull},
    {"spatial/peg/nncg", 0x6554adb5e1091b4full},
    {"spatial/peg/newton", 0xecbcbe30e1a75aaaull},
    {"spatial/peg/stiff-newton", 0x02d5115f8b96fbf0ull},
    {"spatial/peg-features/aj", 0xe53ee0c5db1a0d76ull},
    {"spatial/peg-features/pgs", 0x43a8f04552621296ull},
    {"spatial/peg-features/jacobi", 0xcee88ea54c01f0e5ull},
    {"spatial/peg-features/nncg", 0x7a49317d2f5c7ef6ull},
    {"spatial/peg-features/newton", 0x4b0b2bc1ad9ecbbcull},
    {"spatial/peg-features/stiff-newton", 0x17a9ce07d174d8a7ull},
    {"spatial/standard/aj", 0x12b568114d624defull},
    {"spatial/standard/pgs", 0x726ecc16ddf1d6f5ull},
    {"spatial/standard/jacobi", 0xfde2b920b0322f99ull},
    {"spatial/standard/nncg", 0x21736eb7da69a330ull},
    {"spatial/standard/newton", 0x1c37fb714d4ce716ull},
    {"spatial/standard/stiff-newton", 0xbf54dc24566dca89ull},
    {"spatial/corrective/aj", 0xf7f6c97d517312a7ull},
    {"spatial/corrective/pgs", 0x365ab493d2bcd159ull},
    {"spatial/corrective/jacobi", 0xbcbc7d99a9e94b76ull},
    {"spatial/corrective/nncg", 0x9a6856bda2da2d3bull},
    {"spatial/corrective/newton", 0x3a21ddd86ef6b292ull},
    {"spatial/corrective/stiff-newton", 0x7b889000fd97f236ull},
    {"spatial/lift", 0x3b97721ea16f5faaull},
    {"spatial/ball_motor", 0xdd0419b6ebc025d8ull},
    {"groove/newton", 0x78b742090bd07274ull},
    {"groove/aj", 0x721e81e82ae19de9ull},
    {"batched/groove", 0xf69a51752a61fb32ull},
    {"batched/plane", 0x7ae1a31738e26992ull},
    {"batched/joints", 0x1907910f8c31ecb8ull},
    {"batched/spatial", 0xf0f572133b11b912ull},
    {"batched/ball_motor", 0xa50bc26ed648f782ull},
};

}  // namespace pegrasp::test
