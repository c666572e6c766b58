// SPDX-License-Identifier: Apache-2.0
// Convex hull of points of an integer grid, in exact arithmetic: what is above, on or below a facet is never in doubt, and
// the hull is a closed surface whatever the points.
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

// Four of the chosen points, far apart, positively oriented (the last is on the inner side of the first three, seen
// counter-clockwise from outside), and how thick they are: the third's distance from the line through the first two, the
// fourth's from the plane of the first three, both in grid steps. A thickness of 0: the points lie on a line, in a plane.
struct Simplex {
  std::array<int, 4> points{};
  double height = 0.0;
  double depth = 0.0;
};
Simplex spanning_simplex(const std::vector<GridPoint>& points, const std::vector<int>& chosen);

// Triangles (indices into `points`, counter-clockwise from outside) of the hull of the chosen points, which are distinct.
// Flat faces come in several triangles. Empty when the points lie in a plane.
std::vector<Triangle> hull_triangles(const std::vector<GridPoint>& points, const std::vector<int>& chosen);

}  // namespace pegrasp::hull
