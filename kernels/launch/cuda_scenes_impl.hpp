// SPDX-License-Identifier: Apache-2.0
// Included by cuda_scenes_strict.cu and cuda_scenes_fast.cu only: the same code under two sets of compiler flags.
//
// A persistent kernel: every team takes the next scene from a queue (one integer atomic; which team runs a scene does not
// show in its result), runs its whole trajectory, writes its outcome, and comes back for more.
#pragma once

#include "launch/cuda_scenes.hpp"
#include "run_scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Part of a warp. size() divides 32; the lanes of a tile converge at every sync.
template <int Size>
class TileTeam {
 public:
  __device__ TileTeam() {
    const unsigned lane = threadIdx.x % 32u;
    mask_ = Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1u) << (lane / Size * Size);
  }
  __device__ int rank() const { return static_cast<int>(threadIdx.x % Size); }
  __device__ static constexpr int size() { return Size; }
  __device__ void sync() const { __syncwarp(mask_); }
  // NaN wins, as in max_or_nan().
  __device__ double max(double x) const {
    for (int step = Size / 2; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(mask_, x, step, Size);
      x = max_or_nan(x, other);
    }
    return x;
  }
  __device__ int broadcast(int x) const { return __shfl_sync(mask_, x, 0, Size); }

 private:
  unsigned mask_;
};

__global__ void __launch_bounds__(cuda_block_size, 1) scenes_kernel(SceneBatch batch, StepOptions options) {
  TileTeam<cuda_team_size> team;
  const std::size_t team_index =
      static_cast<std::size_t>(blockIdx.x) * cuda_teams_per_block + threadIdx.x / cuda_team_size;
  SceneView scene;
  bind_scene(scene, *batch.model, batch.capacity, batch.arenas + team_index * batch.arena_bytes);
  while (true) {
    int next = 0;
    if (team.rank() == 0) next = atomicAdd(batch.queue, 1);
    next = team.broadcast(next);
    if (next >= batch.scene_count) return;
    const int index = batch.order ? batch.order[next] : next;
    scene.parameters =
        batch.parameters + static_cast<std::size_t>(index) * static_cast<std::size_t>(batch.parameter_count);
    run_scene(team, scene, options, batch.outcomes + index,
              batch.final_poses + static_cast<std::size_t>(index) * 3u * static_cast<std::size_t>(batch.body_count));
  }
}

inline cudaError_t resident_blocks(int* blocks) {
  int device = 0;
  int processors = 0;
  int per_processor = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, scenes_kernel, cuda_block_size, 0);
  *blocks = processors * per_processor;
  return error;
}

inline cudaError_t launch_scenes(const SceneBatch& batch, const StepOptions& options, int blocks, cudaStream_t stream) {
  scenes_kernel<<<blocks, cuda_block_size, 0, stream>>>(batch, options);
  return cudaGetLastError();
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
