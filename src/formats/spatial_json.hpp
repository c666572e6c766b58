// SPDX-License-Identifier: Apache-2.0
// Bodies in 3D of peg-scene-1 ("dim": 3).
#pragma once

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

Vec3 read_vector(const JsonCursor& place);
Quaternion read_quaternion(const JsonCursor& place);  // of unit length

// What a body is in 3D, to spec.form; its mass, where the file does not give it. `spec.kind` is known.
void read_spatial_body(const JsonCursor& body, BodySpec& spec);

}  // namespace pegrasp
