// SPDX-License-Identifier: Apache-2.0
// The contacts of a pair with a smooth part (kernels/spatial/smooth_modes.hpp): one at the farthest point of the smooth
// part against a face, else where both parts come closest. Where the smooth part is nearly flat there, that point runs
// along it for the least turn: passes would follow it for ever, and bodies on one point spin. So there are more:
//   - on a face, or beside the line or the vertex of one: points round the farthest one where the part lies back by a
//     fraction of the tolerance and by more, or, of a superellipsoid's side, which has no curvature in its middle,
//     round that; the farthest points of normals that are turned as far as the step may turn them; and the point that
//     was the farthest in the last pass (NearPair::rims);
//   - of a superellipsoid's side on a face, a line or another such side: the corners of what lies on each other, the
//     side being counted as far as it lies back by the same three depths. Their gaps are exact: to the face, or to the
//     nearest point of the smooth part.
// Points that the motion does not reach carry no force.
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/cylinder_contacts.hpp"
#include "kernels/spatial/smooth_sides.hpp"

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
  Clipping side;
  side.count = side_corners(pair.seen, pair.seen.to_own(-m), nearest, flat_sine, tolerance, type, side.points[0]);
  side.keep_over(p, f, tolerance, type);
  const V3 n = rotate(p_pose, pair.c_is_a ? -m : m);
  for (int i = 0; i < side.count; ++i) {
    const V3 x = side[i].x;
    add(ContactPoint{transform(p_pose, x), n, dot(m, x) - p.off[f], side[i].key | of_side, 0.0, 0.0, point_springs});
  }
  return side.count > 0;
}

// The points beside the first one, where a flat side of C lies on P: all in P's frame.
struct SidePoints {
  const PairGeometry& g;
  const SmoothPair& pair;
  double flat_sine, tolerance;
  int corners = 0;

  PEGRASP_HD const Frame& p_pose() const { return pair.c_is_a ? g.b_pose : g.a_pose; }
  PEGRASP_HD int face_of_c() const { return pair.c_is_a ? mode_face_a : mode_face_b; }
  PEGRASP_HD int key_of(const ClipPoint& x, int level) const {
    return pack_mode(mode_type(x.key), mode_i(x.key),
                     0x800 | (mode_j(x.key) & 0x2000) | (mode_j(x.key) & 0x1ff) << 2 | level);
  }
  PEGRASP_HD bool has_place() { return ++corners <= overlap_most; }

  // On face or cap f of P.
  template <class Add>
  PEGRASP_HD_LARGE_MEMBER void over_face(int f, bool with_farthest, const Add& add) {
    const V3 m = pair.p.normal(f);
    const V3 n = rotate(p_pose(), pair.c_is_a ? -m : m);
    const int type = pair.face_of_p();
    const auto add_at = [&](V3 x, int key) {
      add(ContactPoint{transform(p_pose(), x), n, dot(m, x) - pair.p.off[f], key, 0.0, 0.0, point_guards});
    };
    const auto add_point = [&](V3 x, int number) {
      if (is_over(pair.p, f, x, tolerance)) add_at(x, pack_mode(type, f, 1 + number));
    };
    const V3 d = pair.seen.to_own(-m);
    if (with_farthest) add_point(pair.seen.farthest(-m), last_point + 1);
    flat_side_points(pair.seen, d, flat_sine, tolerance, add_point);
    if (g.rims != 0) add_point(pair.seen.point_of(g.rims), last_point);
    if (pair.seen.n == 2 || pair.p.vertices == 0) return;
    const FlatAxes flat = flat_axes(pair.seen, d, flat_sine);
    for (int level = 0; level < side_levels && flat.count > 0; ++level) {
      const double size = side_size(pair.seen, flat, tolerance, level);
      Clipping side;
      side.count = side_outline(pair.seen, flat, size, type, side.points[0]);
      side.keep_over(pair.p, f, tolerance, type);
      for (int i = 0; i < side.count; ++i) {
        if (!side.is_corner(i) && has_place())
          add_at(point_beside_side(pair.seen, flat, side[i].x), key_of(side[i], level));
      }
      if (side.count > 0 && !side.meets_end(pair.seen, flat, size)) return;
    }
  }

  // A line of P, whose surface lies `radius` beyond it, along C's side. round: as in ContactPoint; number: of the line
  // among those of the mode.
  template <class Add>
  PEGRASP_HD_LARGE_MEMBER void over_line(const FlatAxes& flat, V3 tail, V3 head, double radius, double round,
                                         int number, const Add& add) {
    const int type = face_of_c();
    for (int level = 0; level < side_levels; ++level) {
      const double size = side_size(pair.seen, flat, tolerance, level);
      Clipping line;
      line.count = 2;
      line.points[0][0] = {tail, vertex_key(type, 2 * number)};
      line.points[0][1] = {head, vertex_key(type, 2 * number + 1)};
      line.keep_over(pair.seen, flat, size, type);
      for (int i = 0; i < line.count; ++i) {
        if (has_place()) add(on_side_of_c(line[i].x, radius, round, key_of(line[i], level)));
      }
      if (line.count > 0 && !line.meets_end(pair.seen, flat, size)) return;
    }
  }
  PEGRASP_HD ContactPoint on_side_of_c(V3 x, double radius, double round, int key) const {
    const NearestOnSolid at = nearest_on_solid(pair.seen, x);
    const V3 n = rotate(p_pose(), at.normal);
    return {transform(p_pose(), x - radius * at.normal),
            pair.c_is_a ? n : -n,
            at.s - radius,
            key,
            round,
            0.0,
            point_guards};
  }

  // Of two smooth parts: the corners of what lies on each other of their sides, on the one that is flat along fewer
  // axes.
  template <class Add>
  PEGRASP_HD_LARGE_MEMBER void over_smooth(const FlatAxes& flat, V3 m, const Add& add) {
    const SmoothSolid own = own_smooth(pair.p);
    if (own.n == 2) return;
    const FlatAxes other = flat_axes(own, own.to_own(m), flat_sine);
    if (other.count == 0) return;
    const bool on_p = other.count < flat.count;
    const int type = on_p ? face_of_c() : pair.face_of_p();
    const SmoothSolid& one = on_p ? own : pair.seen;
    const FlatAxes& one_flat = on_p ? other : flat;
    for (int level = 0; level < side_levels; ++level) {
      Clipping side;
      side.count = side_outline(one, one_flat, side_size(one, one_flat, tolerance, level), type, side.points[0]);
      side.keep_over(on_p ? pair.seen : own, on_p ? flat : other,
                     side_size(on_p ? pair.seen : own, on_p ? flat : other, tolerance, level), type);
      for (int i = 0; i < side.count; ++i) {
        if (!has_place()) return;
        const V3 x = point_beside_side(one, one_flat, side[i].x);
        const int key = key_of(side[i], level);
        if (on_p) {
          add(on_side_of_c(x, 0.0, 0.0, key));
          continue;
        }
        const NearestOnSolid at = nearest_on_solid(own, x);
        const V3 n = rotate(p_pose(), at.normal);
        add(ContactPoint{transform(p_pose(), x), pair.c_is_a ? -n : n, at.s, key, 0.0, 0.0, point_guards});
      }
    }
  }

  // From P to C.
  PEGRASP_HD V3 direction_of(const ContactPoint& first) const {
    return unrotate(p_pose(), pair.c_is_a ? -first.n : first.n);
  }
  PEGRASP_HD V3 on_c(const ContactPoint& first) const {
    return untransform(p_pose(), pair.c_is_a ? first.p - first.gap * first.n : first.p);
  }
  // Whether the first contact of two flat sides lies within what counts as flat of both. There it stays with its point
  // of C: the nearest points of the start of the step and of its end, at opposite ends of the sides, would rock them.
  PEGRASP_HD_LARGE_MEMBER bool holds_first(const ContactPoint& first) const {
    if (!is_smooth(pair.p)) return false;
    const V3 m = direction_of(first);
    const V3 x = on_c(first);
    const auto holds = [&](const SmoothSolid& c, V3 d) {
      if (c.n == 2) return false;
      const FlatAxes flat = flat_axes(c, c.to_own(d), flat_sine);
      if (flat.count == 0) return false;
      const double size = side_size(c, flat, tolerance, 0);
      const V3 own = c.to_own(x - c.centre);
      for (int k = 0; k < flat.count; ++k) {
        if (abs1(component(own, flat.axis[k])) > size * component(c.half, flat.axis[k])) return false;
      }
      return true;
    };
    return holds(pair.seen, -m) && holds(own_smooth(pair.p), m);
  }
  PEGRASP_HD ContactPoint as_vertex(const ContactPoint& first) const {
    const int key = pack_mode(pair.face_of_p(), 0, last_point + 3);
    return {transform(p_pose(), on_c(first)), first.n, first.gap, key, 0.0, 0.0, first.role};
  }

  // Beside the contact of a curved mode; m: the direction from P to C there.
  template <class Add>
  PEGRASP_HD_LARGE_MEMBER void beside_curved(int mode, V3 m, int face, const Add& add) {
    if (pair.seen.n == 2) return;
    const FlatAxes flat = flat_axes(pair.seen, pair.seen.to_own(-m), flat_sine);
    if (flat.count == 0) return;
    const PartView& p = pair.p;
    const auto lies_along = [&](V3 way) { return abs1(dot(way, m)) < flat_sine * norm(way); };
    if (is_smooth(p)) {
      over_smooth(flat, m, add);
    } else if (face >= 0) {
      over_face(face, true, add);
    } else if (is_cylinder(p)) {
      const Cylinder own = own_cylinder(p);
      if (lies_along(own.u)) over_line(flat, own.on_rim(0, m), own.on_rim(1, m), 0.0, round_at(p, m), 0, add);
    } else if (p.faces == 0) {
      if (p.vertices == 2 && lies_along(p.vertex(1) - p.vertex(0)))
        over_line(flat, p.vertex(0), p.vertex(1), p.radius, p.radius, 0, add);
    } else {
      const int feature = smooth_feature(pair, mode);
      const bool is_edge = smooth_kind(pair, mode) == smooth_edge;
      int lines = 0;
      for (int e = 0; e < p.ridges; ++e) {
        const bool here = is_edge ? e == feature : p.ridge[4 * e] == feature || p.ridge[4 * e + 1] == feature;
        if (here && lies_along(p.head(e) - p.tail(e))) over_line(flat, p.tail(e), p.head(e), 0.0, 0.0, lines++, add);
      }
    }
  }
};

// Adds the contacts of a mode. tolerance: that of penetration [m]. With a shell the first is a spring, or the corners
// of a flat side are.
template <class Add>
PEGRASP_HD_RARE void smooth_contacts(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                     const Add& add) {
  const SmoothPair pair = smooth_pair(g);
  ContactPoint first = smooth_contact(g, mode);
  if (g.shell && side_springs(g, pair, mode, first, flat_sine, tolerance, add)) first.role = point_guards;
  SidePoints points{g, pair, flat_sine, tolerance};
  if (!g.shell && points.holds_first(first)) first = points.as_vertex(first);
  add(first);
  if (mode_type(mode) != mode_round) {
    points.over_face(mode_i(mode), false, add);
    return;
  }
  const V3 m = points.direction_of(first);
  points.beside_curved(mode, m, face_under_side(g, pair, mode, first, flat_sine), add);
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
