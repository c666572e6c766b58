// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/manifold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pegrasp::reference {
namespace {

FacetKind other(FacetKind kind) { return kind == FacetKind::edge_of_a ? FacetKind::edge_of_b : FacetKind::edge_of_a; }

// The contact of corner `corner` of q with edge e of p. kind: the part that the edge belongs to.
ContactPoint corner_on_edge(const PlacedOutline& p, int e, const PlacedOutline& q, int corner, FacetKind kind) {
  const Point n = p.normals.col(e);
  const Point c = q.centres.col(corner);
  const double r = q.outline->corner(corner).radius;
  return {c - r * n, kind == FacetKind::edge_of_a ? n : Point(-n), n.dot(c) - p.offsets[e] - r,
          FeatureKey{static_cast<int>(kind), e, corner}, r};
}

std::vector<ContactPoint> contacts_on_edge(const PlacedOutline& p, int e, const PlacedOutline& q, FacetKind kind,
                                           double flat_sine) {
  const Point n = p.normals.col(e);
  const int corner = q.support(-n).corner;
  const std::vector<ContactPoint> single{corner_on_edge(p, e, q, corner, kind)};
  const int f = incident_edge(q, corner, -n);
  if (f < 0 || !(std::abs(cross(q.normals.col(f), -n)) < flat_sine)) return single;
  // The other edge runs backwards along the tangent of this one: its head has the lower coordinate.
  const Point t = turned_left(n);
  const double q_low = t.dot(q.edge_head(f));
  const double q_high = t.dot(q.edge_tail(f));
  const bool unbounded = p.outline->half_plane();
  const double infinite = std::numeric_limits<double>::infinity();
  const double p_low = unbounded ? -infinite : t.dot(p.edge_tail(e));
  const double p_high = unbounded ? infinite : t.dot(p.edge_head(e));
  if (!(std::max(p_low, q_low) < std::min(p_high, q_high))) return single;
  return {
      q_low >= p_low ? corner_on_edge(p, e, q, q.outline->next(f), kind) : corner_on_edge(q, f, p, e, other(kind)),
      q_high <= p_high ? corner_on_edge(p, e, q, f, kind) : corner_on_edge(q, f, p, p.outline->next(e), other(kind))};
}

}  // namespace

int incident_edge(const PlacedOutline& q, int corner, const Point& d) {
  if (q.outline->edges.empty()) return -1;
  const auto facing = [&](int e) { return q.outline->edge(e).facet ? q.normals.col(e).dot(d) : -1.0; };
  const int before = q.outline->previous(corner);
  const int e = facing(before) > facing(corner) ? before : corner;
  return facing(e) > 0.0 ? e : -1;
}

std::vector<ContactPoint> contacts_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b,
                                      double flat_sine) {
  switch (facet.kind) {
    case FacetKind::none:
      return {};
    case FacetKind::edge_of_a:
      return contacts_on_edge(a, facet.i, b, facet.kind, flat_sine);
    case FacetKind::edge_of_b:
      return contacts_on_edge(b, facet.i, a, facet.kind, flat_sine);
    case FacetKind::corners:
      break;
  }
  const Point n = facet_normal(facet, a, b);
  const double length = (b.centres.col(facet.j) - a.centres.col(facet.i)).norm();
  const double radius_a = a.outline->corner(facet.i).radius;
  const double radius_b = b.outline->corner(facet.j).radius;
  return {{b.centres.col(facet.j) - radius_b * n, n, length - radius_a - radius_b,
           FeatureKey{static_cast<int>(facet.kind), facet.i, facet.j}, radius_b, radius_a}};
}

}  // namespace pegrasp::reference
