// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/flush.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/reference/planar/manifold.hpp"

namespace pegrasp::reference {
namespace {

// How far an edge or a point reaches along a tangent.
struct Extent {
  double low, high;
};

// on_p: of the part whose edge e is the facet; on_q: of the other.
void touch_of_edge(const PlacedOutline& p, int e, const PlacedOutline& q, double around, TouchedSurface<Point>& on_p,
                   TouchedSurface<Point>& on_q, bool& over) {
  const Point n = p.normals.col(e);
  const Point t = turned_left(n);
  const int corner = q.support(-n).corner;
  const Point x = q.farthest(corner, -n);
  const bool unbounded = p.outline->half_plane();
  // Half-planes are cut off at a distance that no part reaches.
  const Extent edge = unbounded ? Extent{-1e300, 1e300} : Extent{t.dot(p.edge_tail(e)), t.dot(p.edge_head(e))};
  Extent other{t.dot(x), t.dot(x)};
  on_q = {{{x, x}}, -n};
  over = other.low >= edge.low && other.high <= edge.high;
  const int f = incident_edge(q, corner, -n);
  if (f >= 0 && std::abs(cross(q.normals.col(f), n)) < flush_flat) {
    const Point start = q.edge_head(f);
    other = {t.dot(start), t.dot(q.edge_tail(f))};
    Extent both{std::max(edge.low, other.low), std::min(edge.high, other.high)};
    over = both.low < both.high;
    if (!over) both.low = both.high = other.high <= edge.low ? other.high : other.low;  // beside: the nearer end
    const Point along = (q.edge_tail(f) - start) / (other.high - other.low);
    const double first = std::max(both.low - around, other.low);
    const double last = std::min(both.high + around, other.high);
    on_q = {{{start + (first - other.low) * along, start + (last - other.low) * along}}, q.normals.col(f)};
  }
  const Point foot = p.offsets[e] * n;
  on_p = {{{foot + std::clamp(other.low - around, edge.low, edge.high) * t,
            foot + std::clamp(other.high + around, edge.low, edge.high) * t}},
          n};
}

}  // namespace

FacetTouch<Point> touch_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b, double around) {
  FacetTouch<Point> touch;
  auto& [on_a, on_b] = touch.on;
  if (facet.kind == FacetKind::edge_of_a) {
    touch_of_edge(a, facet.i, b, around, on_a, on_b, touch.over);
  } else if (facet.kind == FacetKind::edge_of_b) {
    touch_of_edge(b, facet.i, a, around, on_b, on_a, touch.over);
  } else {
    const Point n = facet_normal(facet, a, b);
    const Point at_a = a.farthest(facet.i, n);
    const Point at_b = b.farthest(facet.j, -n);
    on_a = {{{at_a, at_a}}, n};
    on_b = {{{at_b, at_b}}, -n};
  }
  return touch;
}

bool reaches_beyond(const PlacedOutline& part, const Point& x, const Point& out, double slack) {
  if (!part.outline->half_plane()) return part.support(out).value - out.dot(x) > slack;
  constexpr double level = 1e-6;
  const Point n = part.normals.col(0);
  if (n.dot(out) <= 0.0 || std::abs(cross(n, out)) > level) return true;
  return part.offsets[0] - n.dot(x) > slack;
}

CoveredSpan covered_span(const PlacedOutline& part, const Point& from, const Point& to, double slack) {
  CoveredSpan span;
  if (part.outline->edges.empty()) return {1.0, -1.0};
  const auto keep = [&](const Point& n, double offset) { span.keep(n.dot(from) - offset, n.dot(to) - offset); };
  for (Eigen::Index e = 0; e < part.normals.cols(); ++e) keep(part.normals.col(e), part.offsets[e] + slack);
  for (int i = 0; i < static_cast<int>(part.outline->corners.size()); ++i) {
    const OutlineCorner& corner = part.outline->corner(i);
    if (corner.radius == 0.0) continue;
    // Arcs wider than a right angle have several chords.
    const Point first = part.normals.col(part.outline->previous(i));
    double turn = std::atan2(cross(first, part.normals.col(i)), first.dot(part.normals.col(i)));
    if (turn < -1e-9) turn += 2.0 * std::numbers::pi;
    const int pieces = std::max(1, static_cast<int>(std::ceil(2.0 * turn / std::numbers::pi - 1e-9)));
    for (int k = 0; k < pieces; ++k) {
      const double middle = turn * (k + 0.5) / pieces;
      const Point n = std::cos(middle) * first + std::sin(middle) * turned_left(first);
      const double half = std::cos(0.5 * turn / pieces);
      keep(2.0 * half * n, 2.0 * half * (n.dot(part.centres.col(i)) + corner.radius * half) + slack);
    }
  }
  return span;
}

}  // namespace pegrasp::reference
