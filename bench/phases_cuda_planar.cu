// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_OWN_NAMESPACE timed_planar_cuda
#include "bench/phases_cuda_impl.hpp"

namespace pegrasp::bench {

PhaseTimes measure_planar_cuda_phases(const Case& benchmark) { return measure_cuda_phases_of(benchmark); }

}  // namespace pegrasp::bench
