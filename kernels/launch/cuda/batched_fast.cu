// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch/cuda/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<BatchedScenes> make_cuda_fast_batched(const ModelView& model, const StepOptions& options, int device) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<fast::CudaBatchedScenes>(model, options);
}

}  // namespace pegrasp
