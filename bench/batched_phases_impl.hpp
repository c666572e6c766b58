// SPDX-License-Identifier: Apache-2.0
// Included by batched_phases_planar.cpp and batched_phases_spatial.cpp: the clock around the phases of a round of the
// batched strategy on one core. A round calls its phases by their plain names on the device that it is given. For a
// TimedDevice the overloads below are preferred. Storing the last impulses counts with the solve that starts from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bench/phase_clock.hpp"
#include "kernels/batch/batch.hpp"
#include "kernels/launch/cpu/host_device.hpp"
#include "src/model/model.hpp"

namespace pegrasp::bench {
namespace {

namespace kernels = PEGRASP_ARITHMETIC;
using kernels::BatchView;

struct TimedDevice : kernels::HostDevice {
  TimedDevice() : HostDevice(1) {}
  HostDevice& bare() { return *this; }
  PhaseTicks spent{};
};

inline void begin_round(TimedDevice& device, const BatchView& b) {
  const Booking booking(device.spent[phase_islands]);
  kernels::begin_round(device.bare(), b);
}
template <class Buffers>
void find_step_islands(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_islands]);
  kernels::find_step_islands(device.bare(), b, buffers);
}
inline void schedule(TimedDevice& device, const BatchView& b) {
  const Booking booking(device.spent[phase_islands]);
  kernels::schedule(device.bare(), b);
}
template <class Buffers>
void keep_to_claims(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_islands]);
  kernels::keep_to_claims(device.bare(), b, buffers);
}
template <class Buffers>
void find_islands(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_islands]);
  kernels::find_islands(device.bare(), b, buffers);
}
inline void find_margins(TimedDevice& device, const BatchView& b) {
  const Booking booking(device.spent[phase_find_pairs]);
  kernels::find_margins(device.bare(), b);
}
template <class Buffers>
void list_near_pairs(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_find_pairs]);
  kernels::list_near_pairs(device.bare(), b, buffers);
}
inline void predict(TimedDevice& device, const BatchView& b) {
  const Booking booking(device.spent[phase_predict]);
  kernels::predict(device.bare(), b);
}
template <class Buffers>
void make_contacts(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_choose_modes]);
  kernels::make_contacts(device.bare(), b, buffers);
}
template <class Buffers>
void make_blocks(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_make_rows]);
  kernels::make_blocks(device.bare(), b, buffers);
}
template <class Buffers>
void assemble(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_make_rows]);
  kernels::assemble(device.bare(), b, buffers);
}
template <class Buffers>
void merge_warm(TimedDevice& device, BatchView& b, Buffers& buffers) {
  const Booking booking(device.spent[phase_solve]);
  kernels::merge_warm(device.bare(), b, buffers);
}
inline void solve(TimedDevice& device, const BatchView& b, int blocks) {
  const Booking booking(device.spent[phase_solve]);
  kernels::solve(device.bare(), b, blocks);
}
inline void keep_warm(TimedDevice& device, const BatchView& b, int blocks, kernels::WarmContact* fresh) {
  const Booking booking(device.spent[phase_solve]);
  kernels::keep_warm(device.bare(), b, blocks, fresh);
}
inline void accepted(TimedDevice& device, const BatchView& b, int pairs) {
  const Booking booking(device.spent[phase_accepted]);
  kernels::accepted(device.bare(), b, pairs);
}
inline void integrate_or_reject(TimedDevice& device, const BatchView& b) {
  const Booking booking(device.spent[phase_integrate]);
  kernels::integrate_or_reject(device.bare(), b);
}

PhaseTimes measure_batched_phases_of(const Case& benchmark, int scene_count) {
  const Model model(benchmark.scene);
  const ModelView view = model.view();
  TimedDevice device;
  kernels::Batch<TimedDevice> batch(device, view, &view, benchmark.options);
  const int count = std::min({scene_count, benchmark.scene_count, batch.most_scenes()});
  std::vector<SceneOutcome> outcomes(static_cast<std::size_t>(count));
  std::vector<double> poses(outcomes.size() * static_cast<std::size_t>(kernels::pose_size * model.layout().body_count));

  PhaseCount counted;
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t begin_ticks = ticks();
  batch.begin(benchmark.parameters.data(), count);
  while (batch.round()) {
  }
  batch.results(outcomes.data(), poses.data());
  counted.total = ticks() - begin_ticks;
  counted.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  counted.spent = device.spent;
  for (const SceneOutcome& outcome : outcomes) counted.steps += outcome.steps;
  return phase_times(counted);
}

}  // namespace
}  // namespace pegrasp::bench
