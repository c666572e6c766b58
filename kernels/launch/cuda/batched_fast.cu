// SPDX-License-Identifier: Apache-2.0
// Fast arithmetic in 2D: products by cuSPARSE, where its library is found at run time (block_product.cuh).
#define PEGRASP_CUSPARSE
#include "kernels/launch/cuda/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<BatchedScenes> make_cuda_fast_batched(const ModelView& model, const StepOptions& options, int device) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<fast::CudaBatchedScenes>(model, options);
}

}  // namespace pegrasp
