// SPDX-License-Identifier: Apache-2.0
// The distance of two convex solids, or their depth of penetration, by brute force over all pairs of features. The
// tests of contact in 3D use it as an independent reference.
#pragma once

#include "src/metrics/solid.hpp"

namespace pegrasp {

// Separation along an axis: how far the nearest point of b is beyond the furthest point of a [m]. It is negative where
// the two overlap along the axis.
struct AxisGap {
  double separation = 0.0;
  Vec3 direction;  // unit vector, world, from a to b
};

// The axis that separates most, among the normals of the faces of both solids and the directions across each edge of
// one and each edge of the other. A negative separation is exactly minus the depth of penetration, the shortest way
// out. A positive one means that the solids are disjoint and at least this far apart; they are farther apart where a
// vertex is nearest to a vertex or an edge.
AxisGap largest_separation(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b);

struct SolidGap {
  double distance = 0.0;  // [m]; of disjoint solids the Euclidean distance, otherwise minus the depth of penetration
  Vec3 direction;         // unit vector, world, from a to b: moving b by -distance along it makes the two touch
  Vec3 on_a;              // world; on_b - on_a is distance times direction, each point on its solid's surface
  Vec3 on_b;
};

// Distance with closest points. Where several pairs are closest or several ways out are shortest, the result is one of
// them.
SolidGap solid_distance(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                        const SpatialPose& pose_b);

}  // namespace pegrasp
