// SPDX-License-Identifier: Apache-2.0
// Bodies whose parts are larger or smaller along the axes of their frames.
#pragma once

#include <string>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Why the parts of a body cannot be scaled, as the end of a sentence that begins with the key; empty: they can.
// uniform: by one factor along all axes.
std::string hindrance_to_scale(const BodySpec& body, bool uniform);

// Scales the parts about the origin of the body's frame; the factors are positive, and the body can be scaled by them.
// In 2D the last factor counts for nothing. Mass, inertia and centre of mass stay as they are.
void scale_parts(BodySpec& body, Vec3 factor);

// Moves the points at which joints hold the body along with its parts, and where the other bodies carry these joints by
// as much, as the scene describes them. No joint holds two bodies that are scaled.
void scale_joints(SceneSpec& scene, int body, Vec3 factor);

// The moment of inertia of a planar body's parts after scale_parts(), at the same mass, over that before.
double inertia_ratio(const PlanarBody& body, Vec3 factor);

// The inertia at the same mass, for any distribution of the mass that is scaled along.
InertiaTensor scaled_inertia(const InertiaTensor& inertia, Vec3 factor);

}  // namespace pegrasp
