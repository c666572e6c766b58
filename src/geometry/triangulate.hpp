// SPDX-License-Identifier: Apache-2.0
// Polygons in space as triangles.
#pragma once

#include <array>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

// Triangles that fill a face, which may have notches, in its own orientation. Ears are cut off where no other corner
// lies in them. What no triangles fill, because it crosses itself, becomes a fan.
std::vector<std::array<int, 3>> triangulated(const std::vector<Vec3>& vertices, const std::vector<int>& face);

}  // namespace pegrasp
