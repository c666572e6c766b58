// SPDX-License-Identifier: Apache-2.0
// Round facets (docs/explanation/pair-modes.md). Over the edges and vertices of two cores, the obstacle of their
// parts is round. A facet (i, j) is a pair of edges; the edge of a sphere has no length. Its axis lies along the
// closest points of the edges where that direction is a normal of both cores. Where the cores overlap, it lies across
// both edges.
#pragma once

#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

// Points of a and b as fractions of two edges, and the vector from the one to the other in the world.
struct EdgePoints {
  double on_a = 0.0, on_b = 0.0;
  Vector3 way = Vector3::Zero();
};
// The closest points. Of edges that are closest along their whole overlap, the middle is taken.
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

// The separation of both whole parts along the unit direction n in the world.
double separation_along(const Vector3& n, const PlacedSolid& a, const PlacedSolid& b);

// The least distance, minus the radii, of two round parts whose closest points move uniformly from `start` to `end`, if
// the direction between them turns by more than a right angle: then no end pose shows that the parts went through each
// other. Otherwise, and for parts with faces, 1e300.
double least_on_straight_way(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                             const PlacedSolid& b1);

}  // namespace pegrasp::reference::spatial
