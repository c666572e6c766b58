// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Volume [m^3] and centroid [m] of all parts together, in the body's frame, and inertia about that centroid at unit
// density [m^5]. Where parts overlap, the overlap counts twice.
SolidProperties body_properties(const SpatialBody& body);

// Moment of inertia per kilogram [m^2] of planar parts at equal density, about the body's origin; where parts overlap,
// the overlap counts twice. It is 0 without a bounded part. `centroid` receives the centroid of the same parts.
double inertia_per_mass(const std::vector<ConvexPart>& parts, Vec2& centroid);

}  // namespace pegrasp
