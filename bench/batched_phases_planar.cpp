// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_OWN_NAMESPACE timed_batched_planar
#include "bench/batched_phases_impl.hpp"

namespace pegrasp::bench {

PhaseTimes measure_batched_planar_phases(const Case& benchmark, int scene_count) {
  return measure_batched_phases_of(benchmark, scene_count);
}

}  // namespace pegrasp::bench
