// SPDX-License-Identifier: Apache-2.0
// Reader of robots ("urdf") in peg-scene-1 files.
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

// Adds the bodies and joints of the robots to the scene, whose own bodies must have been read. `friction` is the
// coefficient of robots that give none; `hull` takes the convex hulls of the meshes of all. Returns the actuators that
// stand for damping and friction of their joints; they belong behind the actuators of the scene.
std::vector<ActuatorSpec> read_urdf_list(const JsonCursor& root, double friction, bool hull, SceneSpec& scene);

}  // namespace pegrasp
