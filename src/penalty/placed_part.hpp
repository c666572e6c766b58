// SPDX-License-Identifier: Apache-2.0
// Convex parts where they are in the world, as penalty contacts see them.
#pragma once

#include <vector>

#include "kernels/launch/penalty_contacts.hpp"
#include "kernels/model/model.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {

// The half-space dot(normal, x) <= offset.
struct PenaltySide {
  Vec3 normal;  // unit
  double offset = 0.0;
  bool surface = true;  // false: inside another part of the body, so that it pushes nothing
};

// A polyhedron has points, loops and a side for each loop; a half-space has one side without a loop; a sphere has one
// point and a radius.
struct PenaltyShape {
  std::vector<Vec3> points;  // [m], frame of the body
  std::vector<PenaltySide> sides;
  std::vector<std::vector<int>> loops;  // of the sides: points, counter-clockwise from outside
  double round = 0.0;                   // radius of a sphere [m]
  Vec3 middle;                          // of a ball that holds the part, of this radius; negative: it has no end
  double radius = 0.0;

  bool is_sphere() const { return round > 0.0; }
  bool is_half_space() const { return points.empty(); }
};

// The shapes of all parts of a model in 3D.
std::vector<PenaltyShape> penalty_shapes(const ModelView& model);

// The same in the world.
struct PlacedPart {
  const PenaltyShape* shape = nullptr;
  std::vector<Vec3> points;
  std::vector<PenaltySide> sides;
  Vec3 middle;
};
void place_part(const PenaltyShape& shape, const PenaltyMotion& body, PlacedPart& out);

}  // namespace pegrasp
