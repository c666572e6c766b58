// SPDX-License-Identifier: Apache-2.0
// Scenes in 3D set up for the reference simulator: alone, and beside the product.
#pragma once

#include "pegrasp/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "src/reference/validate/validate.hpp"
#include "tests/runs.hpp"

namespace pegrasp::reference::spatial {

inline SpatialSimulation simulated(const SceneSpec& scene, double h, double duration) {
  const StepOptions options = derive_options(test::steps_of(h, duration), scene);
  return SpatialSimulation(std::make_shared<const SpatialScene>(scene), options, scene_parameters(scene));
}

// `compiled`: what the product simulates.
inline ValidateCase case_of(const SceneSpec& scene, const SceneSpec& compiled, double h, double duration) {
  ValidateCase out;
  out.scene = scene;
  out.model = compile_model(compiled);
  out.spatial_scene = std::make_shared<const SpatialScene>(scene);
  out.options = derive_options(test::steps_of(h, duration), scene);
  out.trials = {Trial{-1, -1, scene_parameters(scene)}};
  return out;
}
inline ValidateCase case_of(const SceneSpec& scene, double h, double duration) {
  return case_of(scene, scene, h, duration);
}

}  // namespace pegrasp::reference::spatial
