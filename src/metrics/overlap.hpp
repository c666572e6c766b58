// SPDX-License-Identifier: Apache-2.0
// Overlap area of planar bodies, the measure by which contact models are compared (Williams' thesis, chapter 5).
#pragma once

#include <span>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Area [m^2] of the intersection of two bodies at the given poses; each body is the union of its parts, so parts of one
// body that overlap each other count once. Half-planes are allowed, but not against each other. Arcs are exact; for
// small overlaps the error is about 1e-16 times the bodies' size times the overlap's width, and the result is never
// negative. The integral is over slabs between the x coordinates where the boundaries start, end or cross.
double overlap_area(const BodySpec& a, const Pose& pose_a, const BodySpec& b, const Pose& pose_b);

// Sum over pairs of different bodies, at least one dynamic and both present, of the area of their intersection [m^2].
// poses: one per body; present: one per body. Pairs that the scene ignores are not counted.
double total_overlap_area(const SceneSpec& scene, std::span<const Pose> poses, const std::vector<bool>& present);

// Sum of the areas of the parts of dynamic bodies [m^2], the denominator of relative overlaps. Parts of one body that
// overlap each other count twice here, so that it needs no poses.
double total_dynamic_area(const SceneSpec& scene);

}  // namespace pegrasp
