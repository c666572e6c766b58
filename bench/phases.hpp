// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes, phase by phase, on one core of the CPU in strict arithmetic.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"

namespace pegrasp::bench {

struct PhaseTimes {
  // Time of each phase of a scene-step [us], in the order of step_scene(); `other` is what lies between them.
  std::vector<std::pair<std::string, double>> microseconds;
  double total = 0.0;  // [us]
};

// Runs at most `scene_count` scenes of the case. Reading the clock adds some 2 % that measure() does not have.
PhaseTimes measure_phases(const Case& benchmark, int scene_count);
PhaseTimes measure_spatial_phases(const Case& benchmark,
                                  int scene_count);  // its half that is built with the kernels in space

}  // namespace pegrasp::bench
