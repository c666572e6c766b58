// SPDX-License-Identifier: Apache-2.0
// Joints, actuators and prescribed motion in 3D of peg-scene-1.
#pragma once

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

// "joints" and "actuators" of the scene, whose bodies are read.
void read_joints(const JsonCursor& root, SceneSpec& scene);
void read_actuators(const JsonCursor& root, SceneSpec& scene);

// "motion" of a kinematic body in 3D; its pose is the first keyframe's.
void read_spatial_motion(const JsonCursor& body, BodySpec& spec);

// A body by its name or its index.
int read_body_reference(const JsonCursor& place, const SceneSpec& scene);

}  // namespace pegrasp
