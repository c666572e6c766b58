// SPDX-License-Identifier: Apache-2.0
// Sets of small numbers as the bits of a word.
#pragma once

#include <cstdint>

#include "platform.hpp"

namespace pegrasp {

// Position of the lowest set bit; x != 0.
PEGRASP_HD inline int lowest_bit(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

PEGRASP_HD inline int count_bits(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  // without the instruction, which the baseline of x86-64 lacks
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((x * 0x0101010101010101u) >> 56);
#endif
}

}  // namespace pegrasp
