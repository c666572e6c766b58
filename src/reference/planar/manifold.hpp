// SPDX-License-Identifier: Apache-2.0
// The contacts of a facet (docs/explanation/pair-modes.md, 3): the support corner against the feature, or, where an edge lies
// nearly flat on an edge, the two inner ends of their overlap.
//
//   corner (c, r) against an edge with normal n:  psi = n . c - offset - r, at the point c - r n
//   corner against corner:                        psi = |c_b - c_a| - r_a - r_b, at c_b - r_b n
//
// Both bodies' arms go to that point, which makes the row the exact gradient of psi.
#pragma once

#include <array>
#include <vector>

#include "src/reference/planar/separation.hpp"

namespace pegrasp::reference {

// Which features touch, within a pair of parts: whose edge, or neither's, and indices. Contacts keep their impulse by
// it.
using FeatureKey = std::array<int, 3>;

struct ContactPoint {
  Point position;  // world
  Point normal;    // from a to b
  double gap = 0.0;
  FeatureKey key{};
};

// At most two. `flat_sine`: edges whose directions differ by less [rad] touch along their overlap.
std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b,
                                      double flat_sine);

}  // namespace pegrasp::reference
