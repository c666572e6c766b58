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
    {"gear", 0xaa2a604c50f0afa8ull},
    {"box", 0x316279c66bdd47afull},
    {"pile", 0xb3c66328850c1e5full},
    {"stack", 0xebf7c5d51ff9de4dull},
    {"peg/aj", 0x5c8ed0d448a67d54ull},
    {"peg/pgs", 0x09d3d42f8f8816d8ull},
    {"peg/jacobi", 0xcf57a2f634de375dull},
    {"peg/nncg", 0xc43d817d3d89f055ull},
    {"peg/newton", 0x79749c6eaefec7c7ull},
    {"peg/stiff-newton", 0x0a494c64722ea001ull},
    {"peg-features/aj", 0xec74344b27a7fbf8ull},
    {"peg-features/pgs", 0x5c9d3017a3989e58ull},
    {"peg-features/jacobi", 0xb9f6a9e573439e5full},
    {"peg-features/nncg", 0x10cbeae16a275709ull},
    {"peg-features/newton", 0x5464658c15f7eb6bull},
    {"peg-features/stiff-newton", 0x93daac60ad6ec29aull},
    {"standard/aj", 0xaffd95f032572099ull},
    {"standard/pgs", 0xc954cd56480eda93ull},
    {"standard/jacobi", 0xd4547b7ffe2ede83ull},
    {"standard/nncg", 0xeb43a37537f0e39dull},
    {"standard/newton", 0xaeab332a150d48b6ull},
    {"standard/stiff-newton", 0xef77741a7c3868fbull},
    {"corrective/aj", 0xc4781f71dab70814ull},
    {"corrective/pgs", 0x476891322e68d6d6ull},
    {"corrective/jacobi", 0x52d0755bb33e3ae0ull},
    {"corrective/nncg", 0x2e177be790e0ef22ull},
    {"corrective/newton", 0x8711af44e4a4d5b9ull},
    {"corrective/stiff-newton", 0x49036cfb3cd34f04ull},
    {"spatial/mixed", 0x118d86dfd9e5ac56ull},
    {"spatial/box", 0x0ce5dc83d5e54b4bull},
    {"spatial/peg/aj", 0xf0fea0a76bc51d60ull},
    {"spatial/peg/pgs", 0x4c345d9701f444efull},
    {"spatial/peg/jacobi", 0x1c28942284d587ebull},
    {"spatial/peg/nncg", 0x00b826eb85a7fa88ull},
    {"spatial/peg/newton", 0x44dfafd4abafcb4eull},
    {"spatial/peg/stiff-newton", 0xa0d83412019435adull},
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
    {"spatial/lift", 0xb553d534fa71e919ull},
    {"spatial/ball_motor", 0xa09c008a61688c85ull},
    {"groove/newton", 0x859d86989957e04cull},
    {"groove/aj", 0x683e2a8fb928f288ull},
    {"batched/groove", 0xa03b7a9fbc704badull},
    {"batched/plane", 0x8a8510899db411b4ull},
    {"batched/joints", 0x1907910f8c31ecb8ull},
    {"batched/spatial", 0xa1dca12bf2b2a36bull},
    {"batched/ball_motor", 0xa50bc26ed648f782ull},
};

}  // namespace pegrasp::test
