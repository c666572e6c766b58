// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/cuda/cuda_runner.hpp"
#include "pegrasp/simulation.hpp"
#include "src/backend/cpu_backend.hpp"
#include "src/backend/cuda_backend.hpp"
#include "src/backend/finish_in_double.hpp"

namespace pegrasp {

BackendInfo backend_info(BackendKind kind) {
  if (kind == BackendKind::cuda) {
    const CudaDevice device = cuda_device();
    return {device.built, device.available, device.detail, device.count};
  }
  return {true, true, make_cpu_backend(Arithmetic::strict, 0)->device()};
}

std::unique_ptr<Backend> make_backend(BackendKind kind, Arithmetic arithmetic, int threads, std::optional<int> device,
                                      CudaShape shape) {
  const CudaDevice cuda = cuda_device(device.value_or(0));
  if (device && kind == BackendKind::cpu) {
    throw std::runtime_error("--device " + std::to_string(*device) + ": the CPU has none; leave it out");
  }
  if (device && !cuda.available) {
    const std::string have = cuda.count > 0 ? " (" + std::to_string(cuda.count) + ", from 0)" : "";
    throw std::runtime_error("--device " + std::to_string(*device) + ": " + cuda.detail + have +
                             "; leave it out, or name one that is there");
  }
  if (kind == BackendKind::cuda && !cuda.available) {
    throw std::runtime_error("--backend cuda: " + cuda.detail + "; use --backend cpu");
  }
  const std::vector<int> sizes = cuda_team_sizes();
  if (shape.team_size != 0 && std::find(sizes.begin(), sizes.end(), shape.team_size) == sizes.end()) {
    throw std::runtime_error("--team-size " + std::to_string(shape.team_size) +
                             ": this build has no kernel for it; PEGRASP_CUDA_TEAMS, in CMake, adds sizes");
  }
  const bool on_cuda = kind == BackendKind::cuda || (kind == BackendKind::automatic && cuda.available);
  const auto make = [=, number = device.value_or(0)](Arithmetic its) {
    return on_cuda ? make_cuda_backend(its, number, shape) : make_cpu_backend(its, threads);
  };
  if (arithmetic == Arithmetic::strict) return make(arithmetic);
  return finishing_in_double(make(arithmetic), [make] { return make(Arithmetic::strict); });
}

}  // namespace pegrasp
