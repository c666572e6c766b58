// SPDX-License-Identifier: Apache-2.0
// Round facets (docs/explanation/pair-modes.md, 8): over the edges and vertices of two cores the obstacle of their parts is round. A facet (i, j) is a pair
// of edges, of which a sphere's has no length; its axis lies along their closest points where that is a normal of both cores, else, of cores in each
// other, across both edges.
#pragma once

#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

// Points of a and b as fractions of two edges, and the way from the one to the other, world.
struct EdgePoints {
  double on_a = 0.0, on_b = 0.0;
  Vector3 way = Vector3::Zero();
};
// The closest points; of edges that are closest all along their overlap, its middle.
EdgePoints closest_points(const PlacedSolid& a, int i, const PlacedSolid& b, int j);

struct RoundAxis {
  Vector3 n = Vector3::UnitX();  // from a to b, world
  double s = 0.0;                // [m] separation of the whole parts along it
  bool facet = false;            // neither core reaches farther along n than its edge does
  bool along_points = false;
  EdgePoints closest;
};
RoundAxis round_axis(const PlacedSolid& a, int i, const PlacedSolid& b, int j);

// Whether both bodies have surface there.
bool on_surface(const RoundAxis& axis, const PlacedSolid& a, int i, const PlacedSolid& b, int j);

// s along the world's unit direction n, of all of both parts.
double separation_along(const Vector3& n, const PlacedSolid& a, const PlacedSolid& b);

// The least distance, less radii, of two round parts whose closest points go from `start` to `end` evenly, if the way leads more than a right
// angle around: no end pose tells that they went through each other. Else, and of parts with faces, 1e300.
double least_on_straight_way(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                             const PlacedSolid& b1);

}  // namespace pegrasp::reference::spatial
