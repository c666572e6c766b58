// SPDX-License-Identifier: Apache-2.0
// Convex parts: the shapes that bodies are unions of.
//
// A part's boundary is a counter-clockwise, cyclic chain of corners. A corner is a circular arc (centre, radius);
// radius 0 makes it a vertex. Corner i and corner i + 1 are joined by the edge that is tangent to both, so a polygon
// is a chain of vertices, a disc is one corner, a capsule two, and a circular segment an arc followed by its two
// end points. Arcs are exact primitives: nothing in the engine turns them into polygons. Exact ellipses and
// superellipses are smooth curves beside such chains.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/shell.hpp"

namespace pegrasp {

struct Corner {
  Vec2 centre;          // [m], body frame
  double radius = 0.0;  // [m], 0 for a vertex
};

enum class PartKind { chain, half_plane };

// |x/a|^order + |y/b|^order = 1, turned by `turn` [rad] and moved to `centre`, in the body's frame.
struct Superellipse {
  Vec2 centre;               // [m]
  double semi_axis_x = 0.0;  // a [m]
  double semi_axis_y = 0.0;  // b [m]
  int order = 2;             // 2 to 16; 2: an ellipse
  double turn = 0.0;         // [rad]
};

struct ConvexPart {
  std::string name;
  PartKind kind = PartKind::chain;
  std::vector<Corner> corners;                         // chain: counter-clockwise
  Vec2 normal{0.0, 1.0};                               // half-plane: unit outward normal, body frame
  double offset = 0.0;                                 // half-plane: the solid is normal . x <= offset [m]
  std::optional<CompliantShell> shell = std::nullopt;  // none: that of the body
  // A smooth part: the curve itself. Its corners are then a polygon of 512 vertices on the curve, for pictures and
  // measures of overlap alone.
  std::optional<Superellipse> curve = std::nullopt;
};

// Thrown for a shape that is not a convex part; what() is one line that says what is wrong and how to mend it.
class ShapeError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// vertices: (n >= 3), counter-clockwise, body frame [m]. Throws ShapeError for fewer than 3 vertices, non-finite or
// repeated vertices, zero area, clockwise order, self-crossing or non-convex outlines. Collinear vertices are dropped.
ConvexPart make_polygon(std::string name, const std::vector<Vec2>& vertices);

ConvexPart make_disc(std::string name, Vec2 centre, double radius);

// The solid side is normal . x <= offset. The normal need not be of unit length.
ConvexPart make_half_plane(std::string name, Vec2 normal, double offset);

// Hull of discs given in counter-clockwise order (a capsule, a rounded polygon).
ConvexPart make_rounded_polygon(std::string name, const std::vector<Corner>& corners);

// The piece of the disc (centre, radius) on the far side of the chord between the angles [rad] from and to,
// counter-clockwise from `from` to `to`; 0 < to - from < 2 pi.
ConvexPart make_circular_segment(std::string name, Vec2 centre, double radius, double from, double to);

// |x/a|^order + |y/b|^order = 1 (order >= 2), turned by `turn` [rad] and moved to `centre`, as a polygon whose vertices
// lie on the curve and whose edges stay within `tolerance` [m] of it. Symmetric about both axes.
ConvexPart make_superellipse(std::string name, Vec2 centre, double semi_axis_x, double semi_axis_y, double order,
                             double turn, double tolerance);

// The curve itself: contacts, area and inertia are those of the curve. order: 2 to 16. Throws ShapeError.
ConvexPart make_exact_superellipse(std::string name, const Superellipse& curve);
ConvexPart make_exact_ellipse(std::string name, Vec2 centre, double semi_axis_x, double semi_axis_y, double turn = 0.0);

// Area [m^2], centroid [m] and second moment about the centroid per unit area density [m^4] of a chain, arcs exact.
struct AreaProperties {
  double area = 0.0;
  Vec2 centroid;
  double second_moment = 0.0;
};
AreaProperties area_properties(const ConvexPart& part);

}  // namespace pegrasp
