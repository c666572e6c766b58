// SPDX-License-Identifier: Apache-2.0
#include "launch/cuda_scenes_impl.hpp"

namespace pegrasp {

cudaError_t resident_blocks_fast(int* blocks) { return fast::resident_blocks(blocks); }

std::size_t arena_bytes_fast(const ModelView& model, Capacity capacity) {
  fast::SceneView scene{};
  return fast::bind_scene(scene, model, capacity, nullptr);
}

cudaError_t launch_scenes_fast(const SceneBatch& batch, const StepOptions& options, int blocks, cudaStream_t stream) {
  return fast::launch_scenes(batch, options, blocks, stream);
}

}  // namespace pegrasp
