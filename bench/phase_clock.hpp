// SPDX-License-Identifier: Apache-2.0
// Names of the phases of a step, and the conversion of clock ticks to times: the common part of all clocks around
// phases.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "bench/phases.hpp"

namespace pegrasp::bench {

enum Phase {
  phase_islands,
  phase_find_pairs,
  phase_predict,
  phase_choose_modes,
  phase_make_rows,
  phase_solve,
  phase_accepted,
  phase_integrate,
  phase_count
};
constexpr std::array<const char*, phase_count> phase_names{"islands",   "find_pairs", "predict",  "choose_modes",
                                                           "make_rows", "solve",      "accepted", "integrate"};
using PhaseTicks = std::array<std::uint64_t, phase_count>;

// The counter of the processor if there is one: reading a system clock takes as long as the shorter phases.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Books the time of a scope.
struct Booking {
  explicit Booking(std::uint64_t& spent) : on(spent) {}
  Booking(const Booking&) = delete;
  Booking& operator=(const Booking&) = delete;
  ~Booking() { on += ticks() - begin; }
  std::uint64_t& on;
  std::uint64_t begin = ticks();
};

// Ticks and the wall time [s] of the same run of `steps` scene-steps.
struct PhaseCount {
  PhaseTicks spent{};
  std::uint64_t total = 0;
  double wall = 0.0;
  std::int64_t steps = 0;
};

inline PhaseTimes phase_times(const PhaseCount& count) {
  PhaseTimes times;
  if (count.steps == 0 || count.total == 0) return times;
  times.total = 1e6 * count.wall / static_cast<double>(count.steps);
  double known = 0.0;
  for (std::size_t phase = 0; phase < phase_names.size(); ++phase) {
    const double share = static_cast<double>(count.spent[phase]) / static_cast<double>(count.total);
    times.microseconds.emplace_back(phase_names[phase], share * times.total);
    known += share * times.total;
  }
  times.microseconds.emplace_back("other", times.total - known);
  return times;
}

}  // namespace pegrasp::bench
