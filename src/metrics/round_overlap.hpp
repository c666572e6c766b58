// SPDX-License-Identifier: Apache-2.0
// Overlap of parts in 3D of any kind, where it has a closed form.
#pragma once

#include "pegrasp/solid_part.hpp"
#include "src/metrics/solid_overlap.hpp"

namespace pegrasp {

// A part as the measures see it.
struct MeasuredPart {
  SolidPart part;
  CheckedSolid solid;  // of a polyhedron, else empty
};

MeasuredPart measured_part(const SolidPart& part);

// Whether part_overlap() knows the pair: two polyhedra, two spheres, a half-space with a polyhedron or a sphere, and two half-spaces, whose
// overlap counts as none: their bodies do not move freely.
bool has_overlap_volume(SolidKind a, SolidKind b);

// Volume [m^3] of the intersection, exact but for rounding; 0 for pairs without a closed form.
double part_overlap(const MeasuredPart& a, const SpatialPose& pose_a, const MeasuredPart& b, const SpatialPose& pose_b);

}  // namespace pegrasp
