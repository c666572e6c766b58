// SPDX-License-Identifier: Apache-2.0
// A convex part for the reference simulator: a core with its features in the frame of the body, and a radius about the
// core; and the same part placed in the world. A polyhedron has radius 0. The core of a sphere is its centre, as an
// edge without length; the core of a capsule is an edge without faces. A half-space is one face without vertices. A
// part of a union knows its siblings: where they cover it, it has no surface (docs/explanation/pair-modes.md). Round
// parts and cylinders are surface everywhere and cover nothing. A cylinder is an edge, its axis, two faces without
// corners, its caps, and the radius about its axis (cylinder.hpp). A smooth part, an ellipsoid or a superellipsoid, is
// its centre, axes and half-axes (smooth.hpp).
//
//   a face is covered if its outer side lies in sibling parts, one or several together;
//   a vertex, or an edge, that siblings hold is surface along d only if none of them reaches farther along d.
#pragma once

#include <vector>

#include "pegrasp/solid_part.hpp"
#include "src/reference/spatial/turns.hpp"

namespace pegrasp::reference::spatial {

struct SolidFace {
  Vector3 normal;         // unit, outward
  double offset = 0.0;    // [m] the part lies in normal . x <= offset
  std::vector<int> loop;  // vertices, counter-clockwise seen from outside
  bool covered = false;
};

struct SolidEdge {
  int tail = 0, head = 0;
  int left = 0, right = 0;    // faces
  std::vector<int> siblings;  // parts of the same body that hold it
};

struct Solid {
  Eigen::Matrix3Xd vertices;
  std::vector<SolidFace> faces;
  std::vector<SolidEdge> edges;
  std::vector<std::vector<int>> vertex_siblings;  // (vertices) parts of the same body that hold it
  double inradius = 0.0;                          // [m] of the largest ball about the mean of the vertices
  double size = 0.0;                              // [m] half the diagonal of the core's box; infinite of a half-space
  double radius = 0.0;                            // [m]
  bool cylinder = false;
  bool smooth = false;
  Matrix3 axes = Matrix3::Identity();  // of a smooth part, as columns
  Vector3 half = Vector3::Zero();      // [m]
  int order = 2;

  bool half_space() const { return vertices.cols() == 0; }
  bool round() const { return faces.empty() && !smooth; }
  bool polyhedron() const { return !round() && !half_space() && !cylinder && !smooth; }
  bool hides() const { return !round() && !cylinder && !smooth; }  // what lies in it
  // [m] no point is farther from the core
  double outer() const { return !smooth ? radius : order == 2 ? half.maxCoeff() : half.norm(); }
  bool contains(const Vector3& x, double tolerance) const;
};

Solid make_solid(const Polyhedron& shape);
Solid make_solid(const SolidPart& part);
// Marks what siblings cover, for the parts of one body.
void mark_internal_edges(std::vector<Solid>& parts);

struct Support {
  int vertex = 0;
  double value = 0.0;  // max of d . x over the core
};

// A part of a body at a pose, in the world.
struct PlacedSolid {
  const std::vector<Solid>* body = nullptr;  // all parts of its body
  const Solid* solid = nullptr;
  Placement at;
  Eigen::Matrix3Xd vertices;  // world
  Eigen::Matrix3Xd normals;   // of faces, world
  Eigen::VectorXd offsets;    // of faces, world

  PlacedSolid(const std::vector<Solid>& body, int part, const Placement& at);

  Support support(const Vector3& d) const;  // of what has vertices
  double inradius() const { return solid->inradius; }
  Vector3 tail(int e) const { return vertices.col(edge(e).tail); }
  Vector3 along(int e) const { return vertices.col(edge(e).head) - vertices.col(edge(e).tail); }
  const SolidEdge& edge(int e) const { return solid->edges[static_cast<std::size_t>(e)]; }
  const SolidFace& face(int f) const { return solid->faces[static_cast<std::size_t>(f)]; }
  // Whether the body has surface there along the world's unit direction d.
  bool vertex_on_surface(int v, const Vector3& d) const;
  bool edge_on_surface(int e, const Vector3& d) const;
};

}  // namespace pegrasp::reference::spatial
