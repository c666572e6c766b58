// SPDX-License-Identifier: Apache-2.0
// The flat vector of scene parameters: all that may differ between the scenes of a batch. Sampling writes into it,
// the backends copy it as it is; neither knows what the numbers mean beyond this layout.
#pragma once

#include <vector>

#include "pegrasp/parameter_layout.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// Up to so many pairs of bodies that may touch are listed, each with a friction parameter of its own. Scenes with more
// are for the batched strategy (StepOptions::strategy), and their friction is the same in all scenes of a batch.
constexpr long largest_pair_list = 1L << 20;
bool lists_pairs(const SceneSpec& scene);
// Can the two bodies (either order) ever touch? Not if neither is dynamic, one has no parts, or the scene says so.
bool may_touch(const SceneSpec& scene, int body_a, int body_b);

// Layout and values of a scene as described. friction_slot() finds the slot of a pair of bodies (either order), -1 when
// the two can never touch, and throws std::invalid_argument, one line, when the scene lists no pairs; support_point()
// finds the first support point, or in 3D the first support sphere, of a body, -1 without a support;
// oscillation_block() the number of a body among those that oscillate, -1 for others.
ParameterLayout parameter_layout(const SceneSpec& scene);
std::vector<double> scene_parameters(const SceneSpec& scene);
int friction_slot(const SceneSpec& scene, int body_a, int body_b);
int support_point(const SceneSpec& scene, int body);
int oscillation_block(const SceneSpec& scene, int body);

}  // namespace pegrasp
