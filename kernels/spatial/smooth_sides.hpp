// SPDX-License-Identifier: Apache-2.0
// Flat sides of smooth parts: the points of one that touch (kernels/spatial/smooth_contacts.hpp).
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/polyhedron_manifold.hpp"
#include "kernels/spatial/rims.hpp"
#include "kernels/spatial/smooth_pairs.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr double first_back = 0.25;  // of the tolerance: a side counts as flat as far as it lies back by so much
constexpr double further = 64.0;     // as far back on the next level
constexpr int side_levels = 3;
// With the farthest point, and those of turned normals.
constexpr int turned_points = 8 * side_levels;
constexpr int last_point = turned_points + 4;
// So many at most are corners of what lies on each other: of a face of 32 corners, and of a side.
constexpr int overlap_most = 36;
constexpr int smooth_contacts_most = 3 + last_point + overlap_most;

// Round the farthest point along d of an ellipsoid: where planes across d cut it. As below.
template <class Found>
PEGRASP_HD_LARGE void cut_points(const SmoothSolid& c, V3 d, double tolerance, const Found& found) {
  const V3 x = c.own_farthest(d);
  const V3 place{x.x / c.half.x, x.y / c.half.y, x.z / c.half.z};
  const double high = dot(d, x);
  const V3 one = any_across(place);
  const V3 other = cross(place, one);
  double back = first_back * tolerance;
  for (int k = 0; k < side_levels; ++k, back *= further) {
    const double share = max2(0.0, 1.0 - back / high);
    const double rest = square_root(1.0 - share * share);
    for (int i = 0; i < 8; ++i) {
      constexpr double diagonal = 0.70710678118654752440;
      const double size = i % 2 == 0 ? rest : diagonal * rest;  // 45 degrees apart
      const double s = i == 2 || i == 6 ? 0.0 : (i < 2 || i > 6 ? size : -size);
      const double t = i == 0 || i == 4 ? 0.0 : (i < 4 ? size : -size);
      const V3 at = share * place + (s * one + t * other);
      found(c.centre + c.from_own({c.half.x * at.x, c.half.y * at.y, c.half.z * at.z}), 8 * k + i);
    }
  }
}
// Whether an ellipsoid counts as flat where d is the normal.
PEGRASP_HD inline bool is_flat(const SmoothSolid& c, V3 d) {
  constexpr double from = 4.0;  // half-axes; that of both radii of a sphere is 2
  const Symmetric bend = c.own_bend(d);
  return bend.xx + bend.yy + bend.zz > from * largest_of(c.half);
}

// The axes along which the side of a superellipsoid that faces along the unit direction d (in its axes) has no
// curvature, but for an angle of flat_sine; the middle of that side, and how far it reaches.
struct FlatAxes {
  int axis[2];
  int count;
  V3 middle;
  double high;
};
PEGRASP_HD inline FlatAxes flat_axes(const SmoothSolid& c, V3 d, double flat_sine) {
  const double own[3] = {d.x, d.y, d.z};
  FlatAxes out{};
  double level[3] = {d.x, d.y, d.z};
  for (int k = 0; k < 3 && out.count < 2; ++k) {
    if (!(abs1(own[k]) < flat_sine)) continue;
    out.axis[out.count++] = k;
    level[k] = 0.0;
  }
  if (out.count == 0) return out;
  const V3 middle = c.own_farthest({level[0], level[1], level[2]});
  out.middle = middle;
  out.high = (level[0] * middle.x + level[1] * middle.y + level[2] * middle.z) / norm({level[0], level[1], level[2]});
  return out;
}
// The points of a flat side, by found(x, number), x in P's frame. d: the direction towards P, unit, in C's axes.
template <class Found>
PEGRASP_HD_LARGE void flat_side_points(const SmoothSolid& c, V3 d, double flat_sine, double tolerance,
                                       const Found& found) {
  if (c.n == 2) {
    if (is_flat(c, d)) cut_points(c, d, tolerance, found);
    return;
  }
  const FlatAxes flat = flat_axes(c, d, flat_sine);
  const int count = flat.count;
  if (count == 0) return;
  const V3 middle = flat.middle;
  const double high = flat.high;
  const auto point = [&](double share, double first, double second, int number) {
    double x[3] = {share * middle.x, share * middle.y, share * middle.z};
    x[flat.axis[0]] = first * component(c.half, flat.axis[0]);
    if (count > 1) x[flat.axis[1]] = second * component(c.half, flat.axis[1]);
    found(c.centre + c.from_own({x[0], x[1], x[2]}), number);
  };
  double back = first_back * tolerance;
  const double diagonal = 1.0 / whole_root(2.0, c.n);
  for (int k = 0; k < side_levels; ++k, back *= further) {
    const double share = max2(0.0, 1.0 - back / high);
    const double rest = whole_root(1.0 - whole_power(share, c.n), c.n);
    for (int i = 0; i < (count > 1 ? 8 : 2); ++i) {
      const double turn[8][2] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0},  {0.0, -1.0},
                                 {1.0, 1.0}, {-1.0, 1.0}, {1.0, -1.0}, {-1.0, -1.0}};
      const double size = i < 4 ? rest : diagonal * rest;
      point(share, size * turn[i][0], size * turn[i][1], 8 * k + i);
    }
  }
  for (int i = 0; i < 2 * count; ++i) {
    double turned[3] = {d.x, d.y, d.z};
    turned[flat.axis[i / 2]] = i % 2 == 0 ? flat_sine : -flat_sine;
    found(c.centre + c.from_own(c.own_farthest({turned[0], turned[1], turned[2]})), turned_points + i);
  }
}

// The point of the side at these shares of the half-axes along its axes, in P's frame.
PEGRASP_HD inline V3 point_of_side(const SmoothSolid& c, const FlatAxes& flat, const double* place) {
  double rest = 1.0;
  for (int k = 0; k < flat.count; ++k) rest -= whole_power(abs1(place[k]), c.n);
  const double level = whole_root(max2(0.0, rest), c.n);
  double x[3] = {level * flat.middle.x, level * flat.middle.y, level * flat.middle.z};
  for (int k = 0; k < flat.count; ++k) x[flat.axis[k]] = place[k] * component(c.half, flat.axis[k]);
  return c.centre + c.from_own({x[0], x[1], x[2]});
}
// The point of the side beside x, which may lie a little in front of it or behind.
PEGRASP_HD inline V3 point_beside_side(const SmoothSolid& c, const FlatAxes& flat, V3 x) {
  const V3 own = c.to_own(x - c.centre);
  double place[2] = {};
  for (int k = 0; k < flat.count; ++k) place[k] = component(own, flat.axis[k]) / component(c.half, flat.axis[k]);
  return point_of_side(c, flat, place);
}

// How far a side reaches along each of its axes, as a share of the half-axis, where its corners lie back by a level's
// depth.
PEGRASP_HD inline double side_size(const SmoothSolid& c, const FlatAxes& flat, double tolerance, int level) {
  double back = first_back * tolerance;
  for (int k = 0; k < level; ++k) back *= further;
  const double share = max2(0.0, 1.0 - back / flat.high);
  return whole_root((1.0 - whole_power(share, c.n)) / flat.count, c.n);
}
// The corners of a side within these shares of its half-axes (lowest and highest along each), or the ends where it has
// no curvature along one axis alone. Returns how many there are.
PEGRASP_HD inline int side_outline(const SmoothSolid& c, const FlatAxes& flat, const double (*reach)[2], int type,
                                   ClipPoint* out) {
  for (int i = 0; i < 2 * flat.count; ++i) {
    const double place[2] = {reach[0][i == 1 || i == 2 ? 1 : 0], reach[1][i >= 2 ? 1 : 0]};
    out[i] = {point_of_side(c, flat, place), vertex_key(type, i)};
  }
  return 2 * flat.count;
}
PEGRASP_HD inline int side_outline(const SmoothSolid& c, const FlatAxes& flat, double size, int type, ClipPoint* out) {
  const double reach[2][2] = {{-size, size}, {-size, size}};
  return side_outline(c, flat, reach, type, out);
}

// The corners of what counts as flat of a superellipsoid's side, or the ends where it has no curvature along one axis
// alone, in P's frame. Where the nearest point lies beyond them along an axis, they move out to it. d: as above;
// nearest: in C's axes, too. Returns how many there are; none where nothing is flat.
PEGRASP_HD_LARGE int side_corners(const SmoothSolid& c, V3 d, V3 nearest, double flat_sine, double tolerance, int type,
                                  ClipPoint* out) {
  if (c.n == 2) return 0;
  const FlatAxes flat = flat_axes(c, d, flat_sine);
  if (flat.count == 0) return 0;
  const double size = side_size(c, flat, tolerance, 0);
  double reach[2][2] = {};  // of both axes, as shares of the half-axes
  for (int k = 0; k < flat.count; ++k) {
    const double at = component(nearest, flat.axis[k]) / component(c.half, flat.axis[k]);
    reach[k][0] = min2(-size, at);
    reach[k][1] = max2(size, at);
  }
  return side_outline(c, flat, reach, type, out);
}

// An outline of points that is clipped again and again.
struct Clipping {
  ClipPoint points[2][largest_clip];
  int count = 0;
  int now = 0;

  PEGRASP_HD const ClipPoint& operator[](int i) const { return points[now][i]; }
  // Keeps n . x <= offset.
  PEGRASP_HD void keep(V3 n, double offset, int type, int side) {
    count = clip(points[now], count, n, offset, type, side, points[1 - now]);
    now = 1 - now;
  }
  // Keeps what lies over face or cap f of p, widened by `slack`; of a cap the octagon of its rim's points counts.
  PEGRASP_HD void keep_over(const PartView& p, int f, double slack, int type) {
    constexpr int rim = 8;
    const V3 m = p.normal(f);
    const int sides = is_cylinder(p) ? rim : p.corners(f);
    const auto corner = [&](int k) {
      if (!is_cylinder(p)) return p.vertex(p.corner[p.first[f] + k]);
      constexpr double diagonal = 0.70710678118654752440;
      const double size = k % 2 == 0 ? 1.0 : diagonal;
      const double x = k == 2 || k == 6 ? 0.0 : (k < 2 || k > 6 ? size : -size);
      const double y = k == 0 || k == 4 ? 0.0 : (k < 4 ? size : -size);
      const Cylinder own = own_cylinder(p);
      const V3 e = rim_axis(p.normal(1));
      return own.end(f) + own.radius * (x * e + y * cross(m, e));
    };
    for (int k = 0; k < sides && count > 0; ++k) {
      const V3 tail = corner(k == 0 ? sides - 1 : k - 1);
      const V3 outward = unit(cross(corner(k) - tail, m));
      keep(outward, dot(outward, tail) + slack, type, k);
    }
  }
  // Keeps what lies over a side of a smooth part, as far as that reaches (side_size).
  PEGRASP_HD void keep_over(const SmoothSolid& c, const FlatAxes& flat, double size, int type) {
    for (int i = 0; i < 2 * flat.count && count > 0; ++i) {
      const int k = flat.axis[i / 2];
      const V3 outward = i % 2 == 0 ? c.axis[k] : -c.axis[k];
      keep(outward, dot(outward, c.centre) + size * component(c.half, k), type, i);
    }
  }
  // Whether any of it lies where a side ends that reaches as far as `size`: if none does, it goes no farther on the
  // side's next level.
  PEGRASP_HD bool meets_end(const SmoothSolid& c, const FlatAxes& flat, double size) const {
    constexpr double within = 1.0 - 1e-9;
    for (int i = 0; i < count; ++i) {
      const V3 own = c.to_own(points[now][i].x - c.centre);
      for (int k = 0; k < flat.count; ++k) {
        if (abs1(component(own, flat.axis[k])) >= within * size * component(c.half, flat.axis[k])) return true;
      }
    }
    return false;
  }
  // Whether a point is a corner of the outline as it was before.
  PEGRASP_HD bool is_corner(int i) const { return mode_j(points[now][i].key) == key_of_vertex; }
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
