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
    {"gear", 0x510ffcc372971fbeull},
    {"box", 0xf87a55a067c3c351ull},
    {"pile", 0x2b562d3510ba63e7ull},
    {"stack", 0x71df72b1d5d7fabeull},
    {"peg/aj", 0x335086a22e821864ull},
    {"peg/pgs", 0xaa4bdcd37744b4ffull},
    {"peg/jacobi", 0x7403e6d9294d70b0ull},
    {"peg/nncg", 0x75b5601891fc092eull},
    {"peg/newton", 0x25df0aca7b1dbf86ull},
    {"peg/stiff-newton", 0x8f78b67dc926275cull},
    {"peg-features/aj", 0x7ea343c9865067b1ull},
    {"peg-features/pgs", 0x0081e10e4d0cbf79ull},
    {"peg-features/jacobi", 0x3a404474572e6e77ull},
    {"peg-features/nncg", 0x81fea2d8466d471eull},
    {"peg-features/newton", 0xa0163bd65d4c2365ull},
    {"peg-features/stiff-newton", 0x018b6f2be937078cull},
    {"standard/aj", 0xc877c38239be4dc6ull},
    {"standard/pgs", 0x2ce119cc7c9f5c35ull},
    {"standard/jacobi", 0xd73e3b414491c2ceull},
    {"standard/nncg", 0x2e9161c21a62cbe6ull},
    {"standard/newton", 0xb19449bc67d7b5d7ull},
    {"standard/stiff-newton", 0xb337172fe1aa0e6bull},
    {"corrective/aj", 0x3143880ea1f95ad2ull},
    {"corrective/pgs", 0xf1ec319692ea74c1ull},
    {"corrective/jacobi", 0x94f090671334b298ull},
    {"corrective/nncg", 0x038fb09b3897f6c7ull},
    {"corrective/newton", 0x71fa85e2ed6ae747ull},
    {"corrective/stiff-newton", 0xfb05478fd0332837ull},
    {"spatial/mixed", 0x93dfc1f908645848ull},
    {"spatial/box", 0x1184700298d9f15dull},
    {"spatial/peg/aj", 0x988c4ac9fd825273ull},
    {"spatial/peg/pgs", 0xa1722a5a7982edd8ull},
    {"spatial/peg/jacobi", 0x3ebbc62aa50e1ac6ull},
    {"spatial/peg/nncg", 0xd978c60ac2072569ull},
    {"spatial/peg/newton", 0xb28a856528fd24d2ull},
    {"spatial/peg/stiff-newton", 0xd99a05a5daafdbd8ull},
    {"spatial/peg-features/aj", 0x106f97d9e490b92dull},
    {"spatial/peg-features/pgs", 0x37debc10a31c357eull},
    {"spatial/peg-features/jacobi", 0xad4249ba044075b2ull},
    {"spatial/peg-features/nncg", 0x12630035abf9cda7ull},
    {"spatial/peg-features/newton", 0x76ca356749529423ull},
    {"spatial/peg-features/stiff-newton", 0x3bddfcec9db31395ull},
    {"spatial/standard/aj", 0xc0dd1485b0a1d036ull},
    {"spatial/standard/pgs", 0x3f06862508e75175ull},
    {"spatial/standard/jacobi", 0x5d6f0a80149b1961ull},
    {"spatial/standard/nncg", 0xfa0c555f093e4859ull},
    {"spatial/standard/newton", 0x394a25deb0e79aadull},
    {"spatial/standard/stiff-newton", 0x353d35b9ae91ae44ull},
    {"spatial/corrective/aj", 0xaa16d9a6dec46e24ull},
    {"spatial/corrective/pgs", 0x1839fcc6fd6b2939ull},
    {"spatial/corrective/jacobi", 0xa71438f086747aceull},
    {"spatial/corrective/nncg", 0x37b4c977b19de662ull},
    {"spatial/corrective/newton", 0x6fd36e01052744abull},
    {"spatial/corrective/stiff-newton", 0x45cef183c4f72b79ull},
    {"spatial/lift", 0x0818774eb271ffe3ull},
    {"spatial/ball_motor", 0x3a8b3c66c52e60c0ull},
    {"groove/newton", 0x62649c3defc096d5ull},
    {"groove/aj", 0x092d886fd23fae72ull},
    {"batched/groove", 0x900a56d883616f93ull},
    {"batched/plane", 0x5b3357c7c6072699ull},
    {"batched/joints", 0x689b599e673aedf7ull},
    {"batched/spatial", 0x27579c4cbb6dcec1ull},
    {"batched/ball_motor", 0x542458745addeea1ull},
};

}  // namespace pegrasp::test
