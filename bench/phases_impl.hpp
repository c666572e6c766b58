// SPDX-License-Identifier: Apache-2.0
// Included by phases_planar.cpp and phases_spatial.cpp: the same clock, built with the kernels of either dimension.
//
// step_scene() and the loop around it call their phases by their plain names on whatever team they are given. For TimedTeam the overloads below
// are found beside the team and preferred; they read the clock around the very function that a SerialTeam would have called.
#pragma once

#include "phases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/model.hpp"
#include "run_scene.hpp"
#include "scene/scene.hpp"
#include "scene/team.hpp"

namespace pegrasp::bench {
namespace {

namespace kernels = PEGRASP_ARITHMETIC;
using kernels::SceneView;

// The processor's own counter where there is one: a system clock takes as long as the shorter phases.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

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

struct TimedTeam : SerialTeam {
  std::array<std::uint64_t, phase_count> spent{};
};

// A function of its own for each phase, so that scripts/count_operations.py can tell what is executed on its behalf.
template <Phase phase, class F>
[[gnu::noinline]] auto in_phase(const F& f) {
  SerialTeam serial;
  return f(serial);
}

// Calls f on a serial team and books the time on a phase.
template <Phase phase, class F>
inline auto timed(TimedTeam& team, const F& f) {
  struct Booking {
    std::uint64_t& spent;
    std::uint64_t begin = ticks();
    ~Booking() { spent += ticks() - begin; }
  } booking{team.spent[phase]};
  return in_phase<phase>(f);
}

#if defined(PEGRASP_SPATIAL)
inline void begin_islands(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](SerialTeam& serial) { kernels::begin_islands(serial, s, o); });
}
inline void begin_island(TimedTeam& team, SceneView& s, int island) {
  timed<phase_islands>(team, [&](SerialTeam& serial) { kernels::begin_island(serial, s, island); });
}
inline void undo_merged(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](SerialTeam& serial) { kernels::undo_merged(serial, s, o); });
}
inline void end_island(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](SerialTeam& serial) { kernels::end_island(serial, s, o); });
}
inline void end_islands(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_islands>(team, [&](SerialTeam& serial) { kernels::end_islands(serial, s, o); });
}
#endif
inline void find_pairs(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_find_pairs>(team, [&](SerialTeam& serial) { kernels::find_pairs(serial, s, o); });
}
inline void predict(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_predict>(team, [&](SerialTeam& serial) { kernels::predict(serial, s, o); });
}
inline void choose_modes(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_choose_modes>(team, [&](SerialTeam& serial) { kernels::choose_modes(serial, s, o); });
}
inline void make_rows(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_make_rows>(team, [&](SerialTeam& serial) { kernels::make_rows(serial, s, o); });
}
inline void solve(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed<phase_solve>(team, [&](SerialTeam& serial) { kernels::solve(serial, s, o); });
}
inline bool accepted(TimedTeam& team, SceneView& s, const StepOptions& o) {
  return timed<phase_accepted>(team, [&](SerialTeam& serial) { return kernels::accepted(serial, s, o); });
}
inline kernels::StepResult integrate_or_reject(TimedTeam& team, SceneView& s, const StepOptions& o, bool agreed,
                                               bool can_halve) {
  return timed<phase_integrate>(
      team, [&](SerialTeam& serial) { return kernels::integrate_or_reject(serial, s, o, agreed, can_halve); });
}

// What lies between the phases is told apart in the same way.
[[gnu::noinline]] bool whole_step(TimedTeam& team, SceneView& s, const StepOptions& o) {
  return kernels::advance_scene(team, s, o);
}
inline bool advance_scene(TimedTeam& team, SceneView& s, const StepOptions& o) { return whole_step(team, s, o); }

struct alignas(16) Chunk {
  unsigned char bytes[16];
};

PhaseTimes measure_phases_of(const Case& benchmark, int scene_count) {
  const Model model(benchmark.scene);
  const ModelView view = model.view();
  const Capacity capacity = first_capacity(model, benchmark.options);
  SceneView scene{};
  std::vector<Chunk> arena(kernels::bind_scene(scene, view, capacity, nullptr) / sizeof(Chunk) + 1);
  kernels::bind_scene(scene, view, capacity, reinterpret_cast<unsigned char*>(arena.data()));

  const std::size_t stride = static_cast<std::size_t>(model.layout().size());
  std::vector<double> pose(static_cast<std::size_t>(kernels::pose_size * model.layout().body_count));
  TimedTeam team;
  std::int64_t steps = 0;
  std::uint64_t total = 0;
  double wall = 0.0;
  const int count = std::min(scene_count, benchmark.scene_count);
  for (int i = -1; i < count; ++i) {
    if (i == 0) {  // scene -1 was the warm-up
      team = TimedTeam{};
      steps = 0;
      total = 0;
      wall = 0.0;
    }
    scene.parameters = benchmark.parameters.data() + static_cast<std::size_t>(std::max(0, i)) * stride;
    SceneOutcome outcome;
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t begin_ticks = ticks();
    kernels::run_scene(team, scene, benchmark.options, {&outcome, pose.data()});
    total += ticks() - begin_ticks;
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    steps += outcome.steps;
  }

  PhaseTimes times;
  if (steps == 0 || total == 0) return times;
  const double per_tick = 1e6 * wall / static_cast<double>(total) / static_cast<double>(steps);
  times.total = 1e6 * wall / static_cast<double>(steps);
  double known = 0.0;
  for (int phase = 0; phase < phase_count; ++phase) {
    const double spent = static_cast<double>(team.spent[static_cast<std::size_t>(phase)]) * per_tick;
    times.microseconds.emplace_back(phase_names[static_cast<std::size_t>(phase)], spent);
    known += spent;
  }
  times.microseconds.emplace_back("other", times.total - known);
  return times;
}

}  // namespace
}  // namespace pegrasp::bench
