// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pegrasp/simulation.hpp"

namespace pegrasp {

std::unique_ptr<Backend> make_cpu_backend(Arithmetic arithmetic, int threads);

}  // namespace pegrasp
