// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/manifold.hpp"

#include <algorithm>
#include <array>
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

// The point of a smooth part that is farthest along d, as a contact with edge e. name: 0 for the nearest point.
ContactPoint smooth_point_on_edge(const PlacedOutline& p, int e, const PlacedOutline& q, const Point& d, FacetKind kind,
                                  int name) {
  const Point n = p.normals.col(e);
  const Point x = q.farthest(0, d);
  return {x, kind == FacetKind::edge_of_a ? n : Point(-n), n.dot(x) - p.offsets[e],
          FeatureKey{static_cast<int>(kind), e, name}, name == 0 ? q.round(0, d) : 0.0};
}

constexpr double flat_at_rest = 0.05;  // [rad] of edges of bodies that do not turn
constexpr double flat_share = 0.25;    // of the tolerance, by which the ends of a flat side lie back

// The direction on one hand along which the farthest point lies back by about `sagitta`, as the slope by which it
// turns.
double slope_of_sagitta(const PlacedOutline& q, const Point& d, double hand, double sagitta) {
  const Point nearest = q.farthest(0, d);
  double slope = std::sqrt(2.0 * sagitta / q.round(0, d));
  for (int k = 0; k < 3; ++k) {
    const double back = d.dot(nearest - q.farthest(0, (d + hand * slope * turned_left(d)).normalized()));
    slope = std::min(1.0, slope * std::sqrt(sagitta / std::max(back, 1e-3 * sagitta)));
  }
  return slope;
}

// The point of a smooth part q that is farthest along d over `end`: between the chord of its outermost points on either
// hand, which lies within it, and the tangent across d.
Point smooth_over(const PlacedOutline& q, const Point& d, const Point& end) {
  const Point t = turned_left(d);
  const Point first = q.farthest(0, -t), last = q.farthest(0, t);
  const double share = t.dot(end - first) / t.dot(last - first);
  double in = d.dot(first + share * (last - first) - end), out = d.dot(q.farthest(0, d) - end);
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (in + out);
    (q.outline->smooth->distance(q.at.back(end + middle * d)) > 0.0 ? out : in) = middle;
  }
  return end + in * d;
}

// The nearest point; on either side points of a flat side in ever larger distances, or else one that lies beyond the
// nearest by a quarter of the tolerance, or as far along as the parts turn; and one as far along as edges that are flat
// on edges may turn. The point over the end of the edge stands for those beyond it.
void add_beside_nearest(const PlacedOutline& p, int e, const PlacedOutline& q, FacetKind kind, double flat_sine,
                        const SmoothContacts& smooth, std::vector<ContactPoint>& out) {
  const Point n = p.normals.col(e);
  const Point d = -n;
  const double sagitta = flat_share * smooth.tolerance;
  std::array<bool, 2> beyond{};
  const auto add = [&](Point x, int hand, int name) {
    if (beyond.at(hand)) return;
    if (!p.outline->half_plane()) {
      const Point end = hand == 0 ? p.edge_head(e) : p.edge_tail(e);
      beyond.at(hand) = (x - end).dot(turned_left(d)) * (hand == 0 ? -1.0 : 1.0) > 0.0;
      if (beyond.at(hand)) x = smooth_over(q, d, end);
    }
    out.push_back({x, kind == FacetKind::edge_of_a ? n : d, n.dot(x) - p.offsets[e],
                   FeatureKey{static_cast<int>(kind), e, name}, 0.0});
  };
  const auto turned = [&](int hand, double slope, int name) {
    add(q.farthest(0, (d + (hand == 0 ? -slope : slope) * turned_left(d)).normalized()), hand, name);
  };
  const bool flat = q.outline->smooth->has_flat_side(q.at.direction_back(d), flat_sine);
  const auto side = [&](double back, double hand) {  // on a hand of the curve's own, seen from its middle
    return Point(q.at(q.outline->smooth->back_on_side(q.at.direction_back(d), back, hand)));
  };
  for (int k = 0; flat && k < 3; ++k) {
    for (const int hand : {0, 1}) {
      const double back = sagitta * std::pow(64.0, k);
      const Point x = side(back, hand == 0 ? -1.0 : 1.0);
      add(x, turned_left(d).dot(x - side(0.0, 1.0)) > 0.0 ? 1 : 0, 5 + 2 * k + hand);
    }
  }
  for (const int hand : {0, 1}) {
    const double sign = hand == 0 ? -1.0 : 1.0;
    const double near = flat ? 0.0 : slope_of_sagitta(q, d, sign, sagitta) + flat_sine - flat_at_rest;
    if (!flat) turned(hand, near, 1 + hand);
    if (near < 0.5 * flat_sine) turned(hand, flat_sine, 3 + hand);
  }
}

// Whether a smooth part is so flat along d that its nearest point is not enough.
bool is_flat_along(const PlacedOutline& q, const Point& d, double flat_sine, const SmoothContacts& smooth) {
  constexpr double flat_in_any_case = 5.0;  // half-axes
  return q.outline->smooth->has_flat_side(q.at.direction_back(d), flat_sine) ||
         q.round(0, d) >= std::min(smooth.flat_radius, flat_in_any_case * q.outline->smooth->longest());
}

std::vector<ContactPoint> smooth_contacts(const PlacedOutline& p, int e, const PlacedOutline& q, FacetKind kind,
                                          double flat_sine, const SmoothContacts& smooth) {
  const Point d = -p.normals.col(e);
  std::vector<ContactPoint> out{smooth_point_on_edge(p, e, q, d, kind, 0)};
  if (is_flat_along(q, d, flat_sine, smooth)) add_beside_nearest(p, e, q, kind, flat_sine, smooth, out);
  return out;
}

// A corner of p touches q. Where an edge beside it is nearly flat on q, the parts come to points of that when they
// turn: they keep the cores apart.
void add_beside_corner(const PlacedOutline& p, int corner, const PlacedOutline& q, const Point& n, FacetKind kind,
                       double flat_sine, const SmoothContacts& smooth, std::vector<ContactPoint>& out) {
  constexpr int over_edge = 13;
  const int e = incident_edge(p, corner, n);
  if (e < 0 || !(std::abs(cross(p.normals.col(e), n)) < flat_sine)) return;
  const Point d = -p.normals.col(e);
  if (!is_flat_along(q, d, flat_sine, smooth)) return;
  const std::size_t first = out.size();
  const ContactPoint nearest = smooth_point_on_edge(p, e, q, d, kind, over_edge);
  const double at = turned_left(d).dot(nearest.position);
  if (at > turned_left(d).dot(p.edge_head(e)) && at < turned_left(d).dot(p.edge_tail(e))) out.push_back(nearest);
  add_beside_nearest(p, e, q, kind, flat_sine, smooth, out);
  for (std::size_t i = first; i < out.size(); ++i) out[i].role = Role::core_alone;
}

// Flat sides of two smooth parts on each other: the ends of each that lie over the other, against its tangent.
void add_flat_ends(const PlacedOutline& a, const PlacedOutline& b, double flat_sine, double tolerance,
                   std::vector<ContactPoint>& out) {
  if (!a.outline->smooth || !b.outline->smooth) return;
  const ContactPoint nearest = out.front();
  const Point n = nearest.normal;
  const auto flat = [&](const PlacedOutline& p, const Point& d) {
    return p.outline->smooth->has_flat_side(p.at.direction_back(d), flat_sine);
  };
  if (!flat(a, n) || !flat(b, -n)) return;
  const auto end = [&](const PlacedOutline& p, const Point& d, double hand) {
    return p.at(p.outline->smooth->back_on_side(p.at.direction_back(d), flat_share * tolerance, hand));
  };
  const std::array<Point, 2> ends_a{end(a, n, -1.0), end(a, n, 1.0)}, ends_b{end(b, -n, -1.0), end(b, -n, 1.0)};
  const Point t = turned_left(n);
  const auto between = [&](const Point& x, const std::array<Point, 2>& ends) {
    const auto [low, high] = std::minmax(t.dot(ends[0]), t.dot(ends[1]));
    return t.dot(x) >= low && t.dot(x) <= high;
  };
  const Point on_a = nearest.position - nearest.gap * n;
  for (const std::size_t hand : {0u, 1u}) {
    const int name = 1 + static_cast<int>(hand);
    if (between(ends_b[hand], ends_a)) {
      out.push_back({ends_b[hand], n, n.dot(ends_b[hand] - on_a),
                     FeatureKey{static_cast<int>(FacetKind::edge_of_a), 0, name}, 0.0});
    }
    if (between(ends_a[hand], ends_b)) {
      out.push_back({ends_a[hand], n, n.dot(nearest.position - ends_a[hand]),
                     FeatureKey{static_cast<int>(FacetKind::edge_of_b), 0, name}, 0.0});
    }
  }
}

// With a shell: a spring at the nearest point of a smooth part, or one at either end of where a flat side of it lies on
// p's edge or, without p, on another such side. e: the edge. The flat side ends where it lies back, or at the nearest
// point where that is farther out; the edge cuts it.
constexpr int first_end = 5;  // names of the ends
constexpr int first_cut = 11;
void place_springs(const PlacedOutline* p, int e, double tolerance, std::vector<ContactPoint>& points) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < points.size(); ++i) {
    points[i].role = Role::core_alone;
    if (p == nullptr || points[i].key[2] == first_end || points[i].key[2] == first_end + 1) ends.push_back(i);
  }
  if (ends.empty()) return;
  const Point t = turned_left(p == nullptr ? points[0].normal : Point(p->normals.col(e)));
  ends.push_back(0);
  const auto before = [&](std::size_t i, std::size_t k) {
    return t.dot(points[i].position) < t.dot(points[k].position);
  };
  const std::size_t low = *std::min_element(ends.begin(), ends.end(), before);
  const std::size_t high = *std::max_element(ends.begin(), ends.end(), before);
  const ContactPoint from = points[low], to = points[high];
  const double start = t.dot(from.position), stop = t.dot(to.position);
  double first = start, last = stop;
  if (p != nullptr && !p->outline->half_plane()) {
    first = std::max(start, t.dot(p->edge_tail(e)));
    last = std::min(stop, t.dot(p->edge_head(e)));
    if (!(first < last)) return;
    if (first <= start + tolerance) first = start;  // a point that has been cut before
    if (last >= stop - tolerance) last = stop;
  }
  points[0].role = Role::core_alone;
  const auto spring = [&](std::size_t i, double own, double at, int name) {
    if (at == own) {
      points[i].role = Role::both;
      return;
    }
    const double share = (at - start) / (stop - start);
    ContactPoint cut = from;
    cut.position += share * (to.position - from.position);
    cut.gap += share * (to.gap - from.gap);
    cut.key[2] = name;
    cut.round = 0.0;
    cut.role = Role::spring_alone;
    points.push_back(cut);
  };
  spring(low, start, first, first_cut);
  spring(high, stop, last, first_cut + 1);
}

// A corner of p that touches a flat side of q, beside an edge that lies flat on that: the spring at the other end of
// what lies on each other, if there is one. n: the contact's normal, from p; on_q: its point on q.
void add_far_spring(const PlacedOutline& p, int corner, const PlacedOutline& q, const Point& n, const Point& on_q,
                    FacetKind kind, double flat_sine, double tolerance, std::vector<ContactPoint>& points) {
  const int e = incident_edge(p, corner, n);
  if (e < 0 || !(std::abs(cross(p.normals.col(e), n)) < flat_sine)) return;
  const Eigen::Vector2d own = q.at.direction_back(-n);
  if (!q.outline->smooth->has_flat_side(own, flat_sine)) return;
  const Point normal = p.normals.col(e);
  const bool ends_here = e != corner;
  const Point t = ends_here ? Point(-turned_left(normal)) : turned_left(normal);
  const double edge = t.dot((ends_here ? p.edge_tail(e) : p.edge_head(e)) - on_q);
  Point end = on_q;
  for (const double hand : {-1.0, 1.0}) {
    const Point x = q.at(q.outline->smooth->back_on_side(own, flat_share * tolerance, hand));
    if (t.dot(x - end) > 0.0) end = x;
  }
  const double way = t.dot(end - on_q);
  if (!(way > 0.0) || !(edge > 0.0)) return;
  const Point x = on_q + std::min(1.0, edge / way) * (end - on_q);
  points.push_back({x, kind == FacetKind::edge_of_a ? normal : Point(-normal), normal.dot(x) - p.offsets[e],
                    FeatureKey{static_cast<int>(kind), e, first_cut}, 0.0, 0.0, Role::spring_alone});
}

std::vector<ContactPoint> contacts_on_edge(const PlacedOutline& p, int e, const PlacedOutline& q, FacetKind kind,
                                           double flat_sine, const SmoothContacts& smooth) {
  if (q.outline->smooth) {
    std::vector<ContactPoint> out = smooth_contacts(p, e, q, kind, flat_sine, smooth);
    place_springs(&p, e, smooth.tolerance, out);
    return out;
  }
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
                                      double flat_sine, const SmoothContacts& smooth) {
  switch (facet.kind) {
    case FacetKind::none:
      return {};
    case FacetKind::edge_of_a:
      return contacts_on_edge(a, facet.i, b, facet.kind, flat_sine, smooth);
    case FacetKind::edge_of_b:
      return contacts_on_edge(b, facet.i, a, facet.kind, flat_sine, smooth);
    case FacetKind::corners:
      break;
  }
  const Point n = facet_normal(facet, a, b);
  if (a.outline->smooth || b.outline->smooth) {
    const Point x = b.farthest(facet.j, -n);
    std::vector<ContactPoint> out{{x, n, n.dot(x - a.farthest(facet.i, n)),
                                   FeatureKey{static_cast<int>(facet.kind), facet.i, facet.j}, b.round(facet.j, -n),
                                   a.round(facet.i, n)}};
    add_flat_ends(a, b, flat_sine, smooth.tolerance, out);
    place_springs(nullptr, 0, smooth.tolerance, out);
    const ContactPoint first = out.front();
    if (!a.outline->smooth) add_beside_corner(a, facet.i, b, n, FacetKind::edge_of_a, flat_sine, smooth, out);
    if (!b.outline->smooth) add_beside_corner(b, facet.j, a, -n, FacetKind::edge_of_b, flat_sine, smooth, out);
    if (!a.outline->smooth) add_far_spring(a, facet.i, b, n, x, FacetKind::edge_of_a, flat_sine, smooth.tolerance, out);
    if (!b.outline->smooth)
      add_far_spring(b, facet.j, a, -n, x - first.gap * n, FacetKind::edge_of_b, flat_sine, smooth.tolerance, out);
    return out;
  }
  const double length = (b.centres.col(facet.j) - a.centres.col(facet.i)).norm();
  const double radius_a = a.outline->corner(facet.i).radius;
  const double radius_b = b.outline->corner(facet.j).radius;
  return {{b.centres.col(facet.j) - radius_b * n, n, length - radius_a - radius_b,
           FeatureKey{static_cast<int>(facet.kind), facet.i, facet.j}, radius_b, radius_a}};
}

bool moves_along_part(const ContactPoint& contact, const PlacedOutline& a, const PlacedOutline& b) {
  if (!a.outline->smooth && !b.outline->smooth) return false;
  return contact.key[0] == static_cast<int>(FacetKind::corners) || contact.key[2] == 0;
}

}  // namespace pegrasp::reference
