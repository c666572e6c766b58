// SPDX-License-Identifier: Apache-2.0
// Included by phases_planar.cpp, phases_planar_fast.cpp and the same files in 3D: the clock around the phases of the
// per-scene strategy on one core, compiled with the kernels of either dimension and arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/phase_clock.hpp"
#include "kernels/base/team.hpp"
#include "kernels/scene/scene.hpp"
#include "kernels/step/run_scene.hpp"
#include "src/model/model.hpp"

namespace pegrasp::bench {
namespace {

namespace kernels = PEGRASP_ARITHMETIC;
using kernels::SceneView;

using BareTeam = SerialTeam;
struct TimedTeam : SerialTeam {
  PhaseTicks spent{};
};

// One function for each phase, so that bench/studies/gpu_static/count_operations.py can attribute instructions to
// phases.
template <Phase phase, class F>
[[gnu::noinline]] auto in_phase(const F& f) {
  SerialTeam serial;
  return f(serial);
}

// Calls f on a serial team and books the time on a phase.
template <Phase phase, class F>
inline auto timed(TimedTeam& team, const F& f) {
  const Booking booking(team.spent[phase]);
  return in_phase<phase>(f);
}

#define PEGRASP_TIMED inline
#include "bench/phases_of_step.hpp"

// What lies between the phases is measured in the same way.
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
  PhaseCount counted;
  const int count = std::min(scene_count, benchmark.scene_count);
  for (int i = -1; i < count; ++i) {
    if (i == 0) counted = {};  // scene -1 was the warm-up
    scene.parameters = benchmark.parameters.data() + static_cast<std::size_t>(std::max(0, i)) * stride;
    SceneOutcome outcome;
    TimedTeam team;
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t begin_ticks = ticks();
    kernels::run_scene(team, scene, benchmark.options, {&outcome, pose.data()});
    counted.total += ticks() - begin_ticks;
    counted.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    counted.steps += outcome.steps;
    for (std::size_t phase = 0; phase < team.spent.size(); ++phase) counted.spent[phase] += team.spent[phase];
  }
  return phase_times(counted);
}

}  // namespace
}  // namespace pegrasp::bench
