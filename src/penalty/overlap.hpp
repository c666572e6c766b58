// SPDX-License-Identifier: Apache-2.0
// Where penalty forces act: the overlap of two convex parts, its contact normal, and the points of its bottom
// (Drumwright's paper, III-A and appendix I).
//
// The points are the vertices of the intersection. The normal is that of the facet, of either part, whose plane the
// farthest of these points is nearest to, (4): along it the parts come apart by the least motion. A point's depth is
// its distance from that plane; those in the plane, where the surfaces cross, do not penetrate and are left out. Of
// spheres one point pushes, the deepest.
#pragma once

#include <vector>

#include "src/penalty/placed_part.hpp"

namespace pegrasp {

struct OverlapPoint {
  Vec3 at;             // world [m]
  double depth = 0.0;  // [m]
};

struct PartOverlap {
  int part_a = 0, part_b = 0;
  bool face_of_b = false;            // the normal is that of a facet of part_b
  Vec3 normal;                       // unit, from a to b
  std::vector<OverlapPoint> points;  // of the bottom, the deepest first
};

// Whether the parts overlap; then `out` says how.
bool find_overlap(const PlacedPart& a, const PlacedPart& b, PartOverlap& out);

// The points of the bottom of an overlap, in order of their depth: each lies, seen along the normal, outside of the
// polygon of those that are deeper (III-A).
std::vector<OverlapPoint> bottom_points(std::vector<OverlapPoint> points, Vec3 normal);

}  // namespace pegrasp
