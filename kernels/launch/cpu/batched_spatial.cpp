// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cpu/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<BatchedScenes> make_spatial_batched(const ModelView& model, const StepOptions& options, int threads) {
  return std::make_unique<spatial::CpuBatchedScenes>(model, options, threads);
}

std::unique_ptr<SceneWorker> make_spatial_batched_worker(const ModelView& model, const StepOptions& options,
                                                         int threads) {
  return std::make_unique<spatial::CpuBatchedWorker>(model, options, threads);
}

}  // namespace pegrasp
