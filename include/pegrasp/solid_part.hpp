// SPDX-License-Identifier: Apache-2.0
// Convex parts of bodies in 3D: polyhedra, spheres, capsules, half-spaces, cylinders, superellipsoids. Round parts are
// exact: nothing in the engine turns them into polyhedra.
#pragma once

#include <optional>
#include <string>

#include "pegrasp/polyhedron.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp {

enum class SolidKind { polyhedron, sphere, capsule, half_space, cylinder, superellipsoid };

// All points within `radius` of the core `shape`: of a sphere its centre (one vertex), of a capsule the segment between
// the centres of its ends (two vertices), of a polyhedron itself (radius 0). A half-space is one face without vertices.
// Of a cylinder `radius` is that about its axis: an edge between the centres of its caps, two faces without vertices,
// of which the second is at the axis' head. A superellipsoid |x/a|^n + |y/b|^n + |z/c|^n <= 1 is one vertex, the
// centre, and three faces without vertices: their normals are its axes and their offsets the half-axes a, b, c; n is
// `order`, 2 for an ellipsoid. The functions below make them.
struct SolidPart {
  std::string name;
  Polyhedron shape;  // [m], body frame: the origin is the centre of mass
  SolidKind kind = SolidKind::polyhedron;
  double radius = 0.0;  // [m]
  int order = 2;        // of a superellipsoid
  // A sphere that a body stands on: where its centre is, is a parameter of the scene (ParameterLayout::support_sphere).
  // It touches level half-spaces alone, whatever else is near.
  bool support_sphere = false;
  std::optional<CompliantShell> shell = std::nullopt;  // none: that of the body
  bool support_spheres_only = false;  // a half-space that nothing but support spheres touches: others reach through it
};

// Throw ShapeError for numbers that are not finite, radii that are not positive, ends that coincide, normals without
// direction.
SolidPart make_sphere(std::string name, Vec3 centre, double radius);
SolidPart make_capsule(std::string name, Vec3 from, Vec3 to, double radius);
// A cylinder whose caps have their centres at the two points.
SolidPart make_cylinder(std::string name, Vec3 from, Vec3 to, double radius);
// An ellipsoid, or a superellipsoid of order 2 to 16, with these half-axes [m], turned about its centre. The least
// half-axis must be at least 1/1000 of the largest.
SolidPart make_ellipsoid(std::string name, Vec3 centre, Vec3 half_axes, Quaternion turn = {}, int order = 2);
// The solid side is normal . x <= offset. The normal need not be of unit length. Of fixed and kinematic bodies only.
SolidPart make_half_space(std::string name, Vec3 normal, double offset);

// The point of a superellipsoid farthest along a direction (body frame).
Vec3 farthest_point(const SolidPart& superellipsoid, Vec3 direction);

// How far [m] the part reaches beyond its vertices along each axis of the body; 0 of polyhedra and half-spaces.
Vec3 round_reach(const SolidPart& part);

// Largest distance [m] of a point of the part from the body's origin; 0 of a half-space.
double bounding_radius(const SolidPart& part);

// Exact, as of a polyhedron. A half-space has none: all are 0.
SolidProperties solid_properties(const SolidPart& part);

}  // namespace pegrasp
