// SPDX-License-Identifier: Apache-2.0
#include "launch/cuda_scenes_impl.hpp"

namespace pegrasp {

cudaError_t resident_blocks_strict(int* blocks) { return strict::resident_blocks(blocks); }

std::size_t arena_bytes_strict(const ModelView& model, Capacity capacity) {
  strict::SceneView scene{};
  return strict::bind_scene(scene, model, capacity, nullptr);
}

cudaError_t launch_scenes_strict(const SceneBatch& batch, const StepOptions& options, int blocks, cudaStream_t stream) {
  return strict::launch_scenes(batch, options, blocks, stream);
}

}  // namespace pegrasp
