// SPDX-License-Identifier: Apache-2.0
// The time of each phase of a step: on one core of the CPU for both strategies, on a CUDA device for the per-scene one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/cases.hpp"

namespace pegrasp::bench {

struct PhaseTimes {
  // The time of each phase of a scene-step [us], in the order of step_scene(); `other` is the time between them. Empty:
  // not measured.
  std::vector<std::pair<std::string, double>> microseconds;
  double total = 0.0;  // [us]
};

// Runs at most `scene_count` scenes of the case on one core. Reading the clock adds some 2 %, which measure() does not
// have. For the batched strategy only in strict arithmetic.
PhaseTimes measure_phases(const Case& benchmark, Arithmetic arithmetic, int scene_count);

// Its parts, each built with kernels of its own.
PhaseTimes measure_planar_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_planar_fast_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_spatial_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_spatial_fast_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_batched_planar_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_batched_spatial_phases(const Case& benchmark, int scene_count);

// The same on the first CUDA device, with all scenes, teams of 8 and workspaces in global memory. The device's time for
// the scenes is shared out by the clocks of the teams. Only for the per-scene strategy in strict arithmetic.
PhaseTimes measure_cuda_phases(const Case& benchmark, Arithmetic arithmetic);
PhaseTimes measure_planar_cuda_phases(const Case& benchmark);
PhaseTimes measure_spatial_cuda_phases(const Case& benchmark);

}  // namespace pegrasp::bench
