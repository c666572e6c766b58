// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cpu/scene_worker_impl.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_strict_worker(const ModelView& model, const StepOptions& options, Capacity capacity) {
  return std::make_unique<strict::CpuWorker>(model, options, capacity);
}

std::size_t scene_bytes(const ModelView& model, Capacity capacity) {
  if (model.spatial != 0) return spatial_scene_bytes(model, capacity);
  strict::SceneView scene{};
  return strict::bind_scene(scene, model, capacity, nullptr);
}

}  // namespace pegrasp
