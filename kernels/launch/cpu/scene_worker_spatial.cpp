// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cpu/scene_worker_impl.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_spatial_worker(const ModelView& model, const StepOptions& options,
                                                 Capacity capacity) {
  return std::make_unique<spatial::CpuWorker>(model, options, capacity);
}

std::size_t spatial_scene_bytes(const ModelView& model, Capacity capacity) {
  spatial::SceneView scene{};
  return spatial::bind_scene(scene, model, capacity, nullptr);
}

}  // namespace pegrasp
