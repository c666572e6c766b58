// SPDX-License-Identifier: Apache-2.0
// How far a facet of the configuration-space obstacle separates two convex parts, and which facet is chosen
// (docs/explanation/pair-modes.md).
//
//   edge e of one part against all of the other:   s = min_b n . b - offset_e                      (4)
//   two corners, r_a + r_b > 0:                    s = |c_b - c_a| - r_a - r_b, while the line of
//                                                  centres lies among the normals of both            (5)
//
// The parts do not overlap if and only if max_k s_k >= 0. All facets are examined; none is left out.
#pragma once

#include <functional>

#include "src/reference/planar/outline.hpp"

namespace pegrasp::reference {

enum class FacetKind : int { none = 0, edge_of_a, edge_of_b, corners };

struct Facet {
  FacetKind kind = FacetKind::none;
  int i = 0;  // edge, or corner of a
  int j = 0;  // corner of b
  bool operator==(const Facet&) const = default;
};

constexpr double nothing_separates = -1e300;

// The separation s of one facet at one pose. `surface`: both bodies have surface where the facet would touch
// (internal_edges.hpp).
struct FacetSeparation {
  double s = nothing_separates;
  bool surface = true;
  bool facet = true;  // corners: the line of centres lies among both corners' normals
};
FacetSeparation separation_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b);

// The unit normal of a facet in the world, outward from a to b.
Point facet_normal(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b);

// A pair at one pose: the best facet that may carry force, and the largest s of the facets at internal edges, which may
// not.
struct PairSeparation {
  double s = nothing_separates;
  Facet facet;
  double internal_edge = nothing_separates;
  double lead = 1e300;  // [m] over the best facet of another direction: hardly any means that rounding chose
  double value() const { return s > internal_edge ? s : internal_edge; }
};
PairSeparation best_separation(const PlacedOutline& a, const PlacedOutline& b);

// The facet that is violated latest along the motion from the first placements to the second ones. Its score is the
// largest:
//   score = 2 + s1           where s1 >= 0,
//           s0 / (s0 - s1)   where s0 > 0 > s1: the fraction of the motion after which the facet fails;
// if no facet has s0 > 0, the facet with the largest s0 is chosen. `through`: the motion may lead through a whole part.
// Then a facet with s0 < 0 <= s1 counts only if it begins to separate before the last of the others ceases to.
struct LatestFacet {
  double s0_max = nothing_separates;  // over the facets that may carry force
  Facet facet;
  double s0 = nothing_separates, s1 = 0.0;  // of the chosen facet
  double lead = 1e300;                      // as above
  double internal_edge0 = nothing_separates,
         internal_edge1 = nothing_separates;  // largest over the facets at internal edges, start and end
};
// counts(facet, s0): whether a facet takes part; all do where it is empty.
using FacetFilter = std::function<bool(const Facet&, double s0)>;
LatestFacet latest_facet(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                         const PlacedOutline& b1, bool through, const FacetFilter& counts = {});

// A facet and its lead.
struct ChosenFacet {
  Facet facet;
  double s = nothing_separates;  // there [m]
  double lead = 1e300;
};
// Of the facets that may carry force and that count, the one that separates most at the second placements.
ChosenFacet last_to_separate(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                             const PlacedOutline& b1, const FacetFilter& counts);

}  // namespace pegrasp::reference
