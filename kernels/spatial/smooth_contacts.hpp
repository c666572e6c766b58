// SPDX-License-Identifier: Apache-2.0
// The contacts of a pair with a smooth part (kernels/spatial/smooth_modes.hpp): one at the farthest point of the smooth
// part against a face, else where both parts come closest. Where the smooth part is nearly flat on a face, the farthest
// point runs along it for the least turn, and passes would follow it for ever. So there are more: points round the
// farthest one where the part lies back by a fraction of the tolerance and by more, or, of a superellipsoid's side,
// which has no curvature in its middle, round that; the farthest points of normals that are turned as far
// as the step may turn them; and the point that was the farthest in the last pass (NearPair::rims). Points that the
// motion does not reach carry no force.
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/cylinder_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline SmoothPair smooth_pair(const PairGeometry& g) {
  return smooth_pair(g.a, g.b, relative(g.a_pose, g.b_pose), relative(g.b_pose, g.a_pose));
}

// By how much a part is round where its outward normal is d (in its frame): the radius about which slip is measured.
PEGRASP_HD inline double round_at(const PartView& p, V3 d) {
  if (is_smooth(p)) return own_smooth(p).mean_radius(d);
  if (is_cylinder(p)) return way_to_axis(own_cylinder(p), d);
  return p.radius;
}

// In the world; the normal leads from a to b.
PEGRASP_HD_LARGE ContactPoint smooth_contact(const PairGeometry& g, int mode) {
  const SmoothPair pair = smooth_pair(g);
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const Frame& c_pose = pair.c_is_a ? g.a_pose : g.b_pose;
  const auto own_of_c = [&](V3 m) { return unrotate(c_pose, rotate(p_pose, m)); };
  if (mode_type(mode) != mode_round) {
    const V3 m = pair.p.normal(mode_i(mode));
    const V3 x = pair.seen.farthest(-m);
    const V3 n = rotate(p_pose, m);
    return {transform(p_pose, x),
            pair.c_is_a ? -n : n,
            dot(m, x) - pair.p.off[mode_i(mode)],
            mode,
            round_at(pair.c, own_of_c(-m)),
            0.0};
  }
  const SmoothPeak at = smooth_peak(pair, smooth_kind(pair, mode), smooth_feature(pair, mode));
  const V3 n = rotate(p_pose, at.m);
  const double of_p = round_at(pair.p, at.m);
  const double of_c = round_at(pair.c, own_of_c(-at.m));
  if (pair.c_is_a) return {transform(p_pose, at.on_p), -n, at.s, mode, of_p, of_c};
  return {transform(p_pose, at.on_c), n, at.s, mode, of_c, of_p};
}

// Whether a point lies over face or cap f of p, widened by `slack`, and not beside it; all in p's frame.
PEGRASP_HD_LARGE bool is_over(const PartView& p, int f, V3 x, double slack) {
  if (is_cylinder(p)) {
    const Cylinder own = own_cylinder(p);
    return norm(own.across(x - own.bottom)) <= own.radius + slack;
  }
  const int sides = p.corners(f);
  for (int k = 0; k < sides; ++k) {
    const V3 from = p.vertex(p.corner[p.first[f] + k]);
    const V3 to = p.vertex(p.corner[p.first[f] + (k + 1 == sides ? 0 : k + 1)]);
    if (dot(unit(cross(to - from, p.normal(f))), x - from) > slack) return false;
  }
  return true;
}
PEGRASP_HD inline bool smooth_lies_over(const PairGeometry& g, int mode) {
  if (mode_type(mode) == mode_round) return true;
  const SmoothPair pair = smooth_pair(g);
  return is_over(pair.p, mode_i(mode), pair.seen.farthest(-pair.p.normal(mode_i(mode))), 0.0);
}

constexpr int side_levels = 3;
// With the farthest point, and those of turned normals.
constexpr int turned_points = 8 * side_levels;
constexpr int last_point = turned_points + 4;
constexpr int smooth_contacts_most = 2 + last_point;

// Round the farthest point along d of an ellipsoid: where planes across d cut it. As below.
template <class Found>
PEGRASP_HD_LARGE void cut_points(const SmoothSolid& c, V3 d, double tolerance, double first_back, double further,
                                 const Found& found) {
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

// The points of a flat side, by found(x, number), x in P's frame. d: the direction towards P, unit, in C's axes.
template <class Found>
PEGRASP_HD_LARGE void flat_side_points(const SmoothSolid& c, V3 d, double flat_sine, double tolerance,
                                       const Found& found) {
  constexpr double first_back = 0.25;  // of the tolerance
  constexpr double further = 64.0;
  if (c.n == 2) {
    if (is_flat(c, d)) cut_points(c, d, tolerance, first_back, further, found);
    return;
  }
  const double own[3] = {d.x, d.y, d.z};
  int flat[2] = {};  // axes along which the side has no curvature
  int count = 0;
  double level[3] = {d.x, d.y, d.z};
  for (int k = 0; k < 3 && count < 2; ++k) {
    if (!(abs1(own[k]) < flat_sine)) continue;
    flat[count++] = k;
    level[k] = 0.0;
  }
  if (count == 0) return;
  const V3 middle = c.own_farthest({level[0], level[1], level[2]});
  const double high =
      (level[0] * middle.x + level[1] * middle.y + level[2] * middle.z) / norm({level[0], level[1], level[2]});
  const auto point = [&](double share, double first, double second, int number) {
    double x[3] = {share * middle.x, share * middle.y, share * middle.z};
    x[flat[0]] = first * component(c.half, flat[0]);
    if (count > 1) x[flat[1]] = second * component(c.half, flat[1]);
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
    turned[flat[i / 2]] = i % 2 == 0 ? flat_sine : -flat_sine;
    found(c.centre + c.from_own(c.own_farthest({turned[0], turned[1], turned[2]})), turned_points + i);
  }
}

// Adds the contacts of a mode. tolerance: that of penetration [m].
template <class Add>
PEGRASP_HD_RARE void smooth_contacts(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                     const Add& add) {
  add(smooth_contact(g, mode));
  if (mode_type(mode) == mode_round) return;
  const SmoothPair pair = smooth_pair(g);
  const int f = mode_i(mode);
  const V3 m = pair.p.normal(f);
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, pair.c_is_a ? -m : m);
  const auto add_point = [&](V3 x, int number) {
    if (!is_over(pair.p, f, x, tolerance)) return;
    add(ContactPoint{transform(p_pose, x), n, dot(m, x) - pair.p.off[f], pack_mode(mode_type(mode), f, 1 + number), 0.0,
                     0.0});
  };
  flat_side_points(pair.seen, pair.seen.to_own(-m), flat_sine, tolerance, add_point);
  if (g.rims != 0) add_point(pair.seen.point_of(g.rims), last_point);
}

// Whether a contact of a pair with a smooth part is the first one against a face.
PEGRASP_HD inline bool runs_along_face(int key) { return mode_type(key) != mode_round && mode_j(key) == 0; }
// Of that contact at x (world): the point for the next pass, or 0 where none is needed.
PEGRASP_HD_RARE unsigned remember_point(const PairGeometry& g, int key, V3 x) {
  const SmoothPair pair = smooth_pair(g);
  const V3 m = pair.p.normal(mode_i(key));
  if (pair.seen.n == 2 && !is_flat(pair.seen, pair.seen.to_own(-m))) return 0;
  return pair.seen.code_of(untransform(pair.c_is_a ? g.b_pose : g.a_pose, x));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
