// SPDX-License-Identifier: Apache-2.0
// What the makers of polyhedra share: checks of points, planes through the loops of faces, the hull.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/polyhedron.hpp"

namespace pegrasp::solid {

// Throws ShapeError: "polyhedron: " and the problem.
[[noreturn]] void fail(const std::string& problem);

// "vertices[3] (0, 1, 2)".
std::string vertex_text(const std::vector<Vec3>& vertices, std::size_t i);

// Largest side of the bounding box [m]. Throws for a tolerance out of range, non-finite vertices, and sizes that the moments
// of inertia cannot hold.
double checked_extent(const std::vector<Vec3>& vertices, double tolerance);

// Area vector of a closed loop of vertices (exact for flat ones, the mean otherwise).
Vec3 loop_area(const std::vector<Vec3>& vertices, const std::vector<int>& loop);

// Normals from the loops, offsets such that no vertex is outside.
void fit_planes(Polyhedron& polyhedron);

// The hull, and how far [m] a vertex of the input may stand out of it.
struct Hull {
  Polyhedron polyhedron;
  double slack = 0.0;
};
Hull make_hull(const std::vector<Vec3>& vertices, double tolerance);

}  // namespace pegrasp::solid
