// SPDX-License-Identifier: Apache-2.0
// Pairs with an exact cylinder: their facets and how far these separate the parts. With the support functions h of
// both, the separation along a unit vector n from a to b is s(n) = -h_a(n) - h_b(-n). Facets are the faces of the other
// part and the caps, and curved ones where s peaks on the normals of a polyhedron's edge or vertex, or, of a sphere, a
// capsule or another cylinder, over all directions that are no cap's. Peaks are found by halving arcs on which the
// derivative of s changes its sign.
#pragma once

#include <vector>

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {

// A cylinder in the world: `ends` are the middles of its caps, u leads from the first to the second.
struct Roller {
  Vector3 ends[2];
  Vector3 u;
  double radius;

  Vector3 out(int cap) const { return cap == 0 ? Vector3(-u) : u; }
  Vector3 across(const Vector3& d) const { return d - d.dot(u) * u; }
  // The point of a rim farthest along d, or its middle where d has no direction across the axis.
  Vector3 on_rim(int cap, const Vector3& d) const;
  // The end that is farther along d; the first of equals.
  int farther_end(const Vector3& d) const { return d.dot(u) > 0.0 ? 1 : 0; }
};
Roller roller(const PlacedSolid& part);

// Whether a part is a cylinder, or smooth (smooth.hpp): all such pairs have curved facets.
bool with_curved(const PlacedSolid& a, const PlacedSolid& b);
// Whether b is the cylinder seen from a, the other part; of two cylinders it is b. A smooth part comes before a
// cylinder.
bool curved_is_b(const PlacedSolid& a, const PlacedSolid& b);

// The point of a whole part, with its radius, farthest along the unit vector d; not of half-spaces.
Vector3 farthest_point_of(const PlacedSolid& part, const Vector3& d);
double separation_of_all(const Vector3& n, const PlacedSolid& a, const PlacedSolid& b);

// All facets of the pair, in the order in which the first of equals counts.
std::vector<Facet> cylinder_facets(const PlacedSolid& a, const PlacedSolid& b);

// The direction of a curved facet, from a to b. `there`: s peaks on the normals of that feature.
struct CurvedPeak {
  Vector3 n;
  bool there = false;
};
CurvedPeak curved_peak(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b);
bool curved_on_surface(const Facet& facet, const Vector3& n, const PlacedSolid& a, const PlacedSolid& b);

}  // namespace pegrasp::reference::spatial
