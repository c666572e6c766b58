// SPDX-License-Identifier: Apache-2.0
// Convex polygons in the world, and how a vertex of one lies relative to an edge of another (thesis, 3.2, 3.3 and 3.5).
//
//   psi(v, e) = (v - a) . n                                                     (3.7)
//   APPL(v, e) = min over neighbours v_k of v of  n . (v_k - v) / |v_k - v|      (3.3)
//   FEAS(v, e): psi > -depth - slope * (how far v lies beyond e's ends)          (figure 3.7)
//   d psi / dt = n . (v_v - v_e),  both velocities those of the point v
// The last line is exact although n turns: (v - a) . dn/dt moves the arm of the edge's body from a to v.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp::reference {

using Point = Eigen::Vector2d;

// 90 degrees counter-clockwise.
inline Point turned(const Point& p) { return {-p.y(), p.x()}; }

struct Edge {
  Point from, to;  // counter-clockwise about the polygon
  Point normal;    // unit, outward
  bool endless = false;
};

// A half-plane is one endless edge without vertices.
struct Polygon {
  std::vector<Point> vertices;
  std::vector<Edge> edges;  // i from vertex i to i + 1

  std::size_t next(std::size_t i) const { return i + 1 == vertices.size() ? 0 : i + 1; }
  std::size_t previous(std::size_t i) const { return i == 0 ? vertices.size() - 1 : i - 1; }
};

// Throws std::invalid_argument for a part with arcs.
Polygon make_world_polygon(const ConvexPart& part, const Pose& pose);

// psi(v, e) [m].
inline double gap(const Point& v, const Edge& e) { return (v - e.from).dot(e.normal); }

// Distance [m] to the segment, or to the line of an endless edge (algorithm 3).
double distance(const Point& v, const Edge& e);

// APPL, -1 to 1: non-negative where no neighbour of the vertex lies deeper along the normal.
double applicability(const Polygon& polygon, std::size_t vertex, const Point& normal);

// FEAS; depth [m], slope = tan(phi).
bool feasible(const Point& v, const Edge& e, double depth, double slope);

}  // namespace pegrasp::reference
