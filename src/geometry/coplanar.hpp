// SPDX-License-Identifier: Apache-2.0
// Merging of the triangles of a closed, convex surface into flat faces.
#pragma once

#include <vector>

#include "pegrasp/geometry.hpp"
#include "src/geometry/hull.hpp"

namespace pegrasp::hull {

// For each triangle the neighbours across its sides; side k goes from corner k to corner k + 1. The surface must be
// closed.
std::vector<std::array<int, 3>> triangle_neighbours(const std::vector<Triangle>& triangles);

// The number of the face of every triangle. All corners of a face lie within `tolerance` of one plane, and its
// triangles are joined side by side; no triangle could be added to the face that began earlier.
std::vector<int> coplanar_faces(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                                double tolerance);

}  // namespace pegrasp::hull
