// SPDX-License-Identifier: Apache-2.0
// How many samples a map simulates between two records of its journal: enough to keep the cores or the device busy, few enough for a
// lively progress bar and for little to be lost by an interruption. Results do not depend on it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "pegrasp/options.hpp"

namespace pegrasp {

struct ChunkRule {
  std::size_t first, least, most;
  double fastest;  // growth or decline from one chunk to the next, at most
};

// A chunk grows or shrinks until it takes about as long as these bounds say [s].
constexpr double chunk_seconds_low = 0.2;
constexpr double chunk_seconds_high = 0.8;
constexpr double chunk_seconds = 0.4;

// A device takes as long for thousands of scenes as for one, however long that is: there are never fewer than fill it, on the sparse road some
// thousand. On a CPU scenes of the sparse road may take minutes each.
constexpr ChunkRule chunk_rule(bool device, Road road) {
  const bool sparse = road == Road::sparse;
  if (device) return sparse ? ChunkRule{1024, 1024, 65'536, 4.0} : ChunkRule{65'536, 65'536, 262'144, 4.0};
  return sparse ? ChunkRule{16, 1, 65'536, 4.0} : ChunkRule{128, 16, 65'536, 2.0};
}

// After a chunk that took so long.
constexpr std::size_t next_chunk(std::size_t chunk, double seconds, const ChunkRule& rule) {
  if (seconds >= chunk_seconds_low && seconds <= chunk_seconds_high) return chunk;
  const double wanted = seconds > 0.0 ? chunk_seconds / seconds : rule.fastest;
  const double factor = std::clamp(wanted, 1.0 / rule.fastest, rule.fastest);
  return std::clamp(static_cast<std::size_t>(static_cast<double>(chunk) * factor), rule.least, rule.most);
}

}  // namespace pegrasp
