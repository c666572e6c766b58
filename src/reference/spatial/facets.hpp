// SPDX-License-Identifier: Apache-2.0
// How far a facet of the configuration-space obstacle separates two convex parts, and which facet is chosen
// (docs/explanation/pair-modes.md):
//
//   face f of one part against all of the other:    s = min_b n . b - offset_f
//   two edges whose arcs cross on the sphere of normals, n across both:    s = n . (x_b - x_a)
//   with round parts, two edges of the cores at their closest points:   s = |x_b - x_a| - r_a - r_b   (round_axis.hpp)
//   with a cylinder, curved facets of a polyhedron's edge or vertex, or of both parts   (cylinder.hpp)
//
// Radii are subtracted from the first two as well. The parts do not overlap if and only if max_k s_k >= 0. All faces
// and all pairs of edges are examined; none is left out.
#pragma once

#include <functional>

#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

enum class FacetKind : int { none = 0, face_of_a, face_of_b, edges, round, curved_edge, curved_vertex };

struct Facet {
  FacetKind kind = FacetKind::none;
  int i = 0;  // face, or edge of a; of curved facets edge or vertex of the polyhedron
  int j = 0;  // edge of b
  bool operator==(const Facet&) const = default;
};

constexpr double nothing_separates = -1e300;

// The common normal of two edges, outward from a. It is zero if they are too parallel to have one.
Vector3 common_normal(const PlacedSolid& a, int i, const PlacedSolid& b, int j);

// The unit normal of a facet, outward from a to b. It is zero for edges that have become parallel.
Vector3 facet_normal(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b);

// A pair at one pose: the best facet that may carry force, and the largest s of the facets at internal edges, which may
// not.
struct PairSeparation {
  double s = nothing_separates;
  Facet facet;
  double internal_edge = nothing_separates;
  double lead = 1e300;  // [m] over the best facet of another direction: hardly any means that rounding chose
  double value() const { return s > internal_edge ? s : internal_edge; }
};
// `reach` [m]: internal edges farther than this from the box of the other part do not count, unless something else
// shows that the parts overlap. The surfaces that they belong to are not the ones that meet.
constexpr double everywhere = 1e300;
PairSeparation best_separation(const PlacedSolid& a, const PlacedSolid& b, double reach = everywhere);
// Whether the boxes of the parts, grown by eps [m] together, meet. For a half-space and another part: whether they are
// no farther apart than eps.
bool within_reach(const PlacedSolid& a, const PlacedSolid& b, double eps);

// The facet that is violated latest along the motion from the first placements to the second ones. Its score is the
// largest:
//   score = 2 + s1           where s1 >= 0,
//           s0 / (s0 - s1)   where s0 > 0 > s1: the fraction of the motion after which the facet fails;
// if no facet has s0 > 0, up to a tie, the facet with the largest s0 is chosen. Facets come in a fixed order, and a
// facet that is better only by a tie does not replace the chosen one. A pair of edges that is a facet at one end only
// separates, at the other end, as much as its axis does with all of both parts. `through`: the motion may lead through
// a whole part. Then a facet with s0 < 0 <= s1 counts only if it begins to separate before the last of the others
// ceases to.
struct LatestFacet {
  double s0_max = nothing_separates;  // over the facets that may carry force
  Facet facet;
  double s0 = nothing_separates, s1 = nothing_separates;  // of the chosen facet
  double lead = 1e300;                                    // as above
  double internal_edge0 = nothing_separates,
         internal_edge1 = nothing_separates;  // largest over the facets at internal edges, start and end
};
// counts(facet, s0): whether a facet takes part; all do where it is empty.
using FacetFilter = std::function<bool(const Facet&, double s0)>;
LatestFacet latest_facet(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                         bool through, double reach = everywhere, const FacetFilter& counts = {});

// A facet and its lead.
struct ChosenFacet {
  Facet facet;
  double s = nothing_separates;  // there [m]
  double lead = 1e300;
};
// Of the facets that may carry force and that count, the one that separates most at the second placements, up to a tie.
ChosenFacet last_to_separate(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1, const PlacedSolid& b1,
                             const FacetFilter& counts);

}  // namespace pegrasp::reference::spatial
