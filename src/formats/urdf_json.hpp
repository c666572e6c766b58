// SPDX-License-Identifier: Apache-2.0
// Robots ("urdf") of peg-scene-1.
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

// Adds the robots' bodies and joints to the scene, whose own bodies are read; `friction` is of robots that do not give theirs. Returns the
// actuators of their joints' damping and friction, which go behind the scene's own.
std::vector<ActuatorSpec> read_urdf_list(const JsonCursor& root, double friction, SceneSpec& scene);

}  // namespace pegrasp
