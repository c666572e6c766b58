// SPDX-License-Identifier: Apache-2.0
// Counter-based random bits: Philox 4x32-10 (Salmon et al., SC 2011; Random123). Key: the seed. Counter: (cell, sample,
// stream, redraw). A draw depends on nothing else, so samples may be drawn in any order, on any machine, in any shard.
#pragma once

#include <Random123/philox.h>

#include <cstdint>
#include <string_view>

#include "kernels/base/platform.hpp"

namespace pegrasp {

struct DrawKey {
  std::uint64_t seed = 0;
  std::uint32_t cell = 0;
  std::uint32_t sample = 0;
  std::uint32_t stream = 0;  // of the parameter
  std::uint32_t redraw = 0;
};

struct RandomWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

PEGRASP_HD inline RandomWords random_words(const DrawKey& key) {
  const r123::Philox4x32::ctr_type counter{{key.cell, key.sample, key.stream, key.redraw}};
  const r123::Philox4x32::key_type seed{
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32{}(counter, seed);
  return {words[0] | static_cast<std::uint64_t>(words[1]) << 32, words[2] | static_cast<std::uint64_t>(words[3]) << 32};
}

// Where draws take their words from. Whoever gives words in place of these has the same two members; `redraws`: how
// often draws that do not suit are made again.
struct PhiloxWords {
  std::uint32_t redraws = 0;
  PEGRASP_HD RandomWords operator()(const DrawKey& key) const { return random_words(key); }
};

// In (0, 1], 53 bits.
PEGRASP_HD inline double unit_open_below(std::uint64_t word) { return static_cast<double>((word >> 11) + 1) * 0x1p-53; }

// In (0, 1), 52 bits, symmetric about 1/2.
PEGRASP_HD inline double unit_open(std::uint64_t word) { return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52; }

// Stream of a named parameter: FNV-1a of the name. A hash instead of a running number, so that adding, removing or
// reordering parameters leaves the draws of the others as they were.
constexpr std::uint32_t stream_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace pegrasp
