// SPDX-License-Identifier: Apache-2.0
// How far a facet of the configuration-space obstacle separates two convex parts, and which facet counts (docs/explanation/pair-modes.md, 2, 3, 5, 7
// and 8):
//
//   face f of one part against all of the other:    s = min_b n . b - offset_f
//   two edges whose arcs cross on the sphere of normals, n across both:    s = n . (x_b - x_a)
//   with round parts, two edges of the cores at their closest points:         s = |x_b - x_a| - r_a - r_b    (round_axis.hpp)
//
// Radii come off the first two as well. The parts do not overlap if and only if max_k s_k >= 0. All faces and all pairs of edges are looked at, none is
// allowed.
#pragma once

#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

enum class FacetKind : int { none = 0, face_of_a, face_of_b, edges, round };

struct Facet {
  FacetKind kind = FacetKind::none;
  int i = 0;  // face, or edge of a
  int j = 0;  // edge of b
  bool operator==(const Facet&) const = default;
};

constexpr double nothing_separates = -1e300;

// Common normal of two edges, outward from a; zero where they are too parallel to have one.
Vector3 common_normal(const PlacedSolid& a, int i, const PlacedSolid& b, int j);

// Outward unit normal from a to b of a facet; zero of edges that have become parallel.
Vector3 facet_normal(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b);

// A pair at one pose: the best facet that may carry force, and the largest s of those at internal edges, which may not.
struct PairSeparation {
  double s = nothing_separates;
  Facet facet;
  double internal_edge = nothing_separates;
  double lead = 1e300;  // [m] over the best facet of another direction: hardly any means that rounding chose
  double value() const { return s > internal_edge ? s : internal_edge; }
};
// `reach` [m]: edges at internal edges that are farther than this from the other part's box do not count, where nothing else tells that the parts overlap: the
// surfaces that they belong to are not what meets.
constexpr double everywhere = 1e300;
PairSeparation best_separation(const PlacedSolid& a, const PlacedSolid& b, double reach = everywhere);
// Whether their boxes, grown by eps [m] together, meet; of a half-space and another part, whether they are no farther apart.
bool within_reach(const PlacedSolid& a, const PlacedSolid& b, double eps);

// The facet that is violated latest along the motion from the first placements to the second ones:
//   score = 2 + s1           where s1 >= 0,
//           s0 / (s0 - s1)   where s0 > 0 > s1: the fraction of the motion after which it fails;
// without any s0 > 0, up to a tie: the largest s0. Facets come in an order, and one that is ahead by a tie alone does not replace the chosen. A pair of edges that is a facet at one end alone separates, at the other, as much as its axis does
// with all of both parts. `through`: the motion may lead right through a part, so a facet with s0 < 0 <= s1 counts only if it begins to
// separate before the last of the others ceases to.
struct LatestFacet {
  double s0_max = nothing_separates;  // over the facets that may carry force
  Facet facet;
  double s1 = nothing_separates;  // of the chosen facet
  double lead = 1e300;            // as above
  double internal_edge0 = nothing_separates,
         internal_edge1 = nothing_separates;  // largest over the facets at internal edges, start and end
};
LatestFacet latest_facet(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                         bool through, double reach = everywhere);

}  // namespace pegrasp::reference::spatial
