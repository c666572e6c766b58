// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "backend/cpu_backend.hpp"
#include "backend/cuda_backend.hpp"
#include "launch/cuda_runner.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

BackendInfo backend_info(BackendKind kind) {
  if (kind == BackendKind::cuda) {
    const CudaDevice device = cuda_device();
    return {device.built, device.available, device.detail};
  }
  return {true, true, make_cpu_backend(Arithmetic::strict, 0)->device()};
}

std::unique_ptr<Backend> make_backend(BackendKind kind, Arithmetic arithmetic, int threads) {
  const CudaDevice cuda = cuda_device();
  if (kind == BackendKind::cuda && !cuda.available) {
    throw std::runtime_error("--backend cuda: " + cuda.detail + "; use --backend cpu");
  }
  if (kind == BackendKind::cuda || (kind == BackendKind::automatic && cuda.available)) {
    return make_cuda_backend(arithmetic);
  }
  return make_cpu_backend(arithmetic, threads);
}

}  // namespace pegrasp
