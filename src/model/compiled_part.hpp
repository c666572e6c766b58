// SPDX-License-Identifier: Apache-2.0
// A part's boundary as the kernels want it: edges with normals, arcs split so that every normal cone is below half a
// turn.
#pragma once

#include <optional>
#include <vector>

#include "pegrasp/shapes.hpp"
#include "src/geometry/smooth_part.hpp"

namespace pegrasp {

struct CompiledEdge {
  Vec2 normal;
  double offset = 0.0;
  int use = 0;      // EdgeUse
  Vec2 tail, head;  // end points
};

// Directions in which a corner is a surface point of its body (ModelView::corner_cone).
struct CornerCone {
  Vec2 from, to;
};

// A smooth part's curve and the ranges of normals along which siblings cover it (kernels/base/smooth_curve.hpp).
struct CompiledCurve {
  SmoothCurve shape;
  std::vector<double> numbers;
};

struct CompiledPart {
  std::vector<Corner> corners;
  std::vector<int> names;  // index of the corner before arcs were split
  std::vector<CornerCone> cones;
  std::vector<CompiledEdge> edges;
  Vec2 centre;          // of a bounding circle
  double radius = 0.0;  // of that circle; negative for a half-plane
  double inradius = 0.0;
  std::optional<CompiledCurve> curve;  // of a smooth part, which has one corner that reaches around it
};

CompiledPart compile_part(const ConvexPart& part);

// Marks edges whose outer side lies in sibling parts, one or several together, as covered, and such ranges of smooth
// parts. parts: all parts of one body.
void mark_covered(std::vector<CompiledPart>& parts);

// Narrows the cones of vertices that lie on or in sibling parts: at an internal edge the surface goes on, and what is
// a corner of the part is none of the body.
void restrict_corners(std::vector<CompiledPart>& parts);

}  // namespace pegrasp
