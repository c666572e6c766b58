// SPDX-License-Identifier: Apache-2.0
// Included by what CMake writes from cuda_scenes.cu.in only: the same code under two sets of compiler flags, for bodies
// in 2D and in 3D and for teams of several sizes.
//
// A persistent kernel: every team takes the next scene from a queue (by one integer atomic; results do not depend on
// which team runs a scene), runs its whole trajectory, writes its outcome, and comes back for more.
#pragma once

#include <type_traits>

#include "kernels/launch/cuda/cuda_scenes.hpp"
#include "kernels/launch/cuda/device_model.hpp"
#include "kernels/step/run_scene.hpp"

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
  __device__ void sync() const {
    if constexpr (Size > 1) __syncwarp(mask_);
  }
  // NaN wins, as in max_or_nan().
  __device__ double max(double x) const {
    for (int step = Size / 2; step > 0; step /= 2) {
      const double other = __shfl_xor_sync(mask_, x, step, Size);
      x = max_or_nan(x, other);
    }
    return x;
  }
  __device__ int broadcast(int x) const {
    if constexpr (Size > 1) x = __shfl_sync(mask_, x, 0, Size);
    return x;
  }

 private:
  unsigned mask_;
};

// All of a block, of several warps.
template <int Size>
class BlockTeam {
 public:
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int size() { return Size; }
  __device__ void sync() const { __syncthreads(); }
  // NaN wins, as in max_or_nan().
  __device__ double max(double x) const {
    __shared__ double of_warp[Size / 32];
    for (int step = 16; step > 0; step /= 2) x = max_or_nan(x, __shfl_xor_sync(0xffffffffu, x, step));
    if (threadIdx.x % 32u == 0) of_warp[threadIdx.x / 32u] = x;
    __syncthreads();
    x = of_warp[0];
    for (int warp = 1; warp < Size / 32; ++warp) x = max_or_nan(x, of_warp[warp]);
    __syncthreads();  // before the next maximum is written
    return x;
  }
  __device__ int broadcast(int x) const {
    __shared__ int of_first;
    if (threadIdx.x == 0) of_first = x;
    __syncthreads();
    x = of_first;
    __syncthreads();
    return x;
  }
};

template <int Size>
using TeamOf = std::conditional_t<(Size > 32), BlockTeam<Size>, TileTeam<Size>>;

// The batch's model where it is, or a copy in the block's shared memory. All threads of the block must come here. Not
// inline: its registers would be taken from the scenes.
static __device__ __noinline__ const ModelView* model_of_block(const ModelView* model,
                                                               const unsigned char* model_arrays,
                                                               std::size_t model_bytes, unsigned char* block_memory) {
  if (model_bytes == 0) return model;
  ModelView* const view = reinterpret_cast<ModelView*>(block_memory);
  unsigned char* const arrays = block_memory + model_view_bytes;
  const uint4* const from = reinterpret_cast<const uint4*>(model_arrays);
  uint4* const to = reinterpret_cast<uint4*>(arrays);
  const std::size_t pieces = (model_bytes - model_view_bytes) / sizeof(uint4);
  for (std::size_t i = threadIdx.x; i < pieces; i += blockDim.x) to[i] = from[i];
  if (threadIdx.x == 0) {
    *view = *model;
    move_model(*view, model_arrays, arrays);
  }
  __syncthreads();
  return view;
}

// A lane's workspace in its own local memory. A device lays the same word of all lanes of a warp side by side there, so
// that lanes at the same place of their scenes read one line together, where they would read one each.
template <bool Interleaved>
struct LaneWorkspace {
  alignas(16) unsigned char bytes[lane_workspace_bytes];
  __device__ unsigned char* start() { return bytes; }
};
template <>
struct LaneWorkspace<false> {
  __device__ unsigned char* start() { return nullptr; }
};

// Whether nobody has asked to stop. Asked by one lane: the answer may change between two looks. A type of its own, so
// that kernels of one team size share the functions that they give it to.
template <class Team>
struct MayGoOn {
  const Team& team;
  const int* stop;
  __device__ bool operator()() const {
    return team.broadcast(team.rank() == 0 ? *static_cast<const volatile int*>(stop) : 0) == 0;
  }
};

template <int Size, bool Interleaved>
__global__ void __launch_bounds__(cuda_block_size, cuda_blocks_resident)
    scenes_kernel(SceneQueue batch, StepOptions options) {
  extern __shared__ __align__(16) unsigned char block_memory[];
  TeamOf<Size> team;
  const std::size_t in_block = threadIdx.x / Size, teams = blockDim.x / Size;
  LaneWorkspace<Interleaved> own;
  unsigned char* const arena = Interleaved    ? own.start()
                               : batch.arenas ? batch.arenas + (blockIdx.x * teams + in_block) * batch.arena_bytes
                                              : block_memory + batch.model_bytes + in_block * batch.arena_bytes;
  SceneView scene;
  bind_scene(scene, *model_of_block(batch.model, batch.model_arrays, batch.model_bytes, block_memory), batch.capacity,
             arena);
  const MayGoOn<TeamOf<Size>> may_go_on{team, batch.stop};
  while (may_go_on()) {
    const int next = team.broadcast(team.rank() == 0 ? atomicAdd(batch.queue, 1) : 0);
    if (next >= batch.scene_count) return;
    const auto index = static_cast<std::size_t>(batch.order ? batch.order[next] : next);
    scene.parameters = batch.parameters + index * static_cast<std::size_t>(batch.parameter_count);
    const SceneResult to{batch.outcomes + index,
                         batch.final_poses + index * static_cast<std::size_t>(pose_size * batch.body_count)};
    run_scene(team, scene, options, to, may_go_on);
  }
}

inline std::size_t arena_bytes(const ModelView& model, Capacity capacity) {
  SceneView scene{};
  return bind_scene(scene, model, capacity, nullptr);
}

using ScenesKernel = void (*)(SceneQueue, StepOptions);

template <int Size>
ScenesKernel kernel_of(const LaunchGrid& grid) {
  if constexpr (Size == 1 && !is_spatial) {
    if (grid.interleaved) return scenes_kernel<Size, true>;
  }
  return scenes_kernel<Size, false>;
}

template <int Size>
cudaError_t resident_blocks(const LaunchGrid& grid, int* blocks) {
  const ScenesKernel kernel = kernel_of<Size>(grid);
  if (grid.shared_bytes > 0) {
    // The limit, whatever is asked for now: it is the kernel's, which others may be about to launch.
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;
    cudaFuncAttributes attributes{};
    error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess) return error;
    // What a team of several warps keeps there by itself counts, too.
    most -= static_cast<int>(attributes.sharedSizeBytes);
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error != cudaSuccess) return error;
  }
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, grid.threads, grid.shared_bytes);
}

// resident_blocks() was asked for this grid before.
template <int Size>
cudaError_t launch_scenes(const SceneQueue& batch, const StepOptions& options, const LaunchGrid& grid,
                          cudaStream_t stream) {
  kernel_of<Size>(grid)<<<grid.blocks, grid.threads, grid.shared_bytes, stream>>>(batch, options);
  return cudaGetLastError();
}

template <int Size>
constexpr SceneKernels scene_kernels() {
  return {Size, arena_bytes, resident_blocks<Size>, launch_scenes<Size>};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
