// SPDX-License-Identifier: Apache-2.0
// The boundary of a chain of corners as straight edges and arcs.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/shapes.hpp"

namespace pegrasp {

// Edge i joins corner i to corner i + 1 (cyclic): it is tangent to both. start and end are the points of tangency. The
// edge between an arc and its own end point has no length; its normal is the radius there.
struct ChainEdge {
  Vec2 normal;  // unit, outward
  Vec2 start;
  Vec2 end;
};

// The edges, one per corner, except that a chain of one corner (a disc) has none. Throws ShapeError, in which `what`
// names the shape, when the disc of one corner contains that of the next, so that no common tangent exists.
std::vector<ChainEdge> chain_edges(const std::vector<Corner>& corners, const std::string& what = "chain");

// The arc of a corner: counter-clockwise from the normal of the edge before it to the normal of the edge after it.
struct ChainArc {
  Vec2 centre;
  double radius = 0.0;
  Vec2 from{1.0, 0.0};  // unit normals at the ends
  Vec2 to{1.0, 0.0};
  double angle = 0.0;  // [rad], 2 pi for a disc
};

// The arcs, one per corner; a vertex has radius 0.
std::vector<ChainArc> chain_arcs(const std::vector<Corner>& corners, const std::vector<ChainEdge>& edges);

// A part from any convex chain of corners: unlike make_rounded_polygon() the disc of a corner may reach outside the
// part, as it does for a circular segment. `shape` is its name in messages. Throws ShapeError.
ConvexPart make_chain(std::string name, const std::vector<Corner>& corners, const std::string& shape);

}  // namespace pegrasp
