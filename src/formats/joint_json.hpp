// SPDX-License-Identifier: Apache-2.0
// Readers of joints, actuators and prescribed motion in 3D in peg-scene-1 files.
#pragma once

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

// Read "joints", "couplings", "actuators" and "springs", in this order, into the scene, whose bodies must have been read.
void read_joints(const JsonCursor& root, SceneSpec& scene);
void read_couplings(const JsonCursor& root, SceneSpec& scene);
void read_springs(const JsonCursor& root, SceneSpec& scene);
void read_actuators(const JsonCursor& root, SceneSpec& scene);

// Reads "motion" of a kinematic body, whose form must be spatial. The pose of the body becomes that of the first
// keyframe.
void read_spatial_motion(const JsonCursor& body, BodySpec& spec);

// Reads a reference to a body, by name or by index; returns the index.
int read_body_reference(const JsonCursor& place, const SceneSpec& scene);

}  // namespace pegrasp
