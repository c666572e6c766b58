// SPDX-License-Identifier: Apache-2.0
// Running scenes on a CUDA device, seen from the backend: one entry per arithmetic (cuda_scenes_strict.cu, _fast.cu).
#pragma once

#include <cuda_runtime.h>

#include "pegrasp/options.hpp"
#include "scene/model.hpp"
#include "scene/scene.hpp"

namespace pegrasp {

// Device pointers throughout; plain data, passed to the kernel by value.
struct SceneBatch {
  const ModelView* model;    // in     one, in device memory
  const double* parameters;  // in     (scene_count, parameter_count)
  const int* order;          // in     (scene_count) which scenes to run; null: 0 .. scene_count - 1
  SceneOutcome* outcomes;    // out    (all scenes)
  double* final_poses;       // out    (all scenes, bodies, 3)
  unsigned char* arenas;     // scratch, arena_bytes a team
  int* queue;                // inout  next scene; starts at 0
  std::size_t arena_bytes;
  int scene_count;
  int parameter_count;
  int body_count;
  Capacity capacity;
};

// Lanes that share a scene. Results do not depend on it.
constexpr int cuda_team_size = 8;
constexpr int cuda_block_size = 128;
constexpr int cuda_teams_per_block = cuda_block_size / cuda_team_size;

// Blocks of the persistent kernel that fit on the device at once.
cudaError_t resident_blocks_strict(int* blocks);
cudaError_t resident_blocks_fast(int* blocks);
// Bytes of one team's workspace.
std::size_t arena_bytes_strict(const ModelView& model, Capacity capacity);
std::size_t arena_bytes_fast(const ModelView& model, Capacity capacity);
cudaError_t launch_scenes_strict(const SceneBatch& batch, const StepOptions& options, int blocks, cudaStream_t stream);
cudaError_t launch_scenes_fast(const SceneBatch& batch, const StepOptions& options, int blocks, cudaStream_t stream);

}  // namespace pegrasp
