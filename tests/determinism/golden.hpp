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
    {"gear", 0x274fdf362a3b38e7ull},
    {"box", 0x5ace65a2713de18eull},
    {"pile", 0x5701a61a309637efull},
    {"stack", 0xebf7c5d51ff9de4dull},
    {"peg/aj", 0xdc5dcc648095b054ull},
    {"peg/pgs", 0xbc84101c6d90443bull},
    {"peg/jacobi", 0x1d240b1ccc1d07d2ull},
    {"peg/nncg", 0xe44d3f7dc29e3047ull},
    {"peg/newton", 0x4c7cdd7efb2ea6d8ull},
    {"peg/stiff-newton", 0xc764fcfea04a7456ull},
    {"peg-features/aj", 0x4d29b19715dbc0dbull},
    {"peg-features/pgs", 0x0e9214ba955089d9ull},
    {"peg-features/jacobi", 0x9cfb39674134f29bull},
    {"peg-features/nncg", 0x5df4b3d33bc8b620ull},
    {"peg-features/newton", 0xe34e677f0b435d87ull},
    {"peg-features/stiff-newton", 0x7bba7fae7e73eebeull},
    {"standard/aj", 0x211bbd1a68567bf9ull},
    {"standard/pgs", 0x1e7ba84d4dfb8768ull},
    {"standard/jacobi", 0xd965eba79de2a811ull},
    {"standard/nncg", 0x878003195f2c1f89ull},
    {"standard/newton", 0x801226441bf89c08ull},
    {"standard/stiff-newton", 0x98e5571833af92e3ull},
    {"corrective/aj", 0x764223eda3458089ull},
    {"corrective/pgs", 0xd02362d5fe7e8ba5ull},
    {"corrective/jacobi", 0x244a6359269786e2ull},
    {"corrective/nncg", 0xfe84fa28ab1080b6ull},
    {"corrective/newton", 0xa5e253c3b0dd8fb9ull},
    {"corrective/stiff-newton", 0x56d1736d7ba494d9ull},
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
    {"batched/plane", 0x7ae1a31738e26992ull},
    {"batched/joints", 0x1907910f8c31ecb8ull},
    {"batched/spatial", 0xa1dca12bf2b2a36bull},
    {"batched/ball_motor", 0xa50bc26ed648f782ull},
};

}  // namespace pegrasp::test
