// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// The scene that results name the options of: where each trial has its own, that of typical sizes.
inline SceneSpec typical_scene(const Problem& problem) {
  return scene_of_trial(problem, base_parameters(problem)).scene;
}

// The options of a map's trials in a scene of the problem, derived.
inline StepOptions map_options(const Problem& problem, const SceneSpec& scene) {
  StepOptions step = derive_options(problem.options, scene, problem.arithmetic);
  // An unresolved trial has no outcome, whatever its later steps would do.
  if (step.on_unresolved == OnUnresolved::automatic) step.on_unresolved = OnUnresolved::stop;
  return step;
}

// Whether a device simulates the trials: it leaves those with scenes of their own to the CPU.
inline bool runs_on_device(const Backend& backend, const Problem& problem) {
  return backend.name() != "cpu" && !problem.changes.any();
}

}  // namespace pegrasp
