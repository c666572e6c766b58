// SPDX-License-Identifier: Apache-2.0
// Functions that both forms of make_polyhedron() share: checks of points, planes through the loops of faces, and the
// hull.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/polyhedron.hpp"

namespace pegrasp::solid {

// Throws ShapeError: "polyhedron: " and the problem.
[[noreturn]] void fail(const std::string& problem);

// A vertex in words, for messages: "vertices[3] (0, 1, 2)".
std::string vertex_text(const std::vector<Vec3>& vertices, std::size_t i);

// Largest side of the bounding box [m]. Throws ShapeError for a tolerance out of range, vertices that are not finite,
// and sizes for which moments of inertia leave the range of a double.
double checked_extent(const std::vector<Vec3>& vertices, double tolerance);

// Area vector of a closed loop of vertices. Where the loop is not flat, it is that of its mean plane.
Vec3 loop_area(const std::vector<Vec3>& vertices, const std::vector<int>& loop);

// Sets the planes of the faces: normals from the loops, and offsets such that no vertex lies outside.
void fit_planes(Polyhedron& polyhedron);

// The hull, and how far a vertex of the input may lie outside it [m].
struct Hull {
  Polyhedron polyhedron;
  double slack = 0.0;
};
Hull make_hull(const std::vector<Vec3>& vertices, double tolerance);

// The hull of vertices from a file: the finest tolerance for flat faces, from 1e-6 up to `tolerance`, that makes one.
Hull make_file_hull(const std::vector<Vec3>& vertices, double tolerance);

}  // namespace pegrasp::solid
