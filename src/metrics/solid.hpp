// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra as the oracles of space see them (solid_overlap.hpp, solid_distance.hpp): the check of what they are
// given, their volume, and a pair of them in one frame. By intention nothing here is shared with the engine's contacts.
#pragma once

#include <array>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {

// A closed convex polyhedron in its body frame [m]. Faces are loops of indices of vertices, counter-clockwise seen from
// outside; every edge is in two of them, once in each direction. Faces may lie in one plane, edges and faces may be of
// size zero, vertices may coincide: a solid that was cut has all of these. Without faces it is empty.
struct ConvexSolid {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
};

// std::invalid_argument with one line on what is wrong where the solid is open, inside out, not convex (by more than a
// billionth of its size) or holds numbers that are not finite.
void check_solid(const ConvexSolid& solid);

// Volume [m^3]. The solid is checked.
double solid_volume(const ConvexSolid& solid);

namespace solids {

// Closed surface: every directed edge of the faces occurs once, and its reverse once.
struct Shell {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;
};

// Where dot(normal, x) <= offset. The normal is of length one, or zero where a face has no area and so no direction.
struct HalfSpace {
  Vec3 normal;
  double offset = 0.0;

  bool has_direction() const { return dot(normal, normal) > 0.0; }
};

}  // namespace solids

// A solid that was checked, once, with what does not depend on its pose. Measures take these, so that a solid measured at
// many poses need not be checked for each; a ConvexSolid becomes one on the way.
class CheckedSolid {
 public:
  CheckedSolid() = default;
  CheckedSolid(ConvexSolid solid);  // throws as check_solid()

  const ConvexSolid& solid() const { return solid_; }
  bool empty() const { return solid_.faces.empty(); }
  double extent() const { return extent_; }
  const std::vector<Vec3>& normals() const { return normals_; }
  const std::vector<std::array<int, 2>>& edges() const { return edges_; }

 private:
  ConvexSolid solid_;
  double extent_ = 0.0;                    // [m] of the vertices from their middle
  std::vector<Vec3> normals_;              // of faces, body frame; zero where a face has no direction
  std::vector<std::array<int, 2>> edges_;  // smaller index first
};

namespace solids {

// A solid in a frame with the world's axes; sides: one half-space per face, each of which holds every point of it. Faces and
// edges are those of the solid that was placed, which must outlive this.
struct PlacedSolid {
  std::vector<Vec3> points;
  std::vector<HalfSpace> sides;
  const std::vector<std::vector<int>>* faces;
  const std::vector<std::array<int, 2>>* edges;
};

// Two solids in one frame, with the origin at the pose of the smaller of them: the distance from the world's origin costs
// no digits, and the size of the larger only those that its own turn costs.
struct PlacedPair {
  PlacedSolid a;
  PlacedSolid b;
  Vec3 origin;
  bool a_is_smaller = true;
};

PlacedPair place_pair(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                      const SpatialPose& pose_b);

// Volume inside the surface; summed about a point among the shell's own, so that a tiny shell loses no digits.
double shell_volume(const Shell& shell);

// A solid's own coordinates, unchecked.
Shell shell_of(const ConvexSolid& solid);

}  // namespace solids
}  // namespace pegrasp
