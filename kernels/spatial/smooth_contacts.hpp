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
constexpr double first_back = 0.25;  // of the tolerance: a side counts as flat as far as it lies back by so much

// The points of a flat side, by found(x, number), x in P's frame. d: the direction towards P, unit, in C's axes.
template <class Found>
PEGRASP_HD_LARGE void flat_side_points(const SmoothSolid& c, V3 d, double flat_sine, double tolerance,
                                       const Found& found) {
  constexpr double further = 64.0;
  if (c.n == 2) {
    if (is_flat(c, d)) cut_points(c, d, tolerance, first_back, further, found);
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

// The corners of what counts as flat of a superellipsoid's side, or the ends where it has no curvature along one axis
// alone, in P's frame. Where the nearest point lies beyond them along an axis, they move out to it. d: as above;
// nearest: in C's axes, too. Returns how many there are; none where nothing is flat.
PEGRASP_HD_LARGE int side_corners(const SmoothSolid& c, V3 d, V3 nearest, double flat_sine, double tolerance, int type,
                                  ClipPoint* out) {
  if (c.n == 2) return 0;
  const FlatAxes flat = flat_axes(c, d, flat_sine);
  if (flat.count == 0) return 0;
  const double share = max2(0.0, 1.0 - first_back * tolerance / flat.high);
  const double left = 1.0 - whole_power(share, c.n);
  const double size = whole_root(left / flat.count, c.n);
  double reach[2][2] = {};  // of both axes, as shares of the half-axes
  for (int k = 0; k < flat.count; ++k) {
    const double at = component(nearest, flat.axis[k]) / component(c.half, flat.axis[k]);
    reach[k][0] = min2(-size, at);
    reach[k][1] = max2(size, at);
  }
  for (int i = 0; i < 2 * flat.count; ++i) {
    const double place[2] = {reach[0][i == 1 || i == 2 ? 1 : 0], reach[1][i >= 2 ? 1 : 0]};
    double rest = 1.0;
    for (int k = 0; k < flat.count; ++k) rest -= whole_power(abs1(place[k]), c.n);
    const double level = whole_root(max2(0.0, rest), c.n);
    double x[3] = {level * flat.middle.x, level * flat.middle.y, level * flat.middle.z};
    for (int k = 0; k < flat.count; ++k) x[flat.axis[k]] = place[k] * component(c.half, flat.axis[k]);
    out[i] = {c.centre + c.from_own({x[0], x[1], x[2]}), vertex_key(type, i)};
  }
  return 2 * flat.count;
}

// The face or cap of P that a flat side may lie on: that of the mode, or beside the line or vertex of the mode, `first`
// being its contact. -1 where there is none.
PEGRASP_HD inline int face_under_side(const PairGeometry& g, const SmoothPair& pair, int mode,
                                      const ContactPoint& first, double flat_sine) {
  if (mode_type(mode) != mode_round) return mode_i(mode);
  if (is_smooth(pair.p)) return -1;
  const V3 m = unrotate(pair.c_is_a ? g.b_pose : g.a_pose, pair.c_is_a ? -first.n : first.n);
  int face = -1;
  double most = 0.0;
  for (int f = 0; f < pair.p.faces; ++f) {
    const double facing = dot(pair.p.normal(f), m);
    if (!(facing > most) || pair.p.use[f] != edge_feature) continue;
    most = facing;
    face = f;
  }
  return 1.0 - most * most < flat_sine * flat_sine ? face : -1;
}

// Adds the springs of a shell under a flat side: at the corners of what of it lies over a face, a cap being an
// octagon. False where there is none. first: the contact of the mode.
template <class Add>
PEGRASP_HD_RARE bool side_springs(const PairGeometry& g, const SmoothPair& pair, int mode, const ContactPoint& first,
                                  double flat_sine, double tolerance, const Add& add) {
  constexpr int of_side = 0x1000;  // in the last field of keys, where vertices have it anyway
  const PartView& p = pair.p;
  const int f = pair.seen.n > 2 ? face_under_side(g, pair, mode, first, flat_sine) : -1;
  if (f < 0) return false;
  const int type = pair.face_of_p();
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const V3 m = p.normal(f);
  // contacts with a face lie on C, others on b
  const V3 on_c = pair.c_is_a && mode_type(mode) == mode_round ? first.p - first.gap * first.n : first.p;
  const V3 nearest = pair.seen.to_own(untransform(p_pose, on_c) - pair.seen.centre);
  ClipPoint points[2][largest_clip];
  int count = side_corners(pair.seen, pair.seen.to_own(-m), nearest, flat_sine, tolerance, type, points[0]);
  int now = 0;
  constexpr int rim = 8;
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
    count = clip(points[now], count, outward, dot(outward, tail) + tolerance, type, k, points[1 - now]);
    now = 1 - now;
  }
  const V3 n = rotate(p_pose, pair.c_is_a ? -m : m);
  for (int i = 0; i < count; ++i) {
    const V3 x = points[now][i].x;
    add(ContactPoint{transform(p_pose, x), n, dot(m, x) - p.off[f], points[now][i].key | of_side, 0.0, 0.0,
                     point_springs});
  }
  return count > 0;
}

// Adds the contacts of a mode. tolerance: that of penetration [m]. With a shell the first is a spring, or the corners
// of a flat side are.
template <class Add>
PEGRASP_HD_RARE void smooth_contacts(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                     const Add& add) {
  const SmoothPair pair = smooth_pair(g);
  ContactPoint first = smooth_contact(g, mode);
  if (g.shell && side_springs(g, pair, mode, first, flat_sine, tolerance, add)) first.role = point_guards;
  add(first);
  if (mode_type(mode) == mode_round) return;
  const int f = mode_i(mode);
  const V3 m = pair.p.normal(f);
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, pair.c_is_a ? -m : m);
  const auto add_point = [&](V3 x, int number) {
    if (!is_over(pair.p, f, x, tolerance)) return;
    add(ContactPoint{transform(p_pose, x), n, dot(m, x) - pair.p.off[f], pack_mode(mode_type(mode), f, 1 + number), 0.0,
                     0.0, point_guards});
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
