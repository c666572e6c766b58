// SPDX-License-Identifier: Apache-2.0
// The contact points of a facet in 3D (docs/explanation/pair-modes.md). For a face: what of the other part
// lies flat on it, clipped to the face. For two edges: their closest points; the ends of their overlap if they are
// nearly parallel; the ends of a patch for round edges that cross at a small angle.
//
// The gap of a point x of a core of radius r against a face is n . x - offset - r. The contact lies on the surface of b
// or of the round part, at x - r n. The arms of both bodies end there, which makes the row the exact gradient of the
// gap.
#pragma once

#include <array>
#include <vector>

#include "src/reference/common/shell.hpp"
#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {

// Identifies the touching features of a pair of parts. The impulse of a contact is kept by this key.
using FeatureKey = std::array<int, 4>;

struct ContactPoint {
  Vector3 position;  // world
  Vector3 normal;    // from a to b
  double gap = 0.0;
  FeatureKey key{};
  double round = 0.0, round_other = 0.0;  // [m] radius of the part that has the point, and of the other
  Role role = Role::both;
};

// Directions across the axes of two parts that are cylinders, in their bodies' frames: where a rim was deepest in
// earlier passes of a step, the last one first. shell: the pair has one.
struct EarlierRims {
  std::vector<Vector3> of_a, of_b;
  bool shell = false;
};

// Features whose directions differ by less than `flat_sine` (sine) touch along each other. A face is widened by `slack`
// [m] before what lies on it is clipped.
// rims: also touched there.
std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine,
                                      double slack, const EarlierRims& rims = {});

// The feature of the core of q, with vertices, that lies flat on a face with the outward normal n.
std::vector<Vector3> resting_points(const PlacedSolid& q, const Vector3& n, double flat_sine);

// Where a face of one part and what lies flat on it of the other touch. resting: that feature of the other part's core.
struct FaceRegion {
  std::vector<Vector3> resting;
  std::vector<ContactPoint> points;  // the corners of the region, or the deepest vertex where there is none
  bool over = false;                 // there is a region
};
FaceRegion region_on_face(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine);

}  // namespace pegrasp::reference::spatial
