// SPDX-License-Identifier: Apache-2.0
// Vertices that lie within a tolerance of each other, as one.
#pragma once

#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

// For each point the index of the point that stands for it: itself, or an earlier one that stands for itself and lies
// within `distance` [m]. With distance 0, points of equal coordinates are one.
std::vector<int> merged_vertices(const std::vector<Vec3>& points, double distance);

// Largest side of the box around the points [m]; 0 where there are none.
double box_extent(const std::vector<Vec3>& points);

// The corners of a face by what stands for them, without those that repeat the corner before them.
std::vector<int> merged_face(const std::vector<int>& face, const std::vector<int>& stands_for);

}  // namespace pegrasp
