// SPDX-License-Identifier: Apache-2.0
// A small generator of random numbers for tests and scenes: splitmix64 (Steele, Lea, Flood), the same numbers on every
// machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pegrasp::scenes {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // In [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
  }
  // In 0 .. count - 1 (the bias of the remainder is of no matter here).
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

 private:
  std::uint64_t state_;
};

}  // namespace pegrasp::scenes
