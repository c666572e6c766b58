// SPDX-License-Identifier: Apache-2.0
#include "launch/scene_worker_impl.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_strict_worker(const ModelView& model, const StepOptions& options, Capacity capacity) {
  return std::make_unique<strict::CpuWorker>(model, options, capacity);
}

}  // namespace pegrasp
