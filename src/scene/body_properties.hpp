// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Volume and centroid of all parts together, in the body's frame, and inertia about that centroid, per unit density; parts that lie in
// each other would count twice.
SolidProperties body_properties(const SpatialBody& body);

}  // namespace pegrasp
