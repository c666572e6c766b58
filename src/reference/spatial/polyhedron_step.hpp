// SPDX-License-Identifier: Apache-2.0
// One step of a spatial scene of polyhedra as a StepProblem: masses, gaps with their gradients and constraint sets, all
// where the step begins, as Stewart and Trinkle's method has it. In 2D: src/reference/planar/polygon_step.hpp. Every
// dynamic body that is present has six velocities, v and w in the world.
#pragma once

#include <string>
#include <vector>

#include "src/reference/planar/polygon_step.hpp"
#include "src/reference/spatial/motion.hpp"
#include "src/reference/spatial/polyhedron_sets.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference::spatial {

// What the step cannot be written for, one line; empty: nothing.
std::string what_is_not_polyhedral(const SpatialScene& scene);

struct PolyhedronStep {
  StepProblem problem;
  std::vector<int> offsets;  // (bodies) where each body's velocities begin, -1: it has none
  int traps = 0;             // corners in a standard-model trap
};

// state: of it positions, turns and velocities count; those of kinematic bodies are the prescribed ones. options: as
// for polygons. time [s]: when the step of h [s] begins.
PolyhedronStep polyhedron_step(const SpatialNumbers& numbers, const SpatialState& state, double time, double h,
                               const PolygonStepOptions& options);

}  // namespace pegrasp::reference::spatial
