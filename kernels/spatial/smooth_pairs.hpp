// SPDX-License-Identifier: Apache-2.0
// A smooth part C beside another part P: where the separation along a direction m from P to C,
//   s = max over m of  m . p_C(-m) - m . p_P(m),
// peaks, with farthest points p. The gradient of s is the way from p_P to p_C across m, and its second derivative is
// -(s + what both points move against m), so that it falls everywhere where s exceeds minus the smallest radius of
// curvature: a peak there is the only one. Along the normals of an edge of a polyhedron, and across an axis, the search
// is one for a root between two bounds; between surfaces that are both round it climbs by Newton's method.
#pragma once

#include "kernels/spatial/cylinder.hpp"
#include "kernels/spatial/smooth_solid.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Of two smooth parts P is a. All in P's frame.
struct SmoothPair {
  const PartView& p;
  const PartView& c;
  bool c_is_a;
  SmoothSolid seen;

  PEGRASP_HD int face_of_p() const { return c_is_a ? mode_face_b : mode_face_a; }
};
PEGRASP_HD inline SmoothPair smooth_pair(const PartView& a, const PartView& b, const Frame& b_in_a,
                                         const Frame& a_in_b) {
  if (is_smooth(b)) return {a, b, false, seen_smooth(b, b_in_a)};
  return {b, a, true, seen_smooth(a, a_in_b)};
}

// Where s peaks: the direction from P to C, the farthest points of both and s. facet: s peaks on the normals of the
// feature of P.
struct SmoothPeak {
  V3 m, on_p, on_c;
  double s;
  bool facet;
};

// Of all of P, with its radius; not of half-spaces.
PEGRASP_HD inline V3 farthest_of_all(const PartView& p, V3 m) {
  return is_smooth(p) ? own_smooth(p).farthest(m) : farthest_of(p, m);
}
PEGRASP_HD inline SmoothPeak peak_along(const SmoothPair& g, V3 m) {
  const V3 on_p = farthest_of_all(g.p, m);
  const V3 on_c = g.seen.farthest(-m);
  return {m, on_p, on_c, dot(m, on_c - on_p), true};
}

// Along the directions across `axis`, where P's point x is the same.
struct SmoothArc {
  const SmoothSolid& c;
  V3 x, axis;  // a unit vector

  struct At {
    double s, rise, bend;
  };
  PEGRASP_HD At at(V3 m) const {
    const V3 ahead = cross(axis, m);
    const V3 d = c.farthest(-m) - x;
    double xx = 0.0, xy = 0.0, yy = 0.0;
    c.bends(-m, ahead, ahead, xx, xy, yy);
    const double s = dot(m, d);
    return {s, dot(ahead, d), s + xx};
  }
  // The peak between two directions, to the first of which s rises and from the second of which it falls.
  PEGRASP_HD V3 highest(V3 low, V3 high) const {
    V3 m = unit(low + high);
    double before = 4.0;
    for (int i = 0; i < 100; ++i) {
      const At here = at(m);
      (here.rise > 0.0 ? low : high) = m;
      constexpr double close = 1e-15;
      const double step = here.rise / here.bend;
      if (here.rise == 0.0 || (here.bend > 0.0 && abs1(step) <= close)) break;
      V3 next = unit(m + step * cross(axis, m));
      const bool within = dot(axis, cross(low, next)) > 0.0 && dot(axis, cross(next, high)) > 0.0;
      if (!(here.bend > 0.0 && abs1(step) <= 0.5 * before && within)) next = unit(low + high);
      before = norm(next - m);
      if (!(before > close)) break;
      m = next;
    }
    return m;
  }
  // From m uphill, by steps of 45 degrees.
  PEGRASP_HD V3 climb(V3 m) const {
    constexpr double diagonal = 0.70710678118654752440;
    const bool up = at(m).rise > 0.0;
    V3 next = m;
    for (int k = 0; k < 9; ++k) {
      next = unit(diagonal * (m + (up ? 1.0 : -1.0) * cross(axis, m)));
      if ((at(next).rise > 0.0) != up) break;
      m = next;
    }
    return up ? highest(m, next) : highest(next, m);
  }
};

// The best direction across an axis of P that goes through x.
PEGRASP_HD_LARGE V3 best_across(const SmoothSolid& c, V3 x, V3 axis) {
  const V3 way = c.centre - x;
  const V3 out = way - dot(way, axis) * axis;
  const double length = norm(out);
  return SmoothArc{c, x, axis}.climb(length > 0.0 ? (1.0 / length) * out : any_across(axis));
}

// Over the normals of edge e of a polyhedron P; of an arc without a peak the higher end.
PEGRASP_HD_LARGE SmoothPeak smooth_edge_peak(const SmoothPair& g, int e) {
  const V3 left = g.p.normal(g.p.left(e));
  const V3 right = g.p.normal(g.p.right(e));
  const SmoothArc arc{g.seen, g.p.tail(e), unit(cross(left, right))};
  const SmoothArc::At first = arc.at(left);
  const SmoothArc::At last = arc.at(right);
  SmoothPeak out{first.s > last.s ? left : right, {}, {}, -1e300, first.rise > 0.0 && last.rise < 0.0};
  if (out.facet) out.m = arc.highest(left, right);
  out.on_c = g.seen.farthest(-out.m);
  const V3 along = g.p.head(e) - arc.x;
  out.on_p = arc.x + clamp(dot(out.on_c - arc.x, along) / dot(along, along), 0.0, 1.0) * along;
  out.s = dot(out.m, out.on_c - arc.x);
  return out;
}

// Over the normals of vertex v of P, which may have a radius; those of a polyhedron must not reach beyond it.
PEGRASP_HD_LARGE SmoothPeak smooth_vertex_peak(const SmoothPair& g, int v) {
  const V3 x = g.p.vertex(v);
  const NearestOnSolid at = nearest_on_solid(g.seen, x);
  constexpr double sliver = 1e-9;
  const V3 m = -at.normal;
  const double beyond = g.p.vertices > 1 ? support(g.p, m).value - dot(m, x) : 0.0;
  return {m, x + g.p.radius * m, at.point, at.s - g.p.radius,
          beyond <= sliver * (abs1(at.s) + largest_of(g.seen.half))};
}

// The point of the rim of a cylinder's end that is farthest along m, and how it moves.
struct RimPoints {
  Cylinder cylinder;
  int end;

  PEGRASP_HD V3 turned(V3 m, V3 turn) const { return unit(m + turn); }

  PEGRASP_HD V3 farthest(V3 m) const { return cylinder.on_rim(end, m); }
  PEGRASP_HD void bends(V3 m, V3 t1, V3 t2, double& xx, double& xy, double& yy) const {
    const V3 along = cross(cylinder.u, m);
    const double q = max2(norm(along), 1e-12);
    const double rate = cylinder.radius / (q * q * q);
    const double p1 = dot(along, t1), p2 = dot(along, t2);
    xx = rate * p1 * p1;
    xy = rate * p1 * p2;
    yy = rate * p2 * p2;
  }
};

// Climbs from m to a peak of s between C and what Points gives of P, by Newton's method on the sphere of directions.
template <class Points>
PEGRASP_HD_LARGE V3 climb_on_sphere(const SmoothSolid& c, const Points& p, double reach, V3 m) {
  constexpr int most = 60;
  constexpr double enough = 1e-15;
  constexpr double soft = 1e-14;
  for (int i = 0; i < most; ++i) {
    const V3 d = c.farthest(-m) - p.farthest(m);
    const double s = dot(d, m);
    const V3 gradient = d - s * m;
    if (norm(gradient) <= enough * reach) return m;
    const V3 b1 = any_across(m);
    const V3 b2 = cross(m, b1);
    double cx = 0.0, cy = 0.0, cz = 0.0, px = 0.0, py = 0.0, pz = 0.0;
    c.bends(-m, b1, b2, cx, cy, cz);
    p.bends(m, b1, b2, px, py, pz);
    double xx = cx + px + s, yy = cz + pz + s;
    const double xy = cy + py;
    if (!(xx > 0.0 && xx * yy - xy * xy > 0.01 * xx * yy)) {  // far off, where s is deep
      xx = cx + px + max2(s, 0.0);
      yy = cz + pz + max2(s, 0.0);
    }
    xx += soft * reach;
    yy += soft * reach;
    const double over = 1.0 / (xx * yy - xy * xy);
    const double g1 = dot(gradient, b1), g2 = dot(gradient, b2);
    const V3 step = (over * (yy * g1 - xy * g2)) * b1 + (over * (xx * g2 - xy * g1)) * b2;
    const double length = norm(step);
    if (!(length > 1e-15)) return m;
    double share = length > 1.0 ? 1.0 / length : 1.0;
    const bool flatter = cx + cz >= px + pz;
    bool higher = false;
    for (int turn = 0; turn < 20 && !higher; ++turn) {
      const V3 next = flatter ? -c.turned_by_point(-m, (-share) * step) : p.turned(m, share * step);
      // close to the peak s no longer tells, but the gradient does
      const V3 way = c.farthest(-next) - p.farthest(next);
      const double there = dot(way, next);
      higher = there > s || (there > s - 1e-15 * reach && norm(way - there * next) < 0.5 * norm(gradient));
      if (higher) m = next;
      share *= 0.4;
    }
    if (!higher) return m;
  }
  return m;
}

// Of a cylinder P the best direction that is no cap's: across its axis or, where C's point is then beyond an end, of
// that end's rim.
PEGRASP_HD_LARGE V3 cylinder_peak(const SmoothPair& g) {
  const Cylinder own = own_cylinder(g.p);
  const V3 side = best_across(g.seen, own.bottom, own.u);
  const double length = dot(own.top - own.bottom, own.u);
  const double along = dot(g.seen.farthest(-side) - own.bottom, own.u);
  if (along >= 0.0 && along <= length) return side;
  const int end = along > length ? 1 : 0;
  const V3 out = own.out(end);
  const RimPoints rim{own, end};
  const double reach = own.radius + largest_of(g.seen.half);
  constexpr double lean = 0.5;
  V3 best = side;
  double most = peak_along(g, side).s;
  const auto look_from = [&](V3 from) {
    const V3 m = climb_on_sphere(g.seen, rim, reach, unit(from));
    const double s = peak_along(g, m).s;
    if (!(s > most)) return;
    most = s;
    best = m;
  };
  look_from(side + lean * out);
  const V3 way = g.seen.centre - rim.farthest(side);
  if (dot(way, out) > 0.0) look_from(way);
  look_from(out + 1e-3 * side);
  return best;
}

// Of two smooth parts: from the line between the centres, and where they are deep in each other from other directions,
// too.
struct SmoothPoints {
  SmoothSolid solid;
  PEGRASP_HD V3 turned(V3 m, V3 turn) const { return solid.turned_by_point(m, turn); }
  PEGRASP_HD V3 farthest(V3 m) const { return solid.farthest(m); }
  PEGRASP_HD void bends(V3 m, V3 t1, V3 t2, double& xx, double& xy, double& yy) const {
    solid.bends(m, t1, t2, xx, xy, yy);
  }
};
PEGRASP_HD inline double least_radius(const SmoothSolid& c) {
  const double least = least_of(c.half);
  return least * (least / largest_of(c.half)) / (c.n - 1);
}
PEGRASP_HD_LARGE V3 both_smooth_peak(const SmoothPair& g) {
  const SmoothPoints own{own_smooth(g.p)};
  const double reach = largest_of(own.solid.half) + largest_of(g.seen.half);
  const V3 way = g.seen.centre - own.solid.centre;
  const double length = norm(way);
  V3 best = climb_on_sphere(g.seen, own, reach, length > 0.0 ? (1.0 / length) * way : own.solid.axis[0]);
  double most = peak_along(g, best).s;
  if (most > -(least_radius(own.solid) + least_radius(g.seen))) return best;
  for (int k = 0; k < 12; ++k) {  // deep down: the axes of both
    const V3 axis = k < 6 ? own.solid.axis[k / 2] : g.seen.axis[k / 2 - 3];
    const V3 m = climb_on_sphere(g.seen, own, reach, k % 2 == 0 ? axis : -axis);
    const double s = peak_along(g, m).s;
    if (!(s > most)) continue;
    most = s;
    best = m;
  }
  return best;
}

PEGRASP_HD_LARGE SmoothPeak smooth_capsule_peak(const SmoothPair& g) {
  SmoothPeak best = smooth_vertex_peak(g, 0);
  const V3 along = g.p.vertex(1) - g.p.vertex(0);
  const V3 m = best_across(g.seen, g.p.vertex(0), unit(along));
  const SmoothPeak other = smooth_vertex_peak(g, 1);
  best.s = peak_along(g, best.m).s;
  if (peak_along(g, other.m).s > best.s) best = peak_along(g, other.m);
  SmoothPeak side = peak_along(g, m);
  if (side.s >= best.s) {
    const double at = clamp(dot(side.on_c - g.p.vertex(0), along) / dot(along, along), 0.0, 1.0);
    side.on_p = g.p.vertex(0) + at * along + g.p.radius * m;
    best = side;
  }
  best.facet = true;
  return best;
}

// Of a sphere, a capsule, a cylinder or another smooth part P.
PEGRASP_HD_LARGE SmoothPeak smooth_round_peak(const SmoothPair& g) {
  if (is_smooth(g.p)) return peak_along(g, both_smooth_peak(g));
  if (!is_cylinder(g.p)) return g.p.vertices == 1 ? smooth_vertex_peak(g, 0) : smooth_capsule_peak(g);
  SmoothPeak out = peak_along(g, cylinder_peak(g));
  const Cylinder own = own_cylinder(g.p);
  constexpr double level = 1e-9;
  if (abs1(dot(out.m, own.u)) < level) {  // on the side, beside C's point
    const double length = dot(own.top - own.bottom, own.u);
    out.on_p = own.on_rim(0, out.m) + clamp(dot(out.on_c - own.bottom, own.u), 0.0, length) * own.u;
  }
  return out;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
