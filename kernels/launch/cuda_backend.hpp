// SPDX-License-Identifier: Apache-2.0
// The CUDA backend as the host sees it. Without nvcc at build time the same functions say so (cuda_backend_absent.cpp).
#pragma once

#include <memory>

#include "pegrasp/simulation.hpp"

namespace pegrasp {

BackendInfo cuda_backend_info();
std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic);

}  // namespace pegrasp
