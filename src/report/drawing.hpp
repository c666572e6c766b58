// SPDX-License-Identifier: Apache-2.0
// What a page draws of a scene: bodies with their shapes and names, and joints, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "pegrasp/scene.hpp"

namespace pegrasp::report {

using Json = nlohmann::ordered_json;

// Bodies and joints by their index in the scene. Lengths in m, in the frame of the body, rounded to 0.1 um.
Json drawing_of(const SceneSpec& scene);

}  // namespace pegrasp::report
