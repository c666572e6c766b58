// SPDX-License-Identifier: Apache-2.0
// Exact cylinders and how far they are from other parts. A cylinder is two vertices (the centres of its caps), two
// faces without corners (the caps) and a radius about its axis; nothing turns it into a polyhedron. It is given by its
// support function
//   h(d) = max over its points of d . x = c . d + l |d . u| + r |d - (d . u) u|
// with centre c, half length l, unit axis u and radius r. The separation of a cylinder C and another part P is the
// largest over the unit vectors m, from P to C, of
//   s(m) = - h_C(-m) - h_P(m),
// which is concave along arcs, so that along an arc it peaks where the points of both parts that are farthest along m
// lie above each other: the root of a derivative, found between two bounds.
#pragma once

#include "kernels/spatial/polyhedron_modes.hpp"
#include "kernels/spatial/segments.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool is_cylinder(const PartView& p) { return p.faces == 2; }

// In some frame.
struct Cylinder {
  V3 bottom, top, u;
  double radius;

  PEGRASP_HD V3 end(int k) const { return k != 0 ? top : bottom; }
  PEGRASP_HD V3 out(int k) const { return k != 0 ? u : -u; }  // of a cap
  PEGRASP_HD V3 across(V3 d) const { return d - dot(d, u) * u; }
  // The unit vector across the axis along which d leans; none if d is along the axis. What rounding leaves of d along
  // the axis is taken off twice, as it may be as large as the rest.
  PEGRASP_HD V3 lean(V3 d) const {
    constexpr double level = 1e-14;
    const V3 out = across(d);
    const double length = norm(out);
    if (!(length > level)) return {0.0, 0.0, 0.0};
    const V3 once = across((1.0 / length) * out);
    return (1.0 / norm(once)) * once;
  }
  // The point of a rim that lies farthest along the unit vector d.
  PEGRASP_HD V3 on_rim(int k, V3 d) const { return end(k) + radius * lean(d); }
  PEGRASP_HD V3 farthest(V3 d) const { return on_rim(dot(d, u) > 0.0 ? 1 : 0, d); }
};
PEGRASP_HD inline Cylinder own_cylinder(const PartView& p) { return {p.vertex(0), p.vertex(1), p.normal(1), p.radius}; }
PEGRASP_HD inline Cylinder seen_cylinder(const PartView& p, const Frame& frame) {
  return {transform(frame, p.vertex(0)), transform(frame, p.vertex(1)), rotate(frame, p.normal(1)), p.radius};
}

// A cylinder C seen from the other part P. Of two cylinders P is a.
struct CylinderPair {
  const PartView& p;
  const PartView& c;
  bool c_is_a;
  Cylinder seen;  // C in P's frame

  PEGRASP_HD int face_of_p() const { return c_is_a ? mode_face_b : mode_face_a; }
  PEGRASP_HD int cap_of_c() const { return c_is_a ? mode_face_a : mode_face_b; }
};
PEGRASP_HD inline CylinderPair cylinder_pair(const PartView& a, const PartView& b, const Frame& b_in_a,
                                             const Frame& a_in_b) {
  if (is_cylinder(b)) return {a, b, false, seen_cylinder(b, b_in_a)};
  return {b, a, true, seen_cylinder(a, a_in_b)};
}

// Of all of P, with its radius, along the unit vector m (P's frame). Half-spaces have no such point.
PEGRASP_HD inline V3 farthest_of(const PartView& p, V3 m) {
  if (is_cylinder(p)) return own_cylinder(p).farthest(m);
  const V3 x = p.vertex(support(p, m).vertex);
  return p.radius > 0.0 ? x + p.radius * m : x;
}
PEGRASP_HD inline double separation_along(const CylinderPair& g, V3 m) {
  return dot(m, g.seen.farthest(-m)) - dot(m, farthest_of(g.p, m));
}

// A direction and whether s peaks there.
struct Peak {
  V3 m;
  bool facet;
};

// How fast s grows at m on the way along the arc about `axis`; x is P's point there. end: the rim of C that counts.
PEGRASP_HD inline double growth(const Cylinder& c, V3 axis, V3 x, V3 m, int end) {
  return dot(cross(axis, m), c.on_rim(end, -m) - x);
}
PEGRASP_HD inline int lower_end(const Cylinder& c, V3 m) { return dot(m, c.u) < 0.0 ? 1 : 0; }

PEGRASP_HD inline V3 unit(V3 v) { return (1.0 / norm(v)) * v; }

// Seen from just inside an arc, where a bend at its end does not matter [rad].
constexpr double inside_arc = 1e-8;

// The peak of s on an arc across `axis` along which P's point x is the same and one rim of C counts. Seen along the
// axis that rim is half an ellipse; with the angle phi from the direction nearest to the cap's,
//   s = x0 sin phi + y0 cos phi - r sqrt(sin^2 phi + q^2 cos^2 phi),  q = |u . axis| / |axis|.
// It peaks once at most, on the side on which x is, x0 phi > 0. There s' / (sin phi cos phi) falls on the way from
// phi = 0, so that s must fall at the far end. But where x lies beneath the middle of the rim (y0 < 0) it rises again
// from tan^3 phi = q^2 x0 / |y0| on, and s may grow once more towards the side of C.
PEGRASP_HD_LARGE Peak rim_peak(const Cylinder& c, V3 x, V3 axis, V3 from, V3 to, int end) {
  constexpr int most = 60;
  constexpr double enough = 1e-13;  // of the radius
  const V3 cap = -(c.out(end) - (dot(c.out(end), axis) / dot(axis, axis)) * axis);
  V3 near = dot(cap, from) > dot(cap, to) ? from : to;
  V3 far = dot(cap, from) > dot(cap, to) ? to : from;
  const double size = norm(axis);
  if (dot(cross(from, cap), axis) > 0.0 && dot(cross(cap, to), axis) > 0.0) {
    near = unit(cap);
    const double rate = growth(c, axis, x, near, end);
    if (rate == 0.0) return {near, true};
    far = rate > 0.0 ? to : from;
  }
  const double way = dot(cross(near, far), axis) < 0.0 ? -1.0 : 1.0;
  double at_near = way * growth(c, axis, x, near, end);
  if (!(at_near > 0.0)) return {near, false};
  double at_far = way * growth(c, axis, x, far, end);
  if (!(at_far < 0.0)) {
    const double high = -dot(cap, x - c.end(end));
    if (!(high < 0.0)) return {far, false};
    const V3 out = (way / size) * cross(axis, unit(cap));
    const double q = dot(c.u, axis) / size;
    const double cube = -q * q * norm(cap) * abs1(dot(out, x - c.end(end))) / high;
    double tangent = 1.0;
    for (int i = 0; i < 8; ++i) tangent = square_root(square_root(cube * tangent));
    const V3 middle = unit(unit(cap) + tangent * out);
    const bool within = way * dot(cross(near, middle), axis) > 0.0 && way * dot(cross(middle, far), axis) > 0.0;
    at_far = way * growth(c, axis, x, middle, end);
    if (!within || !(at_far < 0.0)) return {far, false};
    far = middle;
  }
  const double tolerance = enough * c.radius * size;
  V3 m = near;
  int side = 0;
  for (int i = 0; i < most; ++i) {  // Illinois' rule of false position
    m = unit(at_near * far - at_far * near);
    const double here = way * growth(c, axis, x, m, end);
    if (abs1(here) <= tolerance) break;
    if (here > 0.0) {
      near = m;
      at_near = here;
      if (side > 0) at_far *= 0.5;
      side = 1;
    } else {
      far = m;
      at_far = here;
      if (side < 0) at_near *= 0.5;
      side = -1;
    }
  }
  return {m, true};
}

// The highest peak of s on the arc from a to b, less than half a circle, along which P's point x is the same: of those
// of both rims and of the line of the cylinder's side, where the arc crosses the directions across its axis. At an end
// of the arc there is none.
PEGRASP_HD_LARGE Peak arc_peak(const Cylinder& c, V3 x, V3 a, V3 b) {
  const V3 axis = cross(a, b);
  const V3 way = inside_arc * (b - a);
  a = unit(a + way);
  b = unit(b - way);
  const auto separation = [&](V3 m) { return dot(m, c.farthest(-m) - x); };
  const int first = lower_end(c, a);
  const int last = lower_end(c, b);
  if (first == last) {
    const Peak only = rim_peak(c, x, axis, a, b, first);
    if (only.facet) return only;
    return {separation(a) > separation(b) ? a : b, false};
  }
  const V3 line = unit(abs1(dot(b, c.u)) * a + abs1(dot(a, c.u)) * b);
  const Peak before = rim_peak(c, x, axis, a, line, first);
  const Peak after = rim_peak(c, x, axis, line, b, last);
  Peak best{line, growth(c, axis, x, line, first) > 0.0 && growth(c, axis, x, line, last) <= 0.0};
  if (before.facet && (!best.facet || separation(before.m) > separation(best.m))) best = before;
  if (after.facet && (!best.facet || separation(after.m) > separation(best.m))) best = after;
  if (!best.facet) best.m = separation(a) > separation(b) ? a : b;
  return best;
}

// The peak over the normals of edge e of a polyhedron P; at an end of its arc there is none.
PEGRASP_HD inline Peak edge_peak(const CylinderPair& g, int e) {
  return arc_peak(g.seen, g.p.tail(e), g.p.normal(g.p.left(e)), g.p.normal(g.p.right(e)));
}

// A point (P's frame) beside a cylinder: how far it is from the axis and, of the point nearest to it, the distance.
struct BesideCylinder {
  double from_axis, distance;
  V3 m;      // towards the cylinder
  bool cap;  // over a cap, or on the axis: no normal of the side or of a rim leads to it
};
PEGRASP_HD inline BesideCylinder beside(const Cylinder& c, V3 x) {
  const V3 from = x - c.bottom;
  const double along = dot(from, c.u);
  const V3 across = c.across(from);
  const double rho = norm(across);
  const double length = dot(c.top - c.bottom, c.u);
  const double over = along < 0.0 ? along : (along > length ? along - length : 0.0);
  BesideCylinder out{rho, rho - c.radius, over < 0.0 ? c.u : -c.u, !(rho > 0.0)};
  if (out.cap) {
    out.distance = abs1(over);
    return out;
  }
  out.m = (-1.0 / rho) * across;
  if (over == 0.0) return out;
  if (rho <= c.radius) {
    out.cap = true;
    out.distance = abs1(over);
    return out;
  }
  const V3 d = (out.distance / rho) * across + over * c.u;
  out.distance = norm(d);
  out.m = (-1.0 / out.distance) * d;
  return out;
}

// The peak over the normals of vertex v of P, which must not reach beyond it.
PEGRASP_HD inline Peak vertex_peak(const CylinderPair& g, int v) {
  const BesideCylinder at = beside(g.seen, g.p.vertex(v));
  constexpr double sliver = 1e-9;
  const V3 x = g.p.vertex(v);
  const double beyond = support(g.p, at.m).value - dot(at.m, x);
  return {at.m, !at.cap && beyond <= sliver * (abs1(at.distance) + g.seen.radius)};
}

// The best direction across `along`, an axis of P that goes through x: a capsule's segment, or a cylinder's axis. Of
// parallel axes all these directions are across both. Otherwise the two directions across both axes divide the circle
// into halves, in each of which one rim counts.
PEGRASP_HD_LARGE V3 circle_peak(const Cylinder& c, V3 along, V3 x) {
  const V3 across = cross(along, c.u);
  const double sine = norm(across);
  if (!(sine > parallel_sine)) {
    const V3 to = 0.5 * (c.bottom + c.top) - x;
    const V3 out = to - dot(to, along) * along;
    const double length = norm(out);
    return length > 0.0 ? (1.0 / length) * out : any_across(along);
  }
  const auto separation = [&](V3 m) { return dot(m, c.farthest(-m) - x); };
  V3 best = (1.0 / sine) * across;
  if (separation(-best) > separation(best)) best = -best;
  double most = separation(best);
  const V3 first = best;
  const V3 quarter = cross(along, first);  // from it counter-clockwise
  constexpr double askew = 0.83;           // no peak of a symmetric pair lies at a corner
  const V3 one = first + askew * quarter, other = quarter - askew * first;
  const V3 corner[5] = {one, other, -one, -other, one};
  for (int k = 0; k < 4; ++k) {
    const Peak at = arc_peak(c, x, corner[k], corner[k + 1]);
    const double s = at.facet ? separation(at.m) : most;
    if (!(s > most)) continue;
    most = s;
    best = at.m;
  }
  return best;
}

// Moves m off a direction across, or along, the axis of a cylinder, where s has a bend, to the side on which s grows.
// `from`: the other part's point; side: 1 of C, whose farthest point is along -m, and -1 of P.
PEGRASP_HD inline V3 off_bend(const Cylinder& c, V3 from, double side, V3 m) {
  constexpr double bend = 1e-9;
  constexpr double level = 1e-15;
  constexpr double away = 1e-6;
  const V3 d = (-side) * m;  // along which the cylinder is farthest
  const double along = dot(d, c.u);
  if (abs1(along) < bend) {
    // s grows towards the end beyond which the other's point lies
    if (dot(from - c.top, c.u) > 0.0) return unit(m - (side * away) * c.u);
    if (dot(from - c.bottom, c.u) < 0.0) return unit(m + (side * away) * c.u);
  } else if (1.0 - abs1(along) < level) {
    const V3 out = c.across(from - c.bottom);
    const double far = norm(out);
    if (far > c.radius) return unit(m - (side * away / far) * out);
  }
  return m;
}

// Climbs from m to where both rims are closest, by Newton's method on the sphere of directions; P is a cylinder.
PEGRASP_HD_LARGE V3 rims_peak(const CylinderPair& g, V3 m) {
  constexpr int most = 20;
  constexpr double enough = 1e-13;
  constexpr double soft = 1e-9;  // keeps the matrix regular where both rims run along each other
  const Cylinder p = own_cylinder(g.p);
  const double reach = p.radius + g.seen.radius;
  m = off_bend(g.seen, p.farthest(m), 1.0, m);
  m = off_bend(p, g.seen.farthest(-m), -1.0, m);
  for (int i = 0; i < most; ++i) {
    const V3 d = g.seen.farthest(-m) - p.farthest(m);
    const double s = dot(d, m);
    const V3 gradient = d - s * m;
    if (norm(gradient) <= enough * reach) return m;
    const V3 tp = cross(p.u, m);
    const V3 tc = cross(g.seen.u, m);
    const double qp = max2(norm(tp), 1e-12);
    const double qc = max2(norm(tc), 1e-12);
    const V3 b1 = any_across(m);
    const V3 b2 = cross(m, b1);
    // radius of curvature r / q along t / q
    const double kp = p.radius / (qp * qp * qp);
    const double kc = g.seen.radius / (qc * qc * qc);
    const double ease = max2(s, 0.0) + soft * reach;
    const double p1 = dot(tp, b1), p2 = dot(tp, b2), c1 = dot(tc, b1), c2 = dot(tc, b2);
    const double xx = kp * p1 * p1 + kc * c1 * c1 + ease;
    const double xy = kp * p1 * p2 + kc * c1 * c2;
    const double yy = kp * p2 * p2 + kc * c2 * c2 + ease;
    const double over = 1.0 / (xx * yy - xy * xy);
    const double g1 = dot(gradient, b1), g2 = dot(gradient, b2);
    const V3 step = (over * (yy * g1 - xy * g2)) * b1 + (over * (xx * g2 - xy * g1)) * b2;
    double share = norm(step) > 1.0 ? 1.0 / norm(step) : 1.0;
    bool higher = false;
    for (int turn = 0; turn < 10 && !higher; ++turn) {
      const V3 next = unit(m + share * step);
      higher = separation_along(g, next) > s;
      if (higher) m = next;
      share *= 0.3;
    }
    if (!higher) return m;
  }
  return m;
}

// Of a sphere, a capsule or another cylinder P: the best direction that is no cap's normal.
PEGRASP_HD_LARGE V3 curved_peak(const CylinderPair& g) {
  V3 best{};
  double most = -1e300;
  const auto look_at = [&](V3 m) {
    const double s = separation_along(g, m);
    if (!(s > most)) return;
    most = s;
    best = m;
  };
  if (is_cylinder(g.p)) {
    const Cylinder p = own_cylinder(g.p);
    look_at(circle_peak(g.seen, p.u, p.bottom));
    look_at(-circle_peak(p, g.seen.u, g.seen.bottom));
    V3 start = best;
    double from = most;
    for (int k = 0; k < 4; ++k) {  // a cap's normal may be nearer to it
      const V3 m = k < 2 ? p.out(k) : -g.seen.out(k - 2);
      const double s = separation_along(g, m);
      if (!(s > from)) continue;
      from = s;
      start = m;
    }
    look_at(rims_peak(g, start));
    const ClosestPoints cores =
        closest_points({p.bottom, p.top - p.bottom}, {g.seen.bottom, g.seen.top - g.seen.bottom});
    const double distance = norm(cores.d);
    if (distance > 0.0) look_at(rims_peak(g, (1.0 / distance) * cores.d));
    return best;
  }
  for (int v = 0; v < g.p.vertices; ++v) look_at(beside(g.seen, g.p.vertex(v)).m);
  if (g.p.vertices == 2) look_at(circle_peak(g.seen, unit(g.p.vertex(1) - g.p.vertex(0)), g.p.vertex(0)));
  return best;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
