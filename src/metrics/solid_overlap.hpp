// SPDX-License-Identifier: Apache-2.0
// How much two convex solids overlap: the measure by which contact in 3D is judged, and an oracle of its tests.
#pragma once

#include "src/metrics/solid.hpp"

namespace pegrasp {

// Volume [m^3] of the intersection of two solids at the given poses. Exact but for rounding: about 1e-16 times the area in
// which they overlap times the size of the smaller, so that slabs of 1e-8 m are good to 1e-8, and corners to 1e-16 over
// their least width. Zero or rounding for solids that touch. Never negative, never more than the volume of either; the same for a
// and b exchanged, but for rounding. Bodies' frames are supposed to be near the bodies.
double intersection_volume(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b);

// The part of a solid where dot(normal, x) <= offset, body frame; the normal may have any length but zero. Empty where there
// is none, or nothing but a face, edge or vertex.
ConvexSolid cut_solid(const ConvexSolid& solid, Vec3 normal, double offset);

}  // namespace pegrasp
