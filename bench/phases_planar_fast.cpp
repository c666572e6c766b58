// SPDX-License-Identifier: Apache-2.0
// Compiled with PEGRASP_FAST_ARITHMETIC, as the library's files of that name.
#define PEGRASP_OWN_NAMESPACE timed_planar_fast
#include "bench/phases_impl.hpp"

namespace pegrasp::bench {

PhaseTimes measure_planar_fast_phases(const Case& benchmark, int scene_count) {
  return measure_phases_of(benchmark, scene_count);
}

}  // namespace pegrasp::bench
