// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#define PEGRASP_OWN_NAMESPACE timed_spatial_cuda
#include "bench/phases_cuda_impl.hpp"

namespace pegrasp::bench {

PhaseTimes measure_spatial_cuda_phases(const Case& benchmark) { return measure_cuda_phases_of(benchmark); }

}  // namespace pegrasp::bench
