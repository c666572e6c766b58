// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/separation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/reference/planar/internal_edges.hpp"

namespace pegrasp::reference {
namespace {

bool on_surface(const PlacedOutline& p, int corner, const Point& direction) {
  const bool alone = p.outline->smooth ? p.body->size() == 1 : p.outline->corner(corner).siblings.empty();
  return alone || on_surface(*p.body, p.part, corner, p.at.direction_back(direction));
}

FacetSeparation edge_separation(const PlacedOutline& p, int e, const PlacedOutline& q) {
  const Point n = p.normals.col(e);
  const Support support = q.support(-n);
  return {-support.value - p.offsets[e], !p.outline->edge(e).covered && on_surface(q, support.corner, -n), true};
}

// The line of centres; concentric arcs may take any direction.
Point centre_line(const PlacedOutline& a, int i, const PlacedOutline& b, int j) {
  const Point way = b.centres.col(j) - a.centres.col(i);
  const double length = way.norm();
  return length > 0.0 ? Point(way / length) : Point(1.0, 0.0);
}

// The direction along which a smooth part and another corner are farthest apart.
Point smooth_direction(const PlacedOutline& a, int i, const PlacedOutline& b, int j) {
  const auto way = [&](const Point& d) { return Point(b.farthest(j, -d) - a.farthest(i, d)); };
  return widest_direction([&](const Point& d) { return d.dot(way(d)); },
                          [&](const Point& d) { return cross(d, way(d)) > 0.0; });
}

FacetSeparation smooth_separation(const PlacedOutline& a, int i, const PlacedOutline& b, int j) {
  const Point n = smooth_direction(a, i, b, j);
  FacetSeparation out;
  out.facet = a.in_normals(i, n) && b.in_normals(j, -n);
  out.surface = !out.facet || (on_surface(a, i, n) && on_surface(b, j, -n));
  out.s = out.facet ? n.dot(b.farthest(j, -n) - a.farthest(i, n)) : -b.support(-n).value - a.support(n).value;
  return out;
}

FacetSeparation corner_separation(const PlacedOutline& a, int i, const PlacedOutline& b, int j) {
  if (a.outline->smooth || b.outline->smooth) return smooth_separation(a, i, b, j);
  const Point n = centre_line(a, i, b, j);
  const double length = (b.centres.col(j) - a.centres.col(i)).norm();
  FacetSeparation out;
  out.facet = a.in_normals(i, n) && b.in_normals(j, -n);
  out.surface = !out.facet || (on_surface(a, i, n) && on_surface(b, j, -n));
  if (out.facet) {
    out.s = length - a.outline->corner(i).radius - b.outline->corner(j).radius;
  } else if (length > 0.0) {  // along that line the parts reach past their corners
    out.s = -b.support(-n).value - a.support(n).value;
  }
  return out;
}

// Calls f(facet) for all facets that the pair can have. Of equally good ones the first counts, so the order is part of
// the rule: edges of the part that has fewer of them, the other's, corners.
template <class F>
void for_each_facet(const PlacedOutline& a, const PlacedOutline& b, const F& f) {
  const auto edges = [&f](const PlacedOutline& p, const PlacedOutline& q, FacetKind kind) {
    if (q.outline->half_plane()) return;
    for (int e = 0; e < static_cast<int>(p.outline->edges.size()); ++e) {
      if (p.outline->edge(e).facet) f(Facet{kind, e, 0});
    }
  };
  const bool b_first = b.outline->edges.size() < a.outline->edges.size();
  if (b_first) edges(b, a, FacetKind::edge_of_b);
  edges(a, b, FacetKind::edge_of_a);
  if (!b_first) edges(b, a, FacetKind::edge_of_b);
  for (int i = 0; i < static_cast<int>(a.outline->corners.size()); ++i) {
    for (int j = 0; j < static_cast<int>(b.outline->corners.size()); ++j) {
      if (a.outline->corner(i).radius + b.outline->corner(j).radius > 0.0) f(Facet{FacetKind::corners, i, j});
    }
  }
}

double score(double s0, double s1) {
  if (s1 >= 0.0) return 2.0 + s1;
  return s0 > 0.0 ? s0 / (s0 - s1) : -1.0;
}

// Two facets whose normals are this close [rad] make the same contacts.
constexpr double same_direction = 1e-3;

bool directed_otherwise(const Facet& one, const Facet& other, const PlacedOutline& a, const PlacedOutline& b) {
  if (one == other) return false;
  return (facet_normal(one, a, b) - facet_normal(other, a, b)).norm() > same_direction;
}

// A facet at the start and at the end.
struct Candidate {
  Facet facet;
  double s0 = nothing_separates, s1 = nothing_separates;
  bool there() const { return facet.kind != FacetKind::none; }
  double score() const { return reference::score(s0, s1); }
  double begins() const { return s0 / (s0 - s1); }  // s0 < 0 <= s1: fraction of the motion
};

// By how much [m] `chosen` is ahead of another, by the rule that chose it.
double lead(const Candidate& chosen, const Candidate& other, bool overlap_at_start) {
  if (overlap_at_start) return chosen.s0 - other.s0;
  if (chosen.s1 >= 0.0) return chosen.s1 - other.s1;
  return other.s0 > 0.0 ? (chosen.score() - other.score()) * (other.s0 - other.s1) : chosen.s0 - other.s0;
}

}  // namespace

FacetSeparation separation_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b) {
  switch (facet.kind) {
    case FacetKind::edge_of_a:
      return edge_separation(a, facet.i, b);
    case FacetKind::edge_of_b:
      return edge_separation(b, facet.i, a);
    case FacetKind::corners:
      return corner_separation(a, facet.i, b, facet.j);
    case FacetKind::none:
      break;
  }
  return {};
}

Point facet_normal(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b) {
  switch (facet.kind) {
    case FacetKind::edge_of_a:
      return a.normals.col(facet.i);
    case FacetKind::edge_of_b:
      return -b.normals.col(facet.i);
    case FacetKind::corners:
      if (a.outline->smooth || b.outline->smooth) return smooth_direction(a, facet.i, b, facet.j);
      break;
    case FacetKind::none:
      break;
  }
  return centre_line(a, facet.i, b, facet.j);
}

PairSeparation best_separation(const PlacedOutline& a, const PlacedOutline& b) {
  PairSeparation best;
  std::vector<Candidate> all;
  for_each_facet(a, b, [&](const Facet& facet) {
    const FacetSeparation at = separation_of(facet, a, b);
    if (!at.facet) return;
    if (!at.surface) {
      best.internal_edge = std::max(best.internal_edge, at.s);
      return;
    }
    all.push_back({facet, at.s, at.s});
    if (at.s > best.s) {
      best.s = at.s;
      best.facet = facet;
    }
  });
  for (const Candidate& other : all) {
    if (directed_otherwise(other.facet, best.facet, a, b)) best.lead = std::min(best.lead, best.s - other.s0);
  }
  return best;
}

LatestFacet latest_facet(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                         const PlacedOutline& b1, bool through, const FacetFilter& counts) {
  LatestFacet out;
  Candidate at_start;     // largest s0
  Candidate chosen;       // largest score
  Candidate other_first;  // through: of those that hold only at the end, the first to begin
  Candidate other_best;   // and the one that holds most
  double best = -1.0;
  std::vector<Candidate> all;
  for_each_facet(a0, b0, [&](const Facet& facet) {
    const FacetSeparation start = separation_of(facet, a0, b0);
    const FacetSeparation end = separation_of(facet, a1, b1);
    if (!start.facet && !end.facet) return;
    const Candidate candidate{facet, start.s, end.s};
    if (!start.surface || !end.surface) {
      out.internal_edge0 = std::max(out.internal_edge0, start.s);
      if (!through || start.s >= 0.0) out.internal_edge1 = std::max(out.internal_edge1, end.s);
      return;
    }
    if (counts && !counts(facet, start.s)) return;
    all.push_back(candidate);
    if (start.s > at_start.s0) at_start = candidate;
    if (through && start.s < 0.0 && end.s >= 0.0) {
      if (!other_first.there() || candidate.begins() < other_first.begins()) other_first = candidate;
      if (!other_best.there() || candidate.s1 > other_best.s1) other_best = candidate;
    } else if (candidate.score() > best) {
      best = candidate.score();
      chosen = candidate;
    }
  });
  const Candidate holds = chosen;
  for (const Candidate& other : {other_first, other_best}) {
    if (!other.there() || !(other.score() > best) || !(other.begins() <= best)) continue;
    best = other.score();
    chosen = other;
  }
  out.s0_max = at_start.s0;
  const bool overlap = at_start.s0 <= 0.0;
  if (overlap) chosen = at_start;
  for (const Candidate& other : all) {
    if (chosen.there() && directed_otherwise(other.facet, chosen.facet, a1, b1)) {
      out.lead = std::min(out.lead, std::abs(lead(chosen, other, overlap)));
    }
  }
  // A facet that holds only at the end counts if it begins before `holds` ceases, at s0 / (s0 - s1) of the motion.
  // Where a contact is closed at the start and by the last solve that is 0 / 0: how far its s1 is from where the two
  // meet.
  if (!overlap && holds.there() && other_first.there() && directed_otherwise(other_first.facet, holds.facet, a1, b1)) {
    out.lead = std::min(out.lead, std::abs(holds.s1 - holds.s0 * other_first.s1 / other_first.s0));
  }
  out.facet = chosen.facet;
  out.s0 = chosen.s0;
  out.s1 = chosen.s1;
  return out;
}

ChosenFacet last_to_separate(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                             const PlacedOutline& b1, const FacetFilter& counts) {
  ChosenFacet out;
  Candidate best;
  std::vector<Candidate> all;
  for_each_facet(a0, b0, [&](const Facet& facet) {
    const FacetSeparation start = separation_of(facet, a0, b0);
    const FacetSeparation end = separation_of(facet, a1, b1);
    if ((!start.facet && !end.facet) || !start.surface || !end.surface || !counts(facet, start.s)) return;
    all.push_back({facet, start.s, end.s});
    if (end.s > best.s1) best = all.back();
  });
  for (const Candidate& other : all) {
    if (directed_otherwise(other.facet, best.facet, a1, b1)) out.lead = std::min(out.lead, best.s1 - other.s1);
  }
  out.facet = best.facet;
  out.s = best.s1;
  return out;
}

}  // namespace pegrasp::reference
