// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "launch/cuda_backend.hpp"

#if !defined(PEGRASP_HAVE_CUDA)

namespace pegrasp {

BackendInfo cuda_backend_info() { return {false, false, "this build has no CUDA backend (nvcc was not found)"}; }

std::unique_ptr<Backend> make_cuda_backend(Arithmetic) { throw std::runtime_error(cuda_backend_info().detail); }

}  // namespace pegrasp

#endif
