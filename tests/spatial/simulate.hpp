// SPDX-License-Identifier: Apache-2.0
// A scene in 3D, ready to be stepped.
#pragma once

#include <vector>

#include "pegrasp/simulation.hpp"

namespace pegrasp::test {

inline Simulation simulate(const SceneSpec& scene, double h, double duration) {
  StepOptions options;
  options.h = h;
  options.duration = duration;
  const std::vector<double> parameters = scene_parameters(scene);
  return Simulation(compile_model(scene), derive_options(options, scene), parameters);
}

}  // namespace pegrasp::test
