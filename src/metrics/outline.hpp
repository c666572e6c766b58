// SPDX-License-Identifier: Apache-2.0
// The outline of a bounded convex part: its upper and its lower boundary as functions of x.
#pragma once

#include <vector>

#include "pegrasp/shapes.hpp"

namespace pegrasp {

// A piece of boundary over [x0, x1]: the straight line through (x0, y0) and (x1, y1), or an arc of the upper (side 1)
// or lower (side -1) half of a circle.
struct BoundaryPiece {
  double x0 = 0.0, x1 = 0.0;
  double y0 = 0.0, y1 = 0.0;  // straight pieces only
  Vec2 centre;                // arcs only
  double radius = 0.0;        // 0: straight
  double side = 1.0;

  double at(double x) const;
  // Area between the piece and its chord over [from, to]; 0 for a straight piece.
  double bulge(double from, double to) const;
};

// Appends every x in (from, to) at which two pieces, continued as lines and full circles, meet. Both pieces cover
// [from, to].
void append_crossings(const BoundaryPiece& p, const BoundaryPiece& q, double from, double to, std::vector<double>& out);

struct Outline {
  std::vector<BoundaryPiece> upper;
  std::vector<BoundaryPiece> lower;
  Vec2 low, high;  // bounding box
};

// Outline of a chain of corners, in the frame in which the corners are given.
Outline make_outline(const std::vector<Corner>& corners);

}  // namespace pegrasp
