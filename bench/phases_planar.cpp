// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_OWN_NAMESPACE timed_planar
#include "phases_impl.hpp"

namespace pegrasp::bench {

PhaseTimes measure_phases(const Case& benchmark, int scene_count) {
  return benchmark.scene.spatial ? measure_spatial_phases(benchmark, scene_count)
                                 : measure_phases_of(benchmark, scene_count);
}

}  // namespace pegrasp::bench
