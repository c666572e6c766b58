// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<SparseScenes> make_cuda_strict_sparse(const ModelView& model, const StepOptions& options, int device) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<strict::CudaSparseScenes>(model, options);
}

}  // namespace pegrasp
