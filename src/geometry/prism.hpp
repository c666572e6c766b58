// SPDX-License-Identifier: Apache-2.0
// Planar parts as prisms in 3D: the points above an outline, between two heights.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/solid_part.hpp"

namespace pegrasp {

// Largest number of corners of the outline of a prism. A prism then has at most as many edges as the search of contact
// modes keeps in one set (kernels/spatial/modes.hpp), and no face has more corners than the model allows.
inline constexpr std::size_t most_prism_corners = 21;

// The outline of a chain as a polygon: its vertices, and points on its arcs, so close that no chord is farther than
// `tolerance` [m] from its arc.
std::vector<Vec2> outline_points(const ConvexPart& part, double tolerance);

// A chain between two heights [m] as one prism. Where its outline has more than most_prism_corners, it is cut into
// several prisms about the middle of the outline, as a cake is cut, called "disc", "disc_2" and so on. A half-plane
// becomes a half-space. Throws ShapeError.
std::vector<SolidPart> make_prisms(const ConvexPart& part, double low, double high, double tolerance);

}  // namespace pegrasp
