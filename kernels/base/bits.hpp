// SPDX-License-Identifier: Apache-2.0
// Bits of words: sets of small numbers, and the bits of doubles.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/platform.hpp"

namespace pegrasp {

PEGRASP_HD inline std::uint64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

PEGRASP_HD inline double double_of(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x = 0.0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

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
