// SPDX-License-Identifier: Apache-2.0
#include "bench/phases.hpp"

namespace pegrasp::bench {

PhaseTimes measure_phases(const Case& benchmark, Arithmetic arithmetic, int scene_count) {
  const bool spatial = benchmark.scene.spatial;
  const bool strict = arithmetic == Arithmetic::strict;
  if (benchmark.options.strategy == Strategy::batched) {
    if (!strict) return {};
    return spatial ? measure_batched_spatial_phases(benchmark, scene_count)
                   : measure_batched_planar_phases(benchmark, scene_count);
  }
  if (spatial) {
    return strict ? measure_spatial_phases(benchmark, scene_count)
                  : measure_spatial_fast_phases(benchmark, scene_count);
  }
  return strict ? measure_planar_phases(benchmark, scene_count) : measure_planar_fast_phases(benchmark, scene_count);
}

PhaseTimes measure_cuda_phases([[maybe_unused]] const Case& benchmark, [[maybe_unused]] Arithmetic arithmetic) {
#if defined(PEGRASP_HAVE_CUDA)
  if (arithmetic == Arithmetic::strict && benchmark.options.strategy == Strategy::per_scene) {
    return benchmark.scene.spatial ? measure_spatial_cuda_phases(benchmark) : measure_planar_cuda_phases(benchmark);
  }
#endif
  return {};
}

}  // namespace pegrasp::bench
