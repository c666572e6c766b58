// SPDX-License-Identifier: Apache-2.0
// How many samples a map simulates between two records of its journal: enough to keep the cores or the device busy, few
// enough for a lively progress bar and for little to be lost by an interruption. Results do not depend on it.
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

// A device takes as long for thousands of scenes as for one, however long that is: there are never fewer than fill it
// (an H100 or H200 holds 132 x 32 at once, in teams of eight), and of small scenes, which are over soon, some times as
// many: four pieces, so that copies are hidden and the queue has something to even out. On the batched strategy a
// million bodies fill it. On a CPU scenes of that strategy may take minutes each.
constexpr std::size_t scenes_that_fill = 4608;
constexpr std::size_t bodies_that_fill = std::size_t{1} << 20;

constexpr ChunkRule chunk_rule(bool device, Strategy strategy, std::size_t bodies) {
  const bool batched = strategy == Strategy::batched;
  if (device && batched) {
    const std::size_t least = std::clamp<std::size_t>(bodies_that_fill / bodies, 1, 1024);
    return {least, least, 65'536, 4.0};
  }
  if (device) {
    const std::size_t first = std::clamp<std::size_t>(bodies_that_fill / 2 / bodies, scenes_that_fill, 131'072);
    return {first, std::min(first, 4 * scenes_that_fill), 262'144, 4.0};
  }
  return batched ? ChunkRule{16, 1, 65'536, 4.0} : ChunkRule{128, 16, 65'536, 2.0};
}

// After a chunk that took so long.
constexpr std::size_t next_chunk(std::size_t chunk, double seconds, const ChunkRule& rule) {
  if (seconds >= chunk_seconds_low && seconds <= chunk_seconds_high) return chunk;
  const double wanted = seconds > 0.0 ? chunk_seconds / seconds : rule.fastest;
  const double factor = std::clamp(wanted, 1.0 / rule.fastest, rule.fastest);
  return std::clamp(static_cast<std::size_t>(static_cast<double>(chunk) * factor), rule.least, rule.most);
}

}  // namespace pegrasp
