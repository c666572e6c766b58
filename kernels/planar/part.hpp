// SPDX-License-Identifier: Apache-2.0
// A convex part as the kernels see it, and its support function.
#pragma once

#include "kernels/base/smooth_curve.hpp"
#include "kernels/planar/vector.hpp"
#include "kernels/scene/scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct PartView {
  const double* cx;  // corner centres, body frame
  const double* cy;
  const double* cr;  // corner radii
  const double* nx;  // edge normals
  const double* ny;
  const double* off;   // edge offsets
  const int* use;      // EdgeUse
  const double* cone;  // ModelView::corner_cone
  V2 middle;           // of a circle around the part
  int corners;
  int edges;
  int arcs;               // ModelView::part_arcs
  const double* numbers;  // CurveNumber, of a smooth part: one corner, whose radius reaches around it; else null

  PEGRASP_HD V2 centre(int i) const { return {cx[i], cy[i]}; }
  PEGRASP_HD V2 normal(int e) const { return {nx[e], ny[e]}; }
  PEGRASP_HD int next(int i) const { return i + 1 == corners ? 0 : i + 1; }
  PEGRASP_HD int previous(int i) const { return i == 0 ? corners - 1 : i - 1; }
  // The numbers of a smooth part; null for others, as for all where the code knows no smooth parts.
  PEGRASP_HD const double* curve() const { return smooth_parts ? numbers : nullptr; }
};

PEGRASP_HD inline PartView part_view(const ModelView& m, int part) {
  const int c = m.part_first_corner[part];
  const int e = m.part_first_edge[part];
  return {m.corner_x + c,
          m.corner_y + c,
          m.corner_r + c,
          m.edge_nx + e,
          m.edge_ny + e,
          m.edge_offset + e,
          m.edge_use + e,
          m.corner_cone + 4 * c,
          {m.part_centre[2 * part], m.part_centre[2 * part + 1]},
          m.part_first_corner[part + 1] - c,
          m.part_first_edge[part + 1] - e,
          m.part_arcs[part],
          m.part_arcs[part] == arcs_smooth ? m.curve_number + curve_size * m.part_curve[part] : nullptr};
}

PEGRASP_HD inline PartView part_view(const SceneView& s, int part) { return part_view(*s.model, part); }

// One of two parts.
PEGRASP_HD inline Chosen<PartView> either(bool first, const PartView& a, const PartView& b) {
#if defined(__CUDACC__)
  return {first ? a.cx : b.cx,           first ? a.cy : b.cy,       first ? a.cr : b.cr,
          first ? a.nx : b.nx,           first ? a.ny : b.ny,       first ? a.off : b.off,
          first ? a.use : b.use,         first ? a.cone : b.cone,   either(first, a.middle, b.middle),
          first ? a.corners : b.corners, first ? a.edges : b.edges, first ? a.arcs : b.arcs,
          first ? a.numbers : b.numbers};
#else
  return first ? a : b;
#endif
}

// Whether the unit direction d lies among the outward normals of a corner (with a sliver of tolerance at the ends,
// where the adjacent edge's separation is the same number).
PEGRASP_HD inline bool in_cone(const PartView& p, int corner, V2 d) {
  if (p.edges == 0) return true;
  constexpr double sliver = 1e-12;
  const V2 from = p.normal(p.previous(corner));
  const V2 to = p.normal(corner);
  return cross(from, d) >= -sliver && cross(d, to) >= -sliver && dot(from + to, d) > 0.0;
}

// Smooth parts, by their numbers in the model (CurveNumber): the curve, and directions and points in its axes. What
// asks for more is in functions of its own, which take their arguments by value: a reference to a PartView would keep
// it in memory wherever it is used.
PEGRASP_HD inline Curve curve_of(const double* number) {
  return {number[curve_a], number[curve_b], static_cast<int>(number[curve_order])};
}
PEGRASP_HD inline V2 to_axes(const double* number, V2 d) {
  const double c = number[curve_cos];
  const double s = number[curve_sin];
  return {c * d.x + s * d.y, c * d.y - s * d.x};
}
PEGRASP_HD inline V2 from_axes(const double* number, V2 d) {
  const double c = number[curve_cos];
  const double s = number[curve_sin];
  return {c * d.x - s * d.y, s * d.x + c * d.y};
}
// The farthest point along d from the middle.
PEGRASP_HD_RARE V2 smooth_offset(const double* number, V2 d) {
  const V2 own = to_axes(number, d);
  const XY x = farthest_point(curve_of(number), {own.x, own.y});
  return from_axes(number, {x.x, x.y});
}
PEGRASP_HD inline V2 smooth_point(const PartView& p, V2 d) { return p.centre(0) + smooth_offset(p.curve(), d); }
// Flatter curves count as arcs of a radius of ten half-axes, about which slip is measured
// (kernels/planar/at_start.hpp).
PEGRASP_HD_RARE double smooth_radius(const double* number, V2 d) {
  const Curve curve = curve_of(number);
  const V2 own = to_axes(number, d);
  constexpr double flat = 10.0;
  return curvature_radius(curve, farthest_place(curve, abs1(own.x), abs1(own.y)), flat * max2(curve.a, curve.b));
}
// The farthest point of corner i along d, and the radius [m] by which it is round there.
PEGRASP_HD inline V2 corner_point(const PartView& p, int i, V2 d) {
  if (p.curve() != nullptr) return smooth_point(p, d);
  return p.centre(i) + p.cr[i] * d;
}
PEGRASP_HD inline double corner_radius(const PartView& p, int i, V2 d) {
  return p.curve() == nullptr ? p.cr[i] : smooth_radius(p.curve(), d);
}
// Whether siblings cover a smooth part where its normal is d.
PEGRASP_HD_RARE bool smooth_covered(const double* number, V2 d) {
  for (int k = 0; k < curve_ranges; ++k) {
    const double* range = number + curve_covered + 4 * k;
    if (range[0] == 0.0 && range[1] == 0.0) return false;
    const V2 from{range[0], range[1]};
    const V2 to{range[2], range[3]};
    const bool wide = cross(from, to) < 0.0;  // more than half a turn
    const bool after = cross(from, d) >= 0.0;
    const bool before = cross(d, to) >= 0.0;
    if (wide ? after || before : after && before) return true;
  }
  return false;
}

// Whether corner i is the body's farthest surface point along d. At an internal edge of a union it may be that of the
// part only.
PEGRASP_HD inline bool on_surface(const PartView& p, int i, V2 d) {
  if (p.curve() != nullptr) return !smooth_covered(p.curve(), d);
  const double* cone = p.cone + 4 * i;
  if (cone[0] == 0.0 && cone[1] == 0.0) return true;
  return cross({cone[0], cone[1]}, d) >= 0.0 && cross(d, {cone[2], cone[3]}) >= 0.0 &&
         (cone[0] + cone[2]) * d.x + (cone[1] + cone[3]) * d.y > 0.0;
}

// Where corner i lies along d; an arc counts only where d is among its normals: the rest of its disc need not belong to
// the part (a circular segment's does not).
PEGRASP_HD inline double corner_value(const PartView& p, int i, V2 d) {
  if (p.cr[i] > 0.0 && !in_cone(p, i, d)) return -1e300;
  return p.cx[i] * d.x + p.cy[i] * d.y + p.cr[i];
}

constexpr int few_corners = 12;  // up to so many are looked at one by one

struct Support {
  int corner;
  double value;  // max over the part of d . x
};

// Corner of a bounded part that lies farthest along the unit direction d (body frame). Parts with many corners are
// searched by bisection over the edge normals, which turn monotonically; the neighbours are then compared, so that the
// value is the maximum even where normals are too close to be told apart.
PEGRASP_HD inline Support support(const PartView& p, V2 d) {
  if (p.curve() != nullptr) return {0, dot(d, smooth_point(p, d))};
  if (p.corners <= few_corners) {
    Support best{0, corner_value(p, 0, d)};
    PEGRASP_ROLLED
    for (int i = 1; i < p.corners; ++i) {
      const double value = corner_value(p, i, d);
      if (value > best.value) best = {i, value};
    }
    return best;
  }
  // Find i with d in the cone from normal i - 1 to normal i. Angles are measured from normal `edges - 1` = cone start
  // of corner 0, so the predicate "normal k comes before d" is monotone in k = 0 .. edges - 2.
  const V2 start = p.normal(p.edges - 1);
  const bool d_far =
      cross(start, d) < 0.0 || (cross(start, d) == 0.0 && dot(start, d) < 0.0);  // more than half a turn on
  int low = 0;
  int high = p.edges - 1;
  while (low < high) {
    const int mid = (low + high) / 2;
    const V2 n = p.normal(mid);
    const bool n_far = cross(start, n) < 0.0 || (cross(start, n) == 0.0 && dot(start, n) < 0.0);
    const bool before = n_far == d_far ? cross(n, d) > 0.0 : d_far;
    if (before) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  Support best{low, p.cx[low] * d.x + p.cy[low] * d.y + p.cr[low]};
  PEGRASP_ROLLED
  for (int guard = 0; guard < p.corners; ++guard) {
    const int i = p.next(best.corner);
    const double value = corner_value(p, i, d);
    if (!(value > best.value)) break;
    best = {i, value};
  }
  PEGRASP_ROLLED
  for (int guard = 0; guard < p.corners; ++guard) {
    const int i = p.previous(best.corner);
    const double value = corner_value(p, i, d);
    if (!(value > best.value)) break;
    best = {i, value};
  }
  return best;
}

// The same along two directions. Few corners are read once for both.
struct TwoSupports {
  Support first, second;
};
PEGRASP_HD inline TwoSupports two_supports(const PartView& p, V2 d, V2 e) {
  if (p.curve() == nullptr && p.corners <= few_corners) {
    TwoSupports best{{0, corner_value(p, 0, d)}, {0, corner_value(p, 0, e)}};
    PEGRASP_ROLLED
    for (int i = 1; i < p.corners; ++i) {
      const double along_d = corner_value(p, i, d);
      const double along_e = corner_value(p, i, e);
      if (along_d > best.first.value) best.first = {i, along_d};
      if (along_e > best.second.value) best.second = {i, along_e};
    }
    return best;
  }
  TwoSupports best{{0, 0.0}, {0, 0.0}};
  PEGRASP_ROLLED
  for (int k = 0; k < 2; ++k) {  // lest the device hold the code of two searches
    best.first = best.second;
    best.second = support(p, k == 0 ? d : e);
  }
  return best;
}

// A point of the bounded part near x (body frame): of a polygon with few corners the closest one, else one far in the
// direction of x.
PEGRASP_HD inline V2 point_near(const PartView& p, V2 x) {
  if (p.corners > few_corners || p.arcs != 0) {
    const V2 towards = x - p.middle;
    const double length = norm(towards);
    const V2 d = length > 0.0 ? (1.0 / length) * towards : V2{1.0, 0.0};
    const int corner = support(p, d).corner;
    return corner_point(p, corner, d);
  }
  double nearest = 1e300;
  V2 support_sphere = p.centre(0);
  bool inside = p.corners > 2;
  PEGRASP_ROLLED
  for (int i = 0; i < p.corners; ++i) {
    const V2 from = p.centre(i);
    const V2 along = p.centre(p.next(i)) - from;
    const V2 to = x - from;
    inside = inside && cross(along, to) >= 0.0;
    const double length2 = dot(along, along);
    const double t = length2 > 0.0 ? clamp(dot(to, along) / length2, 0.0, 1.0) : 0.0;
    const V2 miss = to - t * along;
    const double distance2 = dot(miss, miss);
    if (!(distance2 < nearest)) continue;
    nearest = distance2;
    support_sphere = from + t * along;
  }
  return inside ? x : support_sphere;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
