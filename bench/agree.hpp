// SPDX-License-Identifier: Apache-2.0
// Checks whether two backends give the same bits. Both run the same scenes, and every outcome and every final pose is
// compared. Backends return final states only, so trajectories are compared by stopping scenes on their way. For the
// first scene that differs the first differing step is found.
#pragma once

#include <string>

#include "bench/cases.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

// How much of the trajectories is compared, besides the final states.
struct Way {
  int cuts = 8;             // numbers of steps after which scenes are stopped, spread evenly over the longest scene
  bool every_step = false;  // after every step instead: half as many runs as the longest scene has steps
  int scenes = 32;          // that are stopped at each cut, at most; where there are more, each cut takes others
};

struct Agreement {
  int scenes = 0;
  int differing = 0;     // scenes
  int alike_at_end = 0;  // of these, scenes that differ on their way alone
  int cuts = 0;          // numbers of steps after which scenes were compared, besides their ends
  int stopped = 0;       // scenes that were on their way there, counted at each
  long long steps = 0;   // to the ends, on the first backend
  int unresolved = 0;    // scenes, on the first backend
  std::string hash_a;    // of all outcomes and poses, of the ends and then of the cuts (FNV-1a, 64 bits)
  std::string hash_b;
  std::string first;  // in words: scene, what differs, since which step; empty when all agree
};

Agreement compare(const Case& benchmark, Backend& a, Backend& b, const Way& way = {});

}  // namespace pegrasp::bench
