// SPDX-License-Identifier: Apache-2.0
// Do two backends give the same bits? Runs the same scenes on both and compares every outcome and every final pose; for
// the first scene that differs, finds the first step after which it does.
#pragma once

#include <string>

#include "cases.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

struct Agreement {
  int scenes = 0;
  int differing = 0;    // scenes
  long long steps = 0;  // on the first backend
  int unresolved = 0;   // scenes, on the first backend
  std::string hash_a;   // of all outcomes and poses (FNV-1a, 64 bits)
  std::string hash_b;
  std::string first;  // in words: scene, what differs, since which step; empty when all agree
};

Agreement compare(const Case& benchmark, Backend& a, Backend& b);

}  // namespace pegrasp::bench
