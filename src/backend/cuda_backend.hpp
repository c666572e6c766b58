// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pegrasp/simulation.hpp"

namespace pegrasp {

std::unique_ptr<Backend> make_cuda_backend(Arithmetic arithmetic, int device, CudaShape shape);

}  // namespace pegrasp
