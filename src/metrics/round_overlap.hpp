// SPDX-License-Identifier: Apache-2.0
// Overlap volume of two parts in 3D, for the kinds of parts where it has a closed form.
#pragma once

#include "pegrasp/solid_part.hpp"
#include "src/metrics/solid_overlap.hpp"

namespace pegrasp {

// A part, prepared for the measures.
struct MeasuredPart {
  SolidPart part;
  CheckedSolid solid;  // of a polyhedron, else empty
};

MeasuredPart measured_part(const SolidPart& part);

// Whether part_overlap() knows the volume of the pair: two polyhedra, two spheres, a half-space and a polyhedron or a
// sphere, and two half-spaces. The overlap of half-spaces counts as 0, because their bodies do not move freely.
bool has_overlap_volume(SolidKind a, SolidKind b);

// Volume [m^3] of the intersection, exact but for rounding; 0 for pairs without a closed form.
double part_overlap(const MeasuredPart& a, const SpatialPose& pose_a, const MeasuredPart& b, const SpatialPose& pose_b);

}  // namespace pegrasp
