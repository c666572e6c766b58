// SPDX-License-Identifier: Apache-2.0
// FNV-1a (64 bit) over the bits of results, field by field, least significant byte first.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "pegrasp/options.hpp"

namespace pegrasp::test {

class Hash {
 public:
  void add(std::uint64_t bits) {
    for (int i = 0; i < 8; ++i) {
      value_ ^= (bits >> (8 * i)) & 0xffu;
      value_ *= 0x100000001b3ull;
    }
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(std::int64_t x) { add(static_cast<std::uint64_t>(x)); }
  void add(int x) { add(static_cast<std::int64_t>(x)); }
  void add(const SceneOutcome& o) {
    add(static_cast<std::uint64_t>(o.status));
    for (int x : {o.success, o.stopped_still, o.steps, o.substeps_rejected, o.unresolved_steps, o.contacts_max,
                  o.contacts_demand}) {
      add(x);
    }
    for (std::int64_t x : {o.contacts_sum, o.substeps, o.solves, o.iterations}) add(x);
    for (double x : {o.time, o.residual_max, o.penetration_max}) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

inline std::uint64_t hash_of(std::span<const SceneOutcome> outcomes, std::span<const double> poses) {
  Hash hash;
  for (const SceneOutcome& outcome : outcomes) hash.add(outcome);
  for (double x : poses) hash.add(x);
  return hash.value();
}

}  // namespace pegrasp::test
