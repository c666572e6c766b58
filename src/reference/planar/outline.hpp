// SPDX-License-Identifier: Apache-2.0
// A convex part for the reference simulator: its outline in the frame of the body, and the same outline placed in the
// world.
//
// The outline is a chain of corners (centre c_i, radius r_i), joined by edges that are tangent to both neighbours: the
// outward unit normal n_i of edge i obeys n . c_i + r_i = n . c_{i+1} + r_{i+1}. The outward normals of corner i run
// counter-clockwise from n_{i-1} to n_i. An arc may turn by up to 2 pi: a disc is one corner without edges. A
// half-plane is one edge without corners.
//
// The support of the part along d is the maximum of d . c_i + r_i over the corners whose normals include d.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <vector>

#include "pegrasp/shapes.hpp"
#include "src/reference/planar/smooth.hpp"

namespace pegrasp::reference {

using Point = Eigen::Vector2d;
using Points = Eigen::Matrix2Xd;  // one a column

inline Point point(Vec2 v) { return {v.x, v.y}; }
inline double cross(const Point& a, const Point& b) { return a.x() * b.y() - a.y() * b.x(); }
// v turned by +90 degrees.
inline Point turned_left(const Point& v) { return {-v.y(), v.x()}; }

// A rigid motion of the plane.
struct Placement {
  Point origin = Point::Zero();
  double cosine = 1.0, sine = 0.0;

  static Placement of(const Pose& pose);
  Point direction(const Point& v) const { return {cosine * v.x() - sine * v.y(), sine * v.x() + cosine * v.y()}; }
  Point operator()(const Point& p) const { return origin + direction(p); }
  // A world direction and a world point, seen from the body.
  Point direction_back(const Point& v) const { return {cosine * v.x() + sine * v.y(), cosine * v.y() - sine * v.x()}; }
  Point back(const Point& p) const { return direction_back(p - origin); }
};

// A set of outward directions, counter-clockwise from `from` to `to`.
struct NormalCone {
  Point from{1.0, 0.0}, to{1.0, 0.0};
  Point middle{1.0, 0.0};
  bool all = true;    // every direction
  bool wide = false;  // more than half a turn

  static NormalCone between(const Point& from, const Point& to);
  // Directions at the ends count as inside, with a small tolerance.
  bool holds(const Point& direction) const;
};

struct OutlineEdge {
  Point normal = Point::Zero();
  double offset = 0.0;                               // the part lies in normal . x <= offset
  Point tail = Point::Zero(), head = Point::Zero();  // where it leaves corner i and meets corner i + 1
  bool facet = true;                                 // false: no length, between two arcs: their own facets say all
  bool covered = false;                              // its outer side lies in sibling parts
};

struct OutlineCorner {
  Point centre = Point::Zero();
  double radius = 0.0;
  NormalCone normals;
  std::vector<int> siblings;  // a vertex: parts of the same body that hold it (indices into the body's outlines)
};

struct Outline {
  std::vector<OutlineCorner> corners;
  std::vector<OutlineEdge> edges;
  double size = 0.0;      // [m] radius of a circle about `centre` that holds the part; infinite for a half-plane
  double inradius = 0.0;  // [m] of the largest circle about the centroid inside the part
  Point centre = Point::Zero();
  // The curve of a smooth part. Such a part is one corner with all normals, whose radius is never asked for.
  std::shared_ptr<const SmoothOutline> smooth;

  bool half_plane() const { return corners.empty(); }
  int next(int i) const { return i + 1 == static_cast<int>(corners.size()) ? 0 : i + 1; }
  int previous(int i) const { return i == 0 ? static_cast<int>(corners.size()) - 1 : i - 1; }
  const OutlineEdge& edge(int i) const { return edges[static_cast<std::size_t>(i)]; }
  const OutlineCorner& corner(int i) const { return corners[static_cast<std::size_t>(i)]; }
  // Whether x lies in the part or within `tolerance` [m] of it.
  bool contains(const Point& x, double tolerance) const;
};

Outline make_outline(const ConvexPart& part);

// The farthest corner along a unit direction and max of direction . x over the part.
struct Support {
  int corner = 0;
  double value = 0.0;
};

// An outline placed at a pose: the values in the world from which separations are computed.
struct PlacedOutline {
  const std::vector<Outline>* body = nullptr;  // all parts of its body
  int part = 0;                                // which of them
  const Outline* outline = nullptr;
  Placement at;
  Points centres;           // of the corners
  Points normals;           // of the edges
  Eigen::VectorXd offsets;  // of the edges, in the world

  PlacedOutline(const std::vector<Outline>& body, int part, const Placement& at);

  // `direction` of unit length, in the world.
  Support support(const Point& direction) const;
  bool in_normals(int corner, const Point& direction) const {
    return outline->corner(corner).normals.holds(at.direction_back(direction));
  }
  // The farthest point of a corner along a direction among its normals, and the radius [m] by which it is round there.
  Point farthest(int corner, const Point& direction) const;
  double round(int corner, const Point& direction) const;
  double inradius() const { return outline->inradius; }
  Point edge_tail(int e) const { return at(outline->edge(e).tail); }
  Point edge_head(int e) const { return at(outline->edge(e).head); }
};

}  // namespace pegrasp::reference
