// SPDX-License-Identifier: Apache-2.0
// Included by phases_cuda_planar.cu and phases_cuda_spatial.cu: the clock around the phases of the per-scene strategy
// on a CUDA device. Every team counts the cycles of its first lane, including those in which other teams of its warp
// delay it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/phase_clock.hpp"
#include "kernels/launch/cuda/cuda_scenes_impl.hpp"
#include "kernels/launch/cuda/device_buffer.hpp"
#include "kernels/launch/cuda/device_model.hpp"
#include "src/model/model.hpp"

namespace pegrasp::bench {
namespace {

namespace kernels = PEGRASP_ARITHMETIC;
using kernels::SceneView;

constexpr int lanes = 8;
constexpr std::size_t teams_a_block = cuda_block_size / lanes;
constexpr std::size_t counters = phase_count + 1;  // of a team: its phases and all of its time

using BareTeam = kernels::TileTeam<lanes>;
struct TimedTeam : BareTeam {
  unsigned long long* spent = nullptr;  // one a phase
};

// A clock that runs from start() to stop(). Its start value lies in memory, because a register for it would make the
// scene spill one.
struct Clock {
  __device__ void start() const {
    if (team.rank() == 0) team.spent[at] -= static_cast<unsigned long long>(clock64());
  }
  __device__ void stop() const {
    if (team.rank() == 0) team.spent[at] += static_cast<unsigned long long>(clock64());
  }
  TimedTeam& team;
  int at;
};

template <Phase phase, class F>
__device__ auto timed(TimedTeam& team, const F& f) {
  struct Booked : Clock {
    __device__ explicit Booked(TimedTeam& of) : Clock{of, phase} { start(); }
    __device__ ~Booked() { stop(); }
  } booked(team);
  return f(static_cast<BareTeam&>(team));
}

#define PEGRASP_TIMED __device__ inline
#include "bench/phases_of_step.hpp"

// Scenes are dealt out to teams by their numbers. spent: (teams, counters), added to.
__global__ void __launch_bounds__(cuda_block_size, 1)
    timed_scenes_kernel(SceneQueue batch, StepOptions options, unsigned long long* spent) {
  TimedTeam team;
  const std::size_t index = blockIdx.x * teams_a_block + threadIdx.x / lanes;
  team.spent = spent + counters * index;
  SceneView scene;
  kernels::bind_scene(scene, *batch.model, batch.capacity, batch.arenas + index * batch.arena_bytes);
  const Clock whole{team, phase_count};
  whole.start();
  for (std::size_t i = index; i < static_cast<std::size_t>(batch.scene_count); i += gridDim.x * teams_a_block) {
    scene.parameters = batch.parameters + i * static_cast<std::size_t>(batch.parameter_count);
    const kernels::SceneResult to{
        batch.outcomes + i, batch.final_poses + i * static_cast<std::size_t>(kernels::pose_size * batch.body_count)};
    kernels::run_scene(team, scene, options, to);
  }
  whole.stop();
}

struct Event {
  Event() { cuda_check(cudaEventCreate(&handle), "make an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(handle); }
  cudaEvent_t handle = nullptr;
};

// As many teams as the device holds at once, within half of its free memory.
std::size_t blocks_for(std::size_t scenes, std::size_t arena_bytes) {
  int device = 0, processors = 0, resident = 0;
  cuda_check(cudaGetDevice(&device), "ask for the device");
  cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "count the multiprocessors");
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, timed_scenes_kernel, cuda_block_size, 0),
             "occupancy");
  std::size_t free_bytes = 0, total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free memory");
  const std::size_t at_once = static_cast<std::size_t>(processors) * static_cast<std::size_t>(resident);
  const std::size_t wanted = std::min(at_once, (scenes + teams_a_block - 1) / teams_a_block);
  return std::max<std::size_t>(1, std::min(wanted, free_bytes / 2 / (arena_bytes * teams_a_block)));
}

PhaseTimes measure_cuda_phases_of(const Case& benchmark) {
  const Model model(benchmark.scene);
  const ModelView view = model.view();
  const DeviceModel on_device(view);
  const auto scenes = static_cast<std::size_t>(benchmark.scene_count);

  SceneQueue batch{};
  batch.model = on_device.view();
  batch.capacity = first_capacity(model, benchmark.options);
  batch.arena_bytes = kernels::arena_bytes(view, batch.capacity);
  batch.scene_count = benchmark.scene_count;
  batch.parameter_count = view.parameter_count;
  batch.body_count = view.body_count;
  const DeviceBuffer parameters =
      upload(benchmark.parameters.data(), scenes * static_cast<std::size_t>(view.parameter_count));
  const DeviceBuffer outcomes(scenes * sizeof(SceneOutcome));
  const DeviceBuffer poses(scenes * static_cast<std::size_t>(kernels::pose_size * view.body_count) * sizeof(double));
  const std::size_t blocks = blocks_for(scenes, batch.arena_bytes);
  const std::size_t teams = blocks * teams_a_block;
  const DeviceBuffer arenas(teams * batch.arena_bytes);
  const DeviceBuffer spent(teams * counters * sizeof(unsigned long long));
  batch.parameters = parameters.as<double>();
  batch.outcomes = outcomes.as<SceneOutcome>();
  batch.final_poses = poses.as<double>();
  batch.arenas = arenas.as<unsigned char>();

  const Event begin, end;
  for (int run = 0; run < 2; ++run) {  // the first is the warm-up
    cuda_check(cudaMemset(spent.as<void>(), 0, teams * counters * sizeof(unsigned long long)), "clear the clocks");
    cuda_check(cudaEventRecord(begin.handle), "look at the clock");
    timed_scenes_kernel<<<static_cast<unsigned>(blocks), cuda_block_size>>>(batch, benchmark.options,
                                                                            spent.as<unsigned long long>());
    cuda_check(cudaGetLastError(), "launch");
    cuda_check(cudaEventRecord(end.handle), "look at the clock");
    cuda_check(cudaDeviceSynchronize(), "scene kernel");
  }
  float milliseconds = 0.0F;
  cuda_check(cudaEventElapsedTime(&milliseconds, begin.handle, end.handle), "look at the clock");
  std::vector<unsigned long long> cycles(teams * counters);
  std::vector<SceneOutcome> ended(scenes);
  cuda_check(cudaMemcpy(cycles.data(), spent.as<void>(), cycles.size() * sizeof(cycles[0]), cudaMemcpyDeviceToHost),
             "copy from the device");
  cuda_check(cudaMemcpy(ended.data(), outcomes.as<void>(), scenes * sizeof(SceneOutcome), cudaMemcpyDeviceToHost),
             "copy from the device");

  PhaseCount counted;
  counted.wall = 1e-3 * static_cast<double>(milliseconds);
  for (const SceneOutcome& outcome : ended) counted.steps += outcome.steps;
  for (std::size_t team = 0; team < teams; ++team) {
    for (std::size_t phase = 0; phase < phase_count; ++phase) counted.spent[phase] += cycles[counters * team + phase];
    counted.total += cycles[counters * team + phase_count];
  }
  return phase_times(counted);
}

}  // namespace
}  // namespace pegrasp::bench
