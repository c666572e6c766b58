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
    {"peg/aj", 0x65fe2ddcb41313e6ull},
    {"peg/pgs", 0xde3da9dc70a42170ull},
    {"peg/jacobi", 0x507b302a4e34d284ull},
    {"peg/nncg", 0x5256f5ac93ae7a0aull},
    {"peg/newton", 0x79749c6eaefec7c7ull},
    {"peg/stiff-newton", 0x0a494c64722ea001ull},
    {"peg-features/aj", 0xec74344b27a7fbf8ull},
    {"peg-features/pgs", 0xddfaabc9ad70884dull},
    {"peg-features/jacobi", 0xa46097e617a3ec47ull},
    {"peg-features/nncg", 0xe1f30d73de399b22ull},
    {"peg-features/newton", 0x5464658c15f7eb6bull},
    {"peg-features/stiff-newton", 0x93daac60ad6ec29aull},
    {"standard/aj", 0xaffd95f032572099ull},
    {"standard/pgs", 0xbff4a054650d0dbeull},
    {"standard/jacobi", 0x7618109a2d3ab308ull},
    {"standard/nncg", 0x4a97d49bcfdca8d8ull},
    {"standard/newton", 0xaeab332a150d48b6ull},
    {"standard/stiff-newton", 0xef77741a7c3868fbull},
    {"corrective/aj", 0xc4781f71dab70814ull},
    {"corrective/pgs", 0x0ad7eac047a31e25ull},
    {"corrective/jacobi", 0xcc1f29e9db11238eull},
    {"corrective/nncg", 0x64641921975d6428ull},
    {"corrective/newton", 0x8711af44e4a4d5b9ull},
    {"corrective/stiff-newton", 0x49036cfb3cd34f04ull},
    {"spatial/mixed", 0x118d86dfd9e5ac56ull},
    {"spatial/box", 0x0ce5dc83d5e54b4bull},
    {"spatial/peg/aj", 0x304418a106d332d2ull},
    {"spatial/peg/pgs", 0x51dcf1de5866c525ull},
    {"spatial/peg/jacobi", 0xb7a90bfc88859354ull},
    {"spatial/peg/nncg", 0x0b694b2833a884b5ull},
    {"spatial/peg/newton", 0x44dfafd4abafcb4eull},
    {"spatial/peg/stiff-newton", 0xa0d83412019435adull},
    {"spatial/peg-features/aj", 0xe53ee0c5db1a0d76ull},
    {"spatial/peg-features/pgs", 0xb0b60cc2a6293516ull},
    {"spatial/peg-features/jacobi", 0xa760ca980126a9b7ull},
    {"spatial/peg-features/nncg", 0x79bf2602fccec4eaull},
    {"spatial/peg-features/newton", 0x4b0b2bc1ad9ecbbcull},
    {"spatial/peg-features/stiff-newton", 0x17a9ce07d174d8a7ull},
    {"spatial/standard/aj", 0x12b568114d624defull},
    {"spatial/standard/pgs", 0x6b2d700ebd2a4d6bull},
    {"spatial/standard/jacobi", 0xd5637ce9546c5210ull},
    {"spatial/standard/nncg", 0xa3315c6397cf3804ull},
    {"spatial/standard/newton", 0x1c37fb714d4ce716ull},
    {"spatial/standard/stiff-newton", 0xbf54dc24566dca89ull},
    {"spatial/corrective/aj", 0xf7f6c97d517312a7ull},
    {"spatial/corrective/pgs", 0x6e9035c5d8a8f63full},
    {"spatial/corrective/jacobi", 0x3b2a409deb2f160eull},
    {"spatial/corrective/nncg", 0xa7c958985e633ed2ull},
    {"spatial/corrective/newton", 0x3a21ddd86ef6b292ull},
    {"spatial/corrective/stiff-newton", 0x7b889000fd97f236ull},
    {"spatial/lift", 0xb553d534fa71e919ull},
    {"spatial/ball_motor", 0xa09c008a61688c85ull},
    {"groove/newton", 0x859d86989957e04cull},
    {"groove/aj", 0xde2c965c828a4f59ull},
    {"batched/groove", 0xb95727d6190f3dccull},
    {"batched/plane", 0x8a8510899db411b4ull},
    {"batched/joints", 0x1907910f8c31ecb8ull},
    {"batched/spatial", 0xa1dca12bf2b2a36bull},
    {"batched/ball_motor", 0xa50bc26ed648f782ull},
};

}  // namespace pegrasp::test
