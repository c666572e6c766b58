// SPDX-License-Identifier: Apache-2.0
// A part as a polygon inside it.
#pragma once

#include <vector>

#include "pegrasp/shapes.hpp"

namespace pegrasp::design {

// Counter-clockwise, body frame [m]: the corners of a polygon, and for arcs points on them. Not of a half-plane.
std::vector<Vec2> inner_outline(const ConvexPart& part);

}  // namespace pegrasp::design
