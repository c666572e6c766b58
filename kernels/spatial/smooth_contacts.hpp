// SPDX-License-Identifier: Apache-2.0
// The contacts of a pair with a smooth part (kernels/spatial/smooth_modes.hpp): one at the farthest point of the smooth
// part against a face, else where both parts come closest. A side without curvature, of a superellipsoid of higher
// order, that lies nearly flat on a face has more: there the farthest point runs along the side for the least turn, and
// passes would follow it for ever. They are points round the middle of the side, where it lies back by a fraction of the
// tolerance and by more, and the farthest points of normals that are turned as far as the step may turn them. Points
// that the motion does not reach carry no force.
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
    return {transform(p_pose, x), pair.c_is_a ? -n : n, dot(m, x) - pair.p.off[mode_i(mode)], mode,
            round_at(pair.c, own_of_c(-m)), 0.0};
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
constexpr int smooth_contacts_most = 1 + 8 * side_levels + 4;

// The points of a flat side, by found(x, number), x in P's frame. d: the direction towards P, unit, in C's axes.
template <class Found>
PEGRASP_HD_LARGE void flat_side_points(const SmoothSolid& c, V3 d, double flat_sine, double tolerance,
                                       const Found& found) {
  constexpr double first_back = 0.25;  // of the tolerance
  constexpr double further = 64.0;
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
  const double high = (level[0] * middle.x + level[1] * middle.y + level[2] * middle.z) /
                      norm({level[0], level[1], level[2]});
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
      const double turn[8][2] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}, {1.0, -1.0},
                                 {-1.0, -1.0}};
      const double size = i < 4 ? rest : diagonal * rest;
      point(share, size * turn[i][0], size * turn[i][1], 8 * k + i);
    }
  }
  for (int i = 0; i < 2 * count; ++i) {
    double turned[3] = {d.x, d.y, d.z};
    turned[flat[i / 2]] = i % 2 == 0 ? flat_sine : -flat_sine;
    found(c.centre + c.from_own(c.own_farthest({turned[0], turned[1], turned[2]})), 8 * side_levels + i);
  }
}

// Adds the contacts of a mode. tolerance: that of penetration [m].
template <class Add>
PEGRASP_HD_RARE void smooth_contacts(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                     const Add& add) {
  add(smooth_contact(g, mode));
  if (mode_type(mode) == mode_round) return;
  const SmoothPair pair = smooth_pair(g);
  if (pair.seen.n == 2) return;
  const int f = mode_i(mode);
  const V3 m = pair.p.normal(f);
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, pair.c_is_a ? -m : m);
  flat_side_points(pair.seen, pair.seen.to_own(-m), flat_sine, tolerance, [&](V3 x, int number) {
    if (!is_over(pair.p, f, x, tolerance)) return;
    add(ContactPoint{transform(p_pose, x), n, dot(m, x) - pair.p.off[f], pack_mode(mode_type(mode), f, 1 + number), 0.0,
                     0.0});
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
