// SPDX-License-Identifier: Apache-2.0
// Convex hull of points of an integer grid, in exact arithmetic. Whether a point is above, on or below a facet is
// decided exactly, so that the hull is a closed surface for any points.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pegrasp::hull {

// Coordinates from 0 to 2^41: the volume of a tetrahedron, six times over, then fits 128 bits with its sign.
inline constexpr int grid_bits = 41;

struct GridPoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
};

using Triangle = std::array<int, 3>;

// Four of the chosen points that are far apart and positively oriented: the last is on the inner side of the first
// three, which are counter-clockwise seen from outside. The thicknesses are the distance of the third point from the
// line through the first two, and that of the fourth from the plane of the first three, both in grid steps. They are 0
// where all points lie on a line or in a plane.
struct Simplex {
  std::array<int, 4> points{};
  double height = 0.0;
  double depth = 0.0;
};
Simplex spanning_simplex(const std::vector<GridPoint>& points, const std::vector<int>& chosen);

// Triangles (indices into `points`, counter-clockwise from outside) of the hull of the chosen points, which are
// distinct. Flat faces come in several triangles. Empty when the points lie in a plane.
std::vector<Triangle> hull_triangles(const std::vector<GridPoint>& points, const std::vector<int>& chosen);

}  // namespace pegrasp::hull
