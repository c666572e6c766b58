// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cpu/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<SparseScenes> make_strict_sparse(const ModelView& model, const StepOptions& options, int threads) {
  return std::make_unique<strict::CpuSparseScenes>(model, options, threads);
}

std::unique_ptr<SceneWorker> make_strict_sparse_worker(const ModelView& model, const StepOptions& options,
                                                       int threads) {
  return std::make_unique<strict::CpuSparseWorker>(model, options, threads);
}

}  // namespace pegrasp
