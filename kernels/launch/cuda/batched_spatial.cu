// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "kernels/launch/cuda/batched_impl.hpp"

namespace pegrasp {

std::unique_ptr<BatchedScenes> make_cuda_spatial_batched(const ModelView& model, const StepOptions& options,
                                                         int device) {
  cuda_check(cudaSetDevice(device), "choose the device");
  return std::make_unique<spatial::CudaBatchedScenes>(model, options);
}

}  // namespace pegrasp
