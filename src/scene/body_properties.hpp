// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Volume [m^3] and centroid [m] of all parts together, in the body's frame, and inertia about that centroid at unit
// density [m^5]. Where parts overlap, the overlap counts twice.
SolidProperties body_properties(const SpatialBody& body);

}  // namespace pegrasp
