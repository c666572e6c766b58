// SPDX-License-Identifier: Apache-2.0
// Scrambled Sobol' points. A point is a function of its index, the scrambling a function of the key, so that any
// coordinate of any point may be had at any time, anywhere.
#pragma once

#include <cstdint>

#include "kernels/sampling/philox.hpp"

namespace pegrasp {

constexpr int sobol_bits = 32;                           // binary digits of a coordinate that the sequence decides
constexpr std::uint32_t scrambling_redraw = 0xffffffff;  // tells the key of a scrambling from those of draws

// The digits of coordinate `index` of a dimension. directions: (sobol_bits) of the dimension, as unsigned numbers.
PEGRASP_HD inline std::uint32_t sobol_digits(const int* directions, std::uint32_t index) {
  std::uint32_t digits = 0;
  for (int bit = 0; index != 0; ++bit, index >>= 1) {
    if ((index & 1u) != 0) digits ^= static_cast<std::uint32_t>(directions[bit]);
  }
  return digits;
}

// Number `place` of the stream of random words that `start` begins (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
PEGRASP_HD inline std::uint64_t split_mix(std::uint64_t start, std::uint64_t place) {
  std::uint64_t z = start + place * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Nested uniform scrambling (Owen, 1995): whether a digit is flipped is decided by all digits above it.
PEGRASP_HD inline std::uint32_t nested_scramble(std::uint32_t digits, std::uint64_t start) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < sobol_bits; ++bit) {
    const int place = sobol_bits - 1 - bit;
    // the digits above with a one before them: a number for every node of the tree
    const std::uint64_t node = std::uint64_t{1} << bit | (std::uint64_t{digits} >> (place + 1));
    const auto flip = static_cast<std::uint32_t>(split_mix(start, node) >> 63);
    out |= ((digits >> place ^ flip) & 1u) << place;
  }
  return out;
}

// In place of random_words(key).first: the coordinate of a sample, whose digits beyond the sequence's are random.
PEGRASP_HD inline std::uint64_t sobol_word(const int* directions, int replicates, const DrawKey& key) {
  const auto count = static_cast<std::uint32_t>(replicates);
  DrawKey scrambling = key;
  scrambling.sample = key.sample % count;
  scrambling.redraw = scrambling_redraw;
  const std::uint32_t digits = sobol_digits(directions, key.sample / count);
  return std::uint64_t{nested_scramble(digits, random_words(scrambling).first)} << 32 |
         (random_words(key).first & 0xffffffffu);
}

}  // namespace pegrasp
