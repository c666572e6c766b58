// SPDX-License-Identifier: Apache-2.0
// Readers of bodies in 3D in peg-scene-1 files ("dim": 3).
#pragma once

#include <string>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/formats/json_cursor.hpp"

namespace pegrasp {

Vec3 read_vector(const JsonCursor& place);
Quaternion read_quaternion(const JsonCursor& place);  // of unit length

// The keys of shapes in 3D but for "vertices".
const std::vector<std::string>& spatial_shape_keys();

// Fails where a cone or pyramid is asked for, which are no shapes, with what to take instead.
void refuse_other_shapes(const JsonCursor& place);

// Reads a body in 3D into spec.form, and its mass where the file gives a density. spec.kind must be set.
void read_spatial_body(const JsonCursor& body, BodySpec& spec);

}  // namespace pegrasp
