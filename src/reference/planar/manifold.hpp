// SPDX-License-Identifier: Apache-2.0
// The contact points of a facet (docs/explanation/pair-modes.md): the support corner against the feature, or the two
// inner ends of the overlap where an edge lies nearly flat on an edge.
//
//   corner (c, r) against an edge with normal n:  psi = n . c - offset - r, at the point c - r n
//   corner against corner:                        psi = |c_b - c_a| - r_a - r_b, at c_b - r_b n
//
// The arms of both bodies end in that point, which makes the row the exact gradient of psi.
#pragma once

#include <array>
#include <vector>

#include "src/reference/common/shell.hpp"
#include "src/reference/planar/separation.hpp"

namespace pegrasp::reference {

// Identifies the touching features of a pair of parts: which part the edge belongs to, if any, and the indices. The
// impulse of a contact is kept by this key.
using FeatureKey = std::array<int, 3>;

struct ContactPoint {
  Point position;  // world
  Point normal;    // from a to b
  double gap = 0.0;
  FeatureKey key{};
  double round = 0.0, round_other = 0.0;  // [m] radius of the corner that the point is on; of two corners the other's
  Role role = Role::both;
};

// At most two contacts, or eleven of a smooth part on an edge. Edges whose directions differ by less than `flat_sine`
// [rad] touch along their overlap.
struct SmoothContacts {
  double tolerance = 0.0;    // [m] a smooth part counts as flat up to a quarter of it
  double flat_radius = 0.0;  // [m] of curvature; where it is rounder its nearest point alone touches
};
std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b,
                                      double flat_sine, const SmoothContacts& smooth = {});

// Whether the contact is the nearest point of a smooth part, which moves along that; others of it are material points.
bool moves_along_part(const ContactPoint& contact, const PlacedOutline& a, const PlacedOutline& b);

// The one of the two edges beside a corner that faces the direction d more squarely; -1 if none faces it.
int incident_edge(const PlacedOutline& q, int corner, const Point& d);

}  // namespace pegrasp::reference
