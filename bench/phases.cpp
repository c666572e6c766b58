// SPDX-License-Identifier: Apache-2.0
// step_scene() calls its phases by their plain names on whatever team it is given. For TimedTeam the overloads below are
// found beside the team and preferred; they read the clock around the very function that a SerialTeam would have called.
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

using strict::SceneView;

// The processor's own counter where there is one: a system clock takes as long as the shorter phases.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

enum Phase {
  phase_find_pairs,
  phase_predict,
  phase_choose_modes,
  phase_make_rows,
  phase_solve,
  phase_accepted,
  phase_integrate,
  phase_count
};
constexpr std::array<const char*, phase_count> phase_names{"find_pairs", "predict",  "choose_modes", "make_rows",
                                                           "solve",      "accepted", "integrate"};

struct TimedTeam : SerialTeam {
  std::array<std::uint64_t, phase_count> spent{};
};

// Calls f on a serial team and books the time on a phase.
template <class F>
inline auto timed(TimedTeam& team, Phase phase, const F& f) {
  struct Booking {
    std::uint64_t& spent;
    std::uint64_t begin = ticks();
    ~Booking() { spent += ticks() - begin; }
  } booking{team.spent[phase]};
  SerialTeam serial;
  return f(serial);
}

inline void find_pairs(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed(team, phase_find_pairs, [&](SerialTeam& serial) { strict::find_pairs(serial, s, o); });
}
inline void predict(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed(team, phase_predict, [&](SerialTeam& serial) { strict::predict(serial, s, o); });
}
inline void choose_modes(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed(team, phase_choose_modes, [&](SerialTeam& serial) { strict::choose_modes(serial, s, o); });
}
inline void make_rows(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed(team, phase_make_rows, [&](SerialTeam& serial) { strict::make_rows(serial, s, o); });
}
inline void solve(TimedTeam& team, SceneView& s, const StepOptions& o) {
  timed(team, phase_solve, [&](SerialTeam& serial) { strict::solve(serial, s, o); });
}
inline bool accepted(TimedTeam& team, SceneView& s, const StepOptions& o) {
  return timed(team, phase_accepted, [&](SerialTeam& serial) { return strict::accepted(serial, s, o); });
}
inline strict::StepResult integrate_or_reject(TimedTeam& team, SceneView& s, const StepOptions& o, bool agreed,
                                              bool can_halve) {
  return timed(team, phase_integrate,
               [&](SerialTeam& serial) { return strict::integrate_or_reject(serial, s, o, agreed, can_halve); });
}

struct alignas(16) Chunk {
  unsigned char bytes[16];
};

}  // namespace

PhaseTimes measure_phases(const Case& benchmark, int scene_count) {
  const Model model(benchmark.scene);
  const ModelView view = model.view();
  const Capacity capacity = first_capacity(model, benchmark.options);
  SceneView scene{};
  std::vector<Chunk> arena(strict::bind_scene(scene, view, capacity, nullptr) / sizeof(Chunk) + 1);
  strict::bind_scene(scene, view, capacity, reinterpret_cast<unsigned char*>(arena.data()));

  const std::size_t stride = static_cast<std::size_t>(model.layout().size());
  std::vector<double> pose(static_cast<std::size_t>(3 * model.layout().body_count));
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
    strict::run_scene(team, scene, benchmark.options, &outcome, pose.data());
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

}  // namespace pegrasp::bench
