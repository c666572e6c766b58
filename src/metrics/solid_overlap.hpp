// SPDX-License-Identifier: Apache-2.0
// Overlap volume of two convex solids: the measure by which contact models in 3D are compared, and a reference for
// tests.
#pragma once

#include "src/metrics/solid.hpp"

namespace pegrasp {

// Volume [m^3] of the intersection of two solids at the given poses. Exact but for rounding: about 1e-16 times the area
// in which they overlap times the size of the smaller solid. So the relative error of an overlap 1e-8 m thick is about
// 1e-8. The result is zero, or rounding, for solids that touch. It is never negative and never more than the volume of
// either solid, and up to rounding it is the same with a and b exchanged. The origin of a body frame should be near the
// body.
double intersection_volume(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b);

// The part of a solid where dot(normal, x) <= offset, in the body frame. The normal may have any length but zero. The
// result is empty where nothing is left, or only a face, an edge or a vertex.
ConvexSolid cut_solid(const ConvexSolid& solid, Vec3 normal, double offset, double tolerance = dent_tolerance);

}  // namespace pegrasp
