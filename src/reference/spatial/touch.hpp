// SPDX-License-Identifier: Apache-2.0
// The contacts of a facet in 3D (docs/explanation/pair-modes.md, 3 and 8): what of one part lies flat on the other's face, clipped to that face, or two
// edges at their closest points, nearly parallel ones at the ends of their overlap, round ones that cross at a small angle at the ends of a patch.
// The gap of a point x of a core of radius r against a face is n . x - offset - r. The contact lies on b's or the round part's surface, at x - r n; both
// bodies' arms go there, which makes the row the exact gradient of the gap.
#pragma once

#include <array>
#include <vector>

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {

// Which features touch, within a pair of parts. Contacts keep their impulse by it.
using FeatureKey = std::array<int, 4>;

struct ContactPoint {
  Vector3 position;  // world
  Vector3 normal;    // from a to b
  double gap = 0.0;
  FeatureKey key{};
};

// `flat_sine`: features whose directions differ by less (sine) touch along each other. `slack` [m]: by how much a face is widened before
// what lies on it is clipped.
std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine,
                                      double slack);

}  // namespace pegrasp::reference::spatial
