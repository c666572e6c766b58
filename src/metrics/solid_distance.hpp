// SPDX-License-Identifier: Apache-2.0
// How far two convex solids are apart, or how deep in each other: brute force over all pairs of features, as an oracle for
// the tests of contact in 3D.
#pragma once

#include "src/metrics/solid.hpp"

namespace pegrasp {

// Separation along an axis: how far b's nearest point is beyond a's furthest one [m], negative where they overlap.
struct AxisGap {
  double separation = 0.0;
  Vec3 direction;  // unit vector, world, from a to b
};

// The axis that separates most, among the normals of the faces of both solids and the directions across each edge of one and
// each edge of the other. Negative: minus the depth of penetration, exactly, the shortest way out. Positive: the solids are
// disjoint, and at least as far apart as this; further where vertices are nearest to vertices or edges.
AxisGap largest_separation(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b);

struct SolidGap {
  double distance = 0.0;  // [m]; of disjoint solids the Euclidean distance, otherwise minus the depth of penetration
  Vec3 direction;         // unit vector, world, from a to b: moving b by -distance along it makes the two touch
  Vec3 on_a;              // world; on_b - on_a is distance times direction, each point on its solid's surface
  Vec3 on_b;
};

// Distance with closest points. Where there are several closest pairs or several shortest ways out, one of them.
SolidGap solid_distance(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                        const SpatialPose& pose_b);

}  // namespace pegrasp
