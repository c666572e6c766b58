// SPDX-License-Identifier: Apache-2.0
// The rows of joints in a step that polygon_step() wrote: bilateral constraints (W 2.28), limits as unilateral ones,
// couplings, and motors and forces on joints. All where the step begins.
#pragma once

#include <span>
#include <string>

#include "src/reference/planar/scene.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// What of a scene's joints the rows cannot be written for, one line; empty: nothing.
std::string what_is_not_jointed(const SceneSpec& scene);

// poses, velocities (bodies); present (bodies); offsets (bodies) of velocity_offsets().
void add_joint_rows(const PlanarNumbers& numbers, std::span<const Pose> poses, std::span<const Twist> velocities,
                    std::span<const char> present, std::span<const int> offsets, StepProblem& step);

}  // namespace pegrasp::reference
