// SPDX-License-Identifier: Apache-2.0
// Planar parts as parts in 3D: what lies above an outline, between two heights.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/solid_part.hpp"

namespace pegrasp {

// Corners of a pieces' outline: with them its prism has as many edges as a scan keeps in one word (RidgeSet::room in
// kernels/spatial/modes.hpp), and no face has more corners than the model takes.
inline constexpr std::size_t most_prism_corners = 21;

// The corners of a chain; of arcs points on them, so close that no chord is farther than `tolerance` [m] from its arc.
// Vertices stay what they are.
std::vector<Vec2> outline_points(const ConvexPart& part, double tolerance);

// A chain between two heights [m] as one prism, or, where its outline has more than most_prism_corners, as several, cut like a cake about
// the outline's middle: "disc", "disc_2", ... A half-plane becomes a half-space. Throws ShapeError.
std::vector<SolidPart> make_prisms(const ConvexPart& part, double low, double high, double tolerance);

}  // namespace pegrasp
