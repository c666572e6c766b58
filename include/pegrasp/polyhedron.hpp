// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra: the parts that bodies in 3D are unions of, with exact adjacency and mass properties.
//
// Polygonal faces, straight edges, vertices; every vertex has at least three faces. Faces in one plane are one face.
// What is built depends on the input alone: vertices keep their order, loops begin at their smallest vertex, faces are
// sorted by their loops, edges by (tail, head).
#pragma once

#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp {

struct PolyhedronFace {
  Vec3 normal;                // unit, outward
  double offset = 0.0;        // [m]: the solid is normal . x <= offset; holds for every vertex, as computed
  std::vector<int> vertices;  // counter-clockwise seen from outside
  std::vector<int> edges;     // edges[k] joins vertices[k] and vertices[k + 1] (cyclic)
};

// tail < head. Seen from outside with the head above the tail, `left` and `right` are where their names say: the loop
// of `left` runs from tail to head, that of `right` from head to tail.
struct PolyhedronEdge {
  int tail = 0;
  int head = 0;
  int left = 0;
  int right = 0;
};

struct Polyhedron {
  std::vector<Vec3> vertices;  // [m]
  std::vector<PolyhedronFace> faces;
  std::vector<PolyhedronEdge> edges;
  // Around each vertex, counter-clockwise seen from outside, from the smallest edge on: vertex_faces[v][k] lies between
  // vertex_edges[v][k] and vertex_edges[v][k + 1] (cyclic).
  std::vector<std::vector<int>> vertex_edges;
  std::vector<std::vector<int>> vertex_faces;
};

// Relative to the largest side of the bounding box. Corners of the hull closer than this are one vertex (the first of
// the list stays), facets whose vertices all lie this close to one plane are one face, and what then touches less than
// three faces is no vertex. What stands out by ten times this is kept; in between, facets may be merged or not, and the
// result is a closed polyhedron all the same. No vertex of the input stands out of it by more than four times this;
// where the coordinates have noise of about this size, it is doubled up to three times to find faces. A larger value
// drops features that were meant; a smaller one makes facets of rounding errors. Coordinates of single precision want
// 1e-6; far from the origin, 1e-15 times the distance must be well below.
inline constexpr double polyhedron_tolerance = 1e-10;

// Convex hull; tolerance between 1e-11 and 1e-2. Throws ShapeError for fewer than 4 vertices, non-finite ones, zero
// volume. Time grows with the number of vertices times that of facets: meant for up to some thousand corners.
Polyhedron make_polyhedron(const std::vector<Vec3>& vertices, double tolerance = polyhedron_tolerance);

// A closed mesh: polygons of vertex indices, counter-clockwise seen from outside. Vertices of equal coordinates count
// as one, vertices that no face uses are ignored. Throws ShapeError, besides, for bad indices, open or inconsistently
// oriented meshes, inside-out ones, faces that are not flat, and meshes that are not convex, to within four times the
// tolerance. The result is the hull of the vertices.
Polyhedron make_polyhedron(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces,
                           double tolerance = polyhedron_tolerance);

// The tolerance of meshes from files, relative to the largest side of the bounding box of each convex part: vertices
// within it are one vertex, and a surface that stays within it of its hull is convex. Files hold single precision
// or a few digits, and decompositions into convex parts are convex to about this. Every command reads meshes by it.
inline constexpr double mesh_tolerance = 1e-4;

// The convex part that a closed mesh from a file stands for. Vertices within the tolerance are merged first. Faces are
// made as by make_polyhedron() with 1e-6, and only where the coordinates are too coarse for that with up to the
// tolerance. Throws ShapeError as make_polyhedron() does.
Polyhedron polyhedron_of_mesh(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces,
                              double tolerance = mesh_tolerance);
// The hull of the vertices of a mesh, made in the same way.
Polyhedron hull_of_mesh(const std::vector<Vec3>& vertices, double tolerance = mesh_tolerance);

// Limits of a part in a simulation: corners of a face, and edges.
inline constexpr int most_face_corners = 32;
inline constexpr int most_part_edges = 8190;

// The polyhedron, cut into convex pieces that fill it where one of its faces has more than `most` corners. Throws
// ShapeError where more than 64 pieces would be needed.
std::vector<Polyhedron> divided(const Polyhedron& polyhedron, int most = most_face_corners);

// Turned, then moved: body coordinates to world coordinates. The turn need not be of unit length.
Polyhedron moved(const Polyhedron& polyhedron, const SpatialPose& pose);

// Symmetric 3 x 3 matrix; of an inertia, xy and so on are the elements of the matrix (products of inertia, negated).
struct InertiaTensor {
  double xx = 0.0;
  double yy = 0.0;
  double zz = 0.0;
  double xy = 0.0;
  double xz = 0.0;
  double yz = 0.0;
};

// Volume [m^3], centroid [m] and inertia about the centroid per unit density [m^5], exact but for rounding.
struct SolidProperties {
  double volume = 0.0;
  Vec3 centroid;
  InertiaTensor inertia;
};
SolidProperties solid_properties(const Polyhedron& polyhedron);

// Moments about the principal axes, which are the columns of the turn's matrix R: inertia = R diag(moments) R^T. Not
// sorted: each axis grows out of the coordinate axis in its place. Off-diagonal elements below 1e-12 of the largest
// element count as zero, so that a cube or a cylinder, however turned, has the identity and not a turn made of rounding
// errors.
struct PrincipalAxes {
  Vec3 moments;
  Quaternion turn;  // w >= 0
};
PrincipalAxes principal_axes(const InertiaTensor& inertia);

// The polyhedron moved by `shift`, so that its centroid is the origin.
struct CentredPolyhedron {
  Polyhedron polyhedron;
  Vec3 shift;  // [m], minus the centroid
};
CentredPolyhedron centred(const Polyhedron& polyhedron);

}  // namespace pegrasp
