// SPDX-License-Identifier: Apache-2.0
// Compiled with PEGRASP_FAST_ARITHMETIC: contraction allowed, solver in float.
#include "kernels/launch/cpu/scene_worker_impl.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_fast_worker(const ModelView& model, const StepOptions& options, Capacity capacity) {
  return std::make_unique<fast::CpuWorker>(model, options, capacity);
}

}  // namespace pegrasp
