// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cpu/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<BatchedScenes> make_strict_batched(const ModelView& model, const StepOptions& options, int threads) {
  return std::make_unique<strict::CpuBatchedScenes>(model, options, threads);
}

std::unique_ptr<SceneWorker> make_strict_batched_worker(const ModelView& model, const StepOptions& options,
                                                        int threads) {
  return std::make_unique<strict::CpuBatchedWorker>(model, options, threads);
}

}  // namespace pegrasp
