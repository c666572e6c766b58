// SPDX-License-Identifier: Apache-2.0
#if !defined(PEGRASP_HAVE_CUDA)

#include <stdexcept>

#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cuda/cuda_runner.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

CudaDevice cuda_device(int) { return {false, false, "this build has no CUDA backend (nvcc was not found)"}; }

std::vector<int> cuda_team_sizes() { return {}; }

std::unique_ptr<CudaRunner> make_cuda_runner(const ModelView&, Arithmetic, int, CudaShape) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_strict_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_smooth_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_spatial_smooth_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_fast_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_spatial_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

std::unique_ptr<BatchedScenes> make_cuda_spatial_fast_batched(const ModelView&, const StepOptions&, int) {
  throw std::runtime_error(cuda_device().detail);
}

}  // namespace pegrasp

#endif
