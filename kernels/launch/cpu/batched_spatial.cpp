// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cpu/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<SparseScenes> make_spatial_sparse(const ModelView& model, const StepOptions& options, int threads) {
  return std::make_unique<spatial::CpuSparseScenes>(model, options, threads);
}

std::unique_ptr<SceneWorker> make_spatial_sparse_worker(const ModelView& model, const StepOptions& options,
                                                        int threads) {
  return std::make_unique<spatial::CpuSparseWorker>(model, options, threads);
}

}  // namespace pegrasp
