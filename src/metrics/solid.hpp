// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra for the measures solid_overlap.hpp and solid_distance.hpp, which also check the contacts of the
// engine: checks of the input, the volume, and a pair of solids in one frame. No code is shared with the contacts of
// the engine, so that the two are independent.
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

// How far a vertex may stand out of a face, relative to the size of the solid. Of solids from elsewhere it is well
// above the rounding of coordinates that were read from text, and well below any feature that matters: a solid with
// dents would be measured as its hull. The parts of a scene come from make_polyhedron(), which has decided how flat
// their faces are; of them only one that is inside out is refused.
inline constexpr double dent_tolerance = 1e-9;
inline constexpr double part_dent_tolerance = 0.5;

// Throws std::invalid_argument, one line, when the solid is open, inside out, not convex by more than the tolerance, or
// has coordinates that are not finite.
void check_solid(const ConvexSolid& solid, double tolerance = dent_tolerance);

// Volume [m^3]. Throws as check_solid().
double solid_volume(const ConvexSolid& solid, double tolerance = dent_tolerance);

namespace solids {

// A closed surface: every directed edge of the faces occurs once, and its reverse once.
struct Shell {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;
};

// The half-space dot(normal, x) <= offset. The normal is a unit vector, or zero where a face has no area.
struct HalfSpace {
  Vec3 normal;
  double offset = 0.0;

  bool has_direction() const { return dot(normal, normal) > 0.0; }
};

}  // namespace solids

// A solid that was checked, with the values that do not depend on its pose. The measures take this class, so that a
// solid that is measured at many poses is checked once. A ConvexSolid converts to it.
class CheckedSolid {
 public:
  CheckedSolid() = default;
  CheckedSolid(ConvexSolid solid, double tolerance = dent_tolerance);  // throws as check_solid()

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

// A solid in a frame with the world's axes. `sides` has one half-space per face, which contains every point of the
// solid. `faces` and `edges` point into the solid that was placed, which must outlive this.
struct PlacedSolid {
  std::vector<Vec3> points;
  std::vector<HalfSpace> sides;
  const std::vector<std::vector<int>>* faces;
  const std::vector<std::array<int, 2>>* edges;
};

// Two solids in one frame, whose origin is that of the smaller solid. The distance from the world's origin then costs
// no digits, and the size of the larger solid costs only the digits that its own turn costs.
struct PlacedPair {
  PlacedSolid a;
  PlacedSolid b;
  Vec3 origin;
  bool a_is_smaller = true;
};

PlacedPair place_pair(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                      const SpatialPose& pose_b);

// Volume inside the surface [m^3]. It is summed about the middle of the points, so that a tiny shell loses no digits.
double shell_volume(const Shell& shell);

// The surface of a solid in its own coordinates, without checks.
Shell shell_of(const ConvexSolid& solid);

}  // namespace solids
}  // namespace pegrasp
