// SPDX-License-Identifier: Apache-2.0
// Running scenes on a CUDA device, seen from the runner: one set of entries for every arithmetic and team size, each
// built in a file of its own, which CMake writes from cuda_scenes.cu.in.
#pragma once

#include <cuda_runtime.h>

#include "kernels/model/model.hpp"
#include "kernels/scene/scene.hpp"
#include "pegrasp/options.hpp"

namespace pegrasp {

// Device pointers throughout; plain data, passed to the kernel by value.
struct SceneQueue {
  const ModelView* model;             // in     one, in device memory
  const unsigned char* model_arrays;  // in     what its pointers lead into
  std::size_t model_bytes;            // of a copy in every block's shared memory, a view and the arrays; 0: none
  const double* parameters;           // in     (scene_count, parameter_count)
  const int* order;                   // in     (scene_count) which scenes to run; null: 0 .. scene_count - 1
  SceneOutcome* outcomes;             // out    (all scenes)
  double* final_poses;                // out    (all scenes, bodies, 3; in 3D 7)
  unsigned char* arenas;              // scratch, arena_bytes a team; null: in the block's or the lanes' own memory
  int* queue;                         // inout  next scene; starts at 0
  const int* stop;                    // in     not 0: teams take no more scenes and no more steps
  std::size_t arena_bytes;
  int scene_count;
  int parameter_count;
  int body_count;
  Capacity capacity;
};

// Blocks of some teams each, with so much shared memory; none with arenas in global memory.
struct LaunchGrid {
  int blocks = 0;
  int threads = 0;  // a block; a multiple of the team size, cuda_block_size at most
  std::size_t shared_bytes = 0;
  bool interleaved = false;  // arenas lie in the lanes' local memory
};
// A workspace in local memory has at most so many bytes: in 2D, in teams of one lane. A device sets them aside for each
// lane that it could hold, 2048 a multiprocessor: 11 GB on 132 of them.
constexpr std::size_t lane_workspace_bytes = 40 << 10;
constexpr int cuda_block_size = 128;
// Blocks of that size whose registers fit on one multiprocessor at once: 128 registers a thread. Scenes wait for memory
// most of their time, so that more warps are worth the few spills.
constexpr int cuda_blocks_resident = 4;

struct SceneKernels {
  int team_size;  // lanes that share a scene; divides 32, or is that of a block. Results do not depend on it
  // Bytes of one team's workspace.
  std::size_t (*arena_bytes)(const ModelView& model, Capacity capacity);
  // Blocks of a grid's shape that fit on one multiprocessor at once.
  cudaError_t (*resident_blocks)(const LaunchGrid& grid, int* blocks);
  cudaError_t (*launch)(const SceneQueue& batch, const StepOptions& options, const LaunchGrid& grid,
                        cudaStream_t stream);
};

extern const SceneKernels scenes_1_strict, scenes_2_strict, scenes_8_strict, scenes_32_strict, scenes_128_strict;
extern const SceneKernels scenes_1_fast, scenes_2_fast, scenes_8_fast, scenes_32_fast, scenes_128_fast;
extern const SceneKernels scenes_1_spatial, scenes_2_spatial, scenes_8_spatial, scenes_32_spatial, scenes_128_spatial;
extern const SceneKernels scenes_8_spatial_fast, scenes_8_smooth, scenes_8_spatial_smooth;

}  // namespace pegrasp
