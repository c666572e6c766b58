// SPDX-License-Identifier: Apache-2.0
// Contacts of pairs with exact cylinders (kernels/spatial/cylinder_modes.hpp).
//
// A cap that lies nearly flat on a face touches it in a disc, cut off by the outline of the face. Its contacts are
// eight points of the rim that turn with the body, the deepest point of the rim, and the corners of the region: where
// the rim crosses an edge of the outline, and corners of the outline over the disc. The deepest point keeps the rim off
// exactly, as later passes take it anew: the cylinder tips over its rim and not over a chord. Those of the last passes
// stay beside it (kernels/spatial/rims.hpp). A side that lies along a
// face, or along another part's edge or axis, touches at the ends of their overlap; everything else at a point.
//
// A contact's point lies on the surface and moves with its body: s has the gradient that this gives, as the normal is
// where s peaks. On a side, and on a rim that leans little, what rolls turns about the axis: there the contact's
// radius is that to the axis, along the normal.
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/rims.hpp"
#include "kernels/spatial/round_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Distance from a point of the surface to the axis along the unit normal n, or 0 where that is far or nowhere.
PEGRASP_HD inline double way_to_axis(const Cylinder& c, V3 n) {
  constexpr double least = 0.5;  // cosine
  const double q = norm(c.across(n));
  return q >= least ? c.radius / q : 0.0;
}
// Whether the side, or a cap, is nearly flat on a plane with the unit normal n.
PEGRASP_HD inline bool lies_on_side(const Cylinder& c, V3 n) { return abs1(dot(n, c.u)) < round_lean; }
PEGRASP_HD inline bool stands_on_cap(const Cylinder& c, V3 n) {
  const double along = dot(n, c.u);
  return 1.0 - along * along < round_lean * round_lean;
}

// Keys beside those of vertices and cuts: what of a cap touches.
constexpr int cap_bit = 0x1000;
constexpr int first_cut = 16;
constexpr int first_corner = 128;
PEGRASP_HD inline int cap_key(int type, int end, int what) { return pack_mode(type, what, cap_bit | end); }
PEGRASP_HD inline int end_key(int type, int end) { return vertex_key(type, end); }

// A face with the outward unit normal n that what lies on it is measured against (world); p: whose it is.
struct Reference {
  int type;
  V3 n;
  double base;

  template <class Add>
  PEGRASP_HD void touch(V3 x, double radius, double round, int key, const Add& add, int role = point_bears) const {
    add(ContactPoint{surface_point(x, n, radius), type == mode_face_a ? n : -n, dot(n, x) - base - radius, key, round,
                     0.0, role});
  }
};

// A convex outline in a plane, without corners for all of the plane, seen along `view`: a unit vector on the side of
// its outward normal n.
struct FlatOutline {
  const ClipPoint* corner;
  int count;
  V3 n, at, view;  // `at`: a point of the plane
  double slack;

  PEGRASP_HD V3 outward(int k) const { return unit(cross(corner[k + 1 == count ? 0 : k + 1].x - corner[k].x, view)); }
  PEGRASP_HD double beyond(int k, V3 x) const { return dot(outward(k), x - corner[k].x) - slack; }
  PEGRASP_HD bool has(V3 x, int but) const {
    for (int k = 0; k < count; ++k) {
      if (k != but && beyond(k, x) > 0.0) return false;
    }
    return true;
  }
  // The point of the plane that is seen in the same place as x.
  PEGRASP_HD V3 seen(V3 x) const { return x + (dot(n, at - x) / dot(n, view)) * view; }
};

// Eight directions of a rim that turn with the body, one more, `deepest`, and those that were the deepest.
constexpr int rim_points = 8;
constexpr int rim_directions = rim_points + 1 + rims_remembered;
// The direction of number j; false where there is none. down: towards the deepest, of any length; rims: as in NearPair.
PEGRASP_HD_LARGE bool rim_direction(const PartView& part, const Frame& pose, V3 u, V3 down, unsigned rims, int j,
                                    V3& out) {
  constexpr double level = 1e-9;  // of the tilt: below it no point of the rim is the deepest
  constexpr double apart = 1e-5;  // of two points: half the square of the angle
  const V3 e = rotate(pose, rim_axis(part.normal(1)));
  if (j < rim_points) {
    const double share = j % 2 == 0 ? 1.0 : 0.70710678118654752;  // 45 degrees apart
    const double x = j == 2 || j == 6 ? 0.0 : (j < 2 || j > 6 ? share : -share);
    const double y = j == 0 || j == 4 ? 0.0 : (j < 4 ? share : -share);
    out = x * e + y * cross(u, e);
    return true;
  }
  const double tilt = norm(down);
  if (!(tilt > level)) return false;
  const V3 deepest = (1.0 / tilt) * down;
  out = deepest;
  if (j == rim_points) return true;
  const unsigned code = rim_code(rims, j - rim_points - 1);
  if (code == 0) return false;
  out = rim_of_code(code, e, u);
  return dot(out, deepest) < 1.0 - apart;
}

// Where the springs of a shell are under a cap: at the corners of the region, those of the rim being its eight points
// that turn with the body; of a cap that leans by more than faces that lie flat (flat_sine), at its deepest point, or
// at the other corners where that lies beside the face.
struct CapSprings {
  bool flat;
  bool deepest;  // lies over the face
  PEGRASP_HD int role(int what) const {
    const bool cut = what >= first_cut;
    const bool bears = flat ? cut || what < rim_points : (deepest ? what == rim_points : cut);
    return bears ? point_bears : point_guards;
  }
};

// The corners and the rim's points of the region where cap `end` of c and an outline are seen over each other:
// emit(x_disc, x_plane, what, role). Returns how many there are.
template <class Emit>
PEGRASP_HD_LARGE int disc_over_outline(const PartView& part, const Frame& pose, const Cylinder& c, int end,
                                       const FlatOutline& outline, unsigned rims, double flat_sine, const Emit& emit) {
  int count = 0;
  const V3 centre = c.end(end);
  const V3 down = -c.across(outline.n);
  CapSprings springs{norm(down) < flat_sine, false};
  V3 deepest{};
  if (!springs.flat && rim_direction(part, pose, c.u, down, rims, rim_points, deepest))
    springs.deepest = outline.has(centre + c.radius * deepest, -1);
  const auto rim = [&](V3 out, int what) {
    const V3 x = centre + c.radius * out;
    if (!outline.has(x, -1)) return;
    emit(x, outline.seen(x), what, springs.role(what));
    ++count;
  };
  for (int j = 0; j < rim_directions; ++j) {
    V3 out{};
    if (rim_direction(part, pose, c.u, down, rims, j, out)) rim(out, j);
  }
  for (int k = 0; k < outline.count; ++k) {
    const V3 side = c.across(outline.outward(k));
    const double slope = norm(side);
    const double far = slope > 0.0 ? -outline.beyond(k, centre) / slope : 1e300;  // of the edge from the centre
    const double half2 = c.radius * c.radius - far * far;
    if (half2 > 0.0) {
      const V3 out = (1.0 / slope) * side;
      const V3 half = square_root(half2) * cross(c.u, out);
      for (int turn = 0; turn < 2; ++turn) {
        const V3 x = centre + far * out + (turn == 0 ? half : -half);
        if (!outline.has(x, k)) continue;
        emit(x, outline.seen(x), first_cut + 2 * k + turn, springs.role(first_cut));
        ++count;
      }
    }
    const V3 corner = outline.corner[k].x;
    const V3 below = corner + (dot(c.u, centre - corner) / dot(c.u, outline.view)) * outline.view;
    if (!(norm(below - centre) < c.radius)) continue;
    emit(below, corner, first_corner + k, springs.role(first_corner));
    ++count;
  }
  return count;
}

// The two points of the segment from `low` to `high` between which it is over something; keys of its own ends.
struct SegmentOver {
  V3 tail, along;
  double low = 0.0, high = 1.0;
  int low_key, high_key;

  PEGRASP_HD SegmentOver(V3 from, V3 to, int from_key, int to_key)
      : tail(from), along(to - from), low_key(from_key), high_key(to_key) {}
  // Cuts off what is beyond a plane; the signed distances of the segment's own ends.
  PEGRASP_HD void cut(double at_low, double at_high, int key) {
    if (at_low > 0.0 && at_high > 0.0) {
      high = -1.0;
    } else if (at_low > 0.0 || at_high > 0.0) {
      const double t = at_low / (at_low - at_high);
      if (at_low > 0.0 && t > low) {
        low = t;
        low_key = key;
      } else if (at_high > 0.0 && t < high) {
        high = t;
        high_key = key;
      }
    }
  }
  // Cuts off what is farther than `radius` from an axis.
  PEGRASP_HD void cut_round(const Cylinder& c, double radius, int key) {
    const V3 from = c.across(tail - c.bottom);
    const V3 way = c.across(along);
    const double ww = dot(way, way);
    const double fw = dot(from, way);
    const double left = fw * fw - ww * (dot(from, from) - radius * radius);
    if (!(ww > 0.0)) {
      if (dot(from, from) > radius * radius) high = -1.0;
      return;
    }
    if (!(left > 0.0)) {
      high = -1.0;
      return;
    }
    const double half = square_root(left);
    if ((-fw - half) / ww > low) {
      low = (-fw - half) / ww;
      low_key = key;
    }
    if ((-fw + half) / ww < high) {
      high = (-fw + half) / ww;
      high_key = key | 1 << 30;
    }
  }
  template <class F>
  PEGRASP_HD bool ends(const F& f) const {
    if (!(low <= high)) return false;
    f(tail + low * along, low_key);
    if (low < high) f(tail + high * along, high_key);
    return true;
  }
};

// What of the cylinder c lies over face f of p, a polyhedron or a half-space. False where nothing does.
template <class Add>
PEGRASP_HD_LARGE bool cylinder_over_face(const PartView& p, const Frame& p_pose, int f, const PartView& part,
                                         const Frame& pose, int type, unsigned rims, double flat_sine, double slack,
                                         const Add& add) {
  const Cylinder c = seen_cylinder(part, pose);
  const V3 n = rotate(p_pose, p.normal(f));
  const Reference face{type, n, dot(n, p_pose.origin) + p.off[f]};
  ClipPoint corners[largest_clip];
  const int sides = p.corners(f);
  for (int k = 0; k < sides; ++k) corners[k] = {transform(p_pose, p.vertex(p.corner[p.first[f] + k])), 0};
  const FlatOutline outline{corners, sides, n, face.base * n, n, slack};
  if (stands_on_cap(c, n)) {
    const int end = lower_end(c, -n) != 0 ? 0 : 1;
    return disc_over_outline(part, pose, c, end, outline, rims, flat_sine, [&](V3 x, V3, int what, int role) {
             face.touch(x, 0.0, 0.0, cap_key(type, end, what), add, role);
           }) > 0;
  }
  const double round = way_to_axis(c, n);
  if (!lies_on_side(c, n)) {
    const V3 x = c.farthest(-n);
    if (!outline.has(x, -1)) return false;
    face.touch(x, 0.0, round, end_key(type, 2), add);
    return true;
  }
  SegmentOver line(c.on_rim(0, -n), c.on_rim(1, -n), end_key(type, 0), end_key(type, 1));
  for (int k = 0; k < sides; ++k) {
    line.cut(outline.beyond(k, line.tail), outline.beyond(k, line.tail + line.along), pack_mode(type, k, cap_bit | 2));
  }
  return line.ends([&](V3 x, int key) { face.touch(x, 0.0, round, key, add); });
}

// Whether a contact is at the deepest point of a rim; of two cylinders `end` 2 and 3 are of the one whose cap counts.
PEGRASP_HD inline bool at_deepest(int key) {
  return (mode_j(key) & ~3) == cap_bit && mode_i(key) == rim_points && mode_type(key) != mode_round;
}

// Remembers where the rim was deepest.
PEGRASP_HD_LARGE unsigned remember_rim(const PairGeometry& g, unsigned rims, int key, V3 x) {
  const bool p_is_a = mode_type(key) == mode_face_a;
  const bool both = is_cylinder(g.a) && is_cylinder(g.b);
  const bool of_p = both ? (mode_j(key) & 2) != 0 : is_cylinder(p_is_a ? g.a : g.b);
  const unsigned code = of_p == p_is_a ? code_of_point(g.a, g.a_pose, x) : code_of_point(g.b, g.b_pose, x);
  if (!both) return rims << 16 | code;
  return of_p ? (rims & 0xffffu) | code << 16 : (rims & 0xffff0000u) | code;
}

// The rim's points of cap `end` of c that, moved along `view` into the plane of cap `other_end` of another cylinder,
// are within `radius` of its axis: emit(x, what), moved.
template <class Emit>
PEGRASP_HD_LARGE int rim_over_disc(const PartView& part, const Frame& pose, const Cylinder& c, int end,
                                   const Cylinder& other, int other_end, V3 view, double radius, unsigned rims,
                                   const Emit& emit) {
  int count = 0;
  const V3 centre = other.end(other_end);
  const auto rim = [&](V3 out, int what) {
    const V3 from = c.end(end) + c.radius * out;
    const V3 x = from + (dot(other.u, centre - from) / dot(other.u, view)) * view;
    if (norm(x - centre) > radius) return;
    emit(x, what);
    ++count;
  };
  // the lower end of a cap that faces the other: towards where the other's axis leans
  const double facing = dot(c.out(end), other.u) < 0.0 ? -1.0 : 1.0;
  for (int j = 0; j < rim_directions; ++j) {
    V3 out{};
    if (rim_direction(part, pose, c.u, facing * c.across(other.u), rims, j, out)) rim(out, j);
  }
  return count;
}

// Where the rim of cap `end` of `other` crosses that of cap k of c, seen along c's axis; turn: which of two crossings.
// From where circles of these radii would cross, which they do where the caps are parallel, by Newton's method.
PEGRASP_HD_LARGE bool rims_cross(const Cylinder& c, int k, const Cylinder& other, int end, int turn, V3& x) {
  constexpr int most = 8;
  constexpr double enough = 1e-12;
  const V3 between = c.across(c.end(k) - other.end(end));
  const double apart = norm(between);
  if (!(apart > 0.0)) return false;
  const double along = 0.5 * (apart * apart + other.radius * other.radius - c.radius * c.radius) / apart;
  const double half2 = other.radius * other.radius - along * along;
  if (!(half2 > 0.0)) return false;
  const V3 to = (1.0 / apart) * between;
  const V3 half = square_root(half2) * cross(c.u, to);
  V3 out = other.lean(along * to + (turn == 0 ? half : -half));
  const double square = c.radius * c.radius;
  for (int i = 0; i < most; ++i) {
    x = other.end(end) + other.radius * out;
    const V3 from = c.across(x - c.end(k));
    const double miss = dot(from, from) - square;
    if (abs1(miss) <= enough * square) return true;
    const V3 ahead = cross(other.u, out);
    const double rate = 2.0 * other.radius * dot(from, ahead);
    if (!(abs1(miss) < 0.5 * abs1(rate))) return false;
    out = other.lean(out - (miss / rate) * ahead);
  }
  return false;
}

// Cap `end` of q on cap k of p, whose outward normal is that of `cap`.
template <class Add>
PEGRASP_HD_LARGE bool cap_over_cap(const PairGeometry& g, bool p_is_a, int k, int end, const Reference& cap,
                                   double flat_sine, double slack, const Add& add) {
  const PartView& p = p_is_a ? g.a : g.b;
  const PartView& q = p_is_a ? g.b : g.a;
  const Frame& p_pose = p_is_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = p_is_a ? g.b_pose : g.a_pose;
  const Cylinder own = seen_cylinder(p, p_pose);
  const Cylinder other = seen_cylinder(q, q_pose);
  const V3 n = cap.n;
  const auto touch = [&](V3 x, int key, int role) { cap.touch(x, 0.0, 0.0, key, add, role); };
  const CapSprings of_q{norm(own.across(other.u)) < flat_sine, true};
  bool lowest = false;  // the deepest point of q's rim lies over the cap
  const auto back = [&](V3 x) { return x + (dot(other.u, other.end(end) - x) / dot(other.u, n)) * n; };
  int count =
      rim_over_disc(q, q_pose, other, end, own, k, n, own.radius + slack, rim_code(g.rims, 0), [&](V3 x, int what) {
        lowest = lowest || what == rim_points;
        touch(back(x), cap_key(cap.type, end, what), of_q.role(what));
      });
  const bool others = of_q.flat || !lowest;
  // Where all of q's rim lies over the cap, widened by the slack, crossings are no corners of the region.
  const bool whole = norm(own.across(own.end(k) - other.end(end))) + other.radius <= own.radius + slack;
  count += rim_over_disc(
      p, p_pose, own, k, other, end, n, other.radius - slack, rim_code(g.rims, 1),
      [&](V3 x, int what) { touch(x, cap_key(cap.type, 2 + end, what), others ? of_q.role(what) : point_guards); });
  for (int turn = 0; turn < 2; ++turn) {
    V3 x{};
    if (!rims_cross(own, k, other, end, turn, x)) continue;
    touch(x, cap_key(cap.type, end, first_cut + turn), others && !whole ? point_bears : point_guards);
    ++count;
  }
  return count > 0;
}

// What of the other part lies over cap k of a cylinder; type says whose it is. False where nothing does.
template <class Add>
PEGRASP_HD_LARGE bool part_over_cap(const PairGeometry& g, int type, int k, double flat_sine, double slack,
                                    const Add& add) {
  const bool p_is_a = type == mode_face_a;
  const PartView& q = p_is_a ? g.b : g.a;
  const Frame& q_pose = p_is_a ? g.b_pose : g.a_pose;
  const PartView& p = p_is_a ? g.a : g.b;
  const Frame& p_pose = p_is_a ? g.a_pose : g.b_pose;
  const Cylinder own = seen_cylinder(p, p_pose);
  const V3 n = own.out(k);
  const Reference cap{type, n, dot(n, own.end(k))};
  if (is_cylinder(q)) {
    const Cylinder other = seen_cylinder(q, q_pose);
    if (stands_on_cap(other, n))
      return cap_over_cap(g, p_is_a, k, lower_end(other, -n) != 0 ? 0 : 1, cap, flat_sine, slack, add);
    const double round = way_to_axis(other, n);
    if (lies_on_side(other, n)) {
      SegmentOver line(other.on_rim(0, -n), other.on_rim(1, -n), end_key(type, 0), end_key(type, 1));
      line.cut_round(own, own.radius + slack, pack_mode(type, k, cap_bit | 3));
      return line.ends([&](V3 x, int key) { cap.touch(x, 0.0, round, key, add); });
    }
    const V3 x = other.farthest(-n);
    if (norm(own.across(x - own.bottom)) > own.radius + slack) return false;
    cap.touch(x, 0.0, round, end_key(type, 2), add);
    return true;
  }
  ClipPoint points[largest_clip];
  const int count = incident_feature(q, q_pose, n, flat_sine, type, points);
  if (count > 2) {
    V3 area{0.0, 0.0, 0.0};
    for (int i = 1; i + 1 < count; ++i) {
      area = area + cross(points[i].x - points[0].x, points[i + 1].x - points[0].x);
    }
    const FlatOutline outline{points, count, unit(area), points[0].x, -n, slack};
    return disc_over_outline(p, p_pose, own, k, outline, g.rims, flat_sine, [&](V3, V3 x, int what, int role) {
             cap.touch(x, 0.0, 0.0, what >= first_corner ? points[what - first_corner].key : cap_key(type, k, what),
                       add, role);
           }) > 0;
  }
  const auto touch = [&](V3 x, int key) { cap.touch(x, q.radius, q.radius, key, add); };
  if (count == 2) {
    SegmentOver line(points[0].x, points[1].x, points[0].key, points[1].key);
    line.cut_round(own, own.radius + slack, pack_mode(type, mode_i(points[0].key), cap_bit | 3));
    return line.ends(touch);
  }
  if (norm(own.across(points[0].x - own.bottom)) > own.radius + slack) return false;
  touch(points[0].x, points[0].key);
  return true;
}

// Contacts of a flat mode: as above or, where nothing lies over the face, of the other part's deepest point.
template <class Add>
PEGRASP_HD_LARGE bool cylinder_on_flat(const PairGeometry& g, int type, int f, double flat_sine, double slack,
                                       const Add& add) {
  const bool p_is_a = type == mode_face_a;
  const PartView& p = p_is_a ? g.a : g.b;
  const PartView& q = p_is_a ? g.b : g.a;
  if (is_cylinder(p)) return part_over_cap(g, type, f, flat_sine, slack, add);
  return cylinder_over_face(p, p_is_a ? g.a_pose : g.b_pose, f, q, p_is_a ? g.b_pose : g.a_pose, type, g.rims,
                            flat_sine, slack, add);
}
template <class Add>
PEGRASP_HD_LARGE void deepest_on_flat(const PairGeometry& g, int type, int f, const Add& add) {
  const bool p_is_a = type == mode_face_a;
  const PartView& p = p_is_a ? g.a : g.b;
  const PartView& q = p_is_a ? g.b : g.a;
  const Frame& p_pose = p_is_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = p_is_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, p.normal(f));
  const Reference face{type, n, dot(n, p_pose.origin) + p.off[f]};
  if (is_cylinder(q)) {
    const Cylinder c = seen_cylinder(q, q_pose);
    face.touch(c.farthest(-n), 0.0, way_to_axis(c, n), end_key(type, 2), add);
    return;
  }
  const int vertex = support(q, unrotate(q_pose, -n)).vertex;
  face.touch(transform(q_pose, q.vertex(vertex)), q.radius, q.radius, vertex_key(type, vertex), add);
}

// The line of a part that another part may touch along, in the world: an axis, a capsule's segment or an edge; and how
// far its surface is from it along n.
struct TouchLine {
  Segment line;
  Cylinder c;  // radius 0: of no cylinder
  double radius;

  PEGRASP_HD double reach(V3 n) const { return c.radius > 0.0 ? c.radius * norm(c.across(n)) : radius; }
  // The point of the surface along the unit vector n from the line's point x.
  PEGRASP_HD V3 surface(V3 x, V3 n) const {
    if (!(c.radius > 0.0)) return x + radius * n;
    const V3 out = c.across(n);
    const double length = norm(out);
    return length > 0.0 ? x + (c.radius / length) * out : x;
  }
  PEGRASP_HD double round(V3 n) const { return c.radius > 0.0 ? way_to_axis(c, n) : radius; }
};
PEGRASP_HD inline TouchLine touch_line(const PartView& p, const Frame& pose, int e) {
  if (is_cylinder(p)) {
    const Cylinder c = seen_cylinder(p, pose);
    return {{c.bottom, c.top - c.bottom}, c, p.radius};
  }
  return {seen_segment(p, e, pose), Cylinder{}, p.radius};
}

// A curved facet in the world: its direction n from a to b, and the lines beside which it is.
struct CurvedContact {
  TouchLine a, b;
  V3 n;

  // Between the lines at these fractions of them, along the unit vector d.
  PEGRASP_HD ContactPoint along(double on_a, double on_b, V3 d, int key) const {
    const V3 xa = a.line.tail + on_a * a.line.along;
    const V3 xb = b.line.tail + on_b * b.line.along;
    return {b.surface(xb, -d), d, dot(d, xb - xa) - a.reach(d) - b.reach(d), key, b.round(d), a.round(d)};
  }
  // The same, along the line between the two points where that has a direction.
  PEGRASP_HD ContactPoint between(double on_a, double on_b, int key) const {
    constexpr double least_cosine = 0.5;
    const V3 d = (b.line.tail + on_b * b.line.along) - (a.line.tail + on_a * a.line.along);
    const double distance = norm(d);
    return along(on_a, on_b, dot(d, n) > least_cosine * distance ? (1.0 / distance) * d : n, key);
  }
};

// Contacts of two lines at an angle of this sine that touch along each other, as in patch_contacts(). False where they
// do not overlap.
template <class Add>
PEGRASP_HD inline bool lines_along(const CurvedContact& c, double sine, int i, int j, const Add& add) {
  const Segment& a = c.a.line;
  const Segment& b = c.b.line;
  const double aa = dot(a.along, a.along);
  const double bb = dot(b.along, b.along);
  const double rate = aa / dot(a.along, b.along);  // fractions of b beside one of a
  const ClosestPoints closest = closest_points(a, b);
  const double low = max2(-closest.on_a, (rate > 0.0 ? -closest.on_b : 1.0 - closest.on_b) / rate);
  const double high = min2(1.0 - closest.on_a, (rate > 0.0 ? 1.0 - closest.on_b : -closest.on_b) / rate);
  if (!(low < high)) return false;
  const double reach = square_root(2.0 * patch_depth) * (c.a.radius + c.b.radius) / square_root(aa);
  for (int end = 0; end < 2; ++end) {
    const double outer = end == 0 ? low : high;
    const bool covers = abs1(outer) * sine <= reach;
    const double step = covers ? outer : (end == 0 ? -reach : reach) / sine;
    add(c.along(closest.on_a + step, closest.on_b + step * rate, c.n, patch_key(i, j, end)));
    if (covers) continue;
    const bool a_ends = outer == (end == 0 ? -closest.on_a : 1.0 - closest.on_a);
    const double a_end = end == 0 ? 0.0 : 1.0;
    const double b_end = (rate > 0.0) == (end == 0) ? 0.0 : 1.0;
    const V3 offset = b.tail - a.tail;
    const double on_a = a_ends ? a_end : clamp(dot(offset + b_end * b.along, a.along) / aa, 0.0, 1.0);
    const double on_b = a_ends ? clamp(dot(a_end * a.along - offset, b.along) / bb, 0.0, 1.0) : b_end;
    ContactPoint beyond = c.between(on_a, on_b, overlap_key(i, j, end));
    beyond.role = point_guards;
    add(beyond);
  }
  return true;
}

// Where a part touches along its outward unit direction d (world): a point, as a segment of no length, or a line.
PEGRASP_HD inline Segment touching_segment(const TouchLine& t, const PartView& p, const Frame& pose, bool vertex,
                                           int feature, V3 d) {
  constexpr double level = 1e-7;
  const V3 none{0.0, 0.0, 0.0};
  if (is_cylinder(p)) {
    if (abs1(dot(d, t.c.u)) < level) return {t.c.on_rim(0, d), t.line.along};
    return {t.c.farthest(d), none};
  }
  if (vertex) return {transform(pose, p.vertex(feature)), none};
  const double slope = dot(t.line.along, d);
  if (p.faces > 0 || abs1(slope) <= level * norm(t.line.along)) return {t.surface(t.line.tail, d), t.line.along};
  return {t.surface(slope > 0.0 ? t.line.tail + t.line.along : t.line.tail, d), none};
}

// Adds the contacts of a cap or a face beside a curved facet, where it is nearly flat: they keep the parts from rocking
// onto it.
template <class Add>
PEGRASP_HD_LARGE void flats_beside(const PairGeometry& g, const CylinderPair& pair, int mode, V3 n, double flat_sine,
                                   double slack, const Add& add) {
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const Frame& c_pose = pair.c_is_a ? g.a_pose : g.b_pose;
  if (is_polyhedron(pair.p) && curved_kind(pair, mode) == curved_edge) {
    const int f = flat_face(pair.p, p_pose, curved_feature(pair, mode), pair.c_is_a ? -n : n, round_lean);
    if (f >= 0 && pair.p.use[f] == edge_feature &&
        cylinder_over_face(pair.p, p_pose, f, pair.c, c_pose, pair.face_of_p(), g.rims, flat_sine, slack, add))
      return;
  }
  const Cylinder c = seen_cylinder(pair.c, c_pose);
  const V3 to_p = pair.c_is_a ? n : -n;
  if (stands_on_cap(c, n) && part_over_cap(g, pair.cap_of_c(), dot(to_p, c.u) > 0.0 ? 1 : 0, flat_sine, slack, add))
    return;
  if (!is_cylinder(pair.p)) return;
  const Cylinder p = seen_cylinder(pair.p, p_pose);
  if (stands_on_cap(p, n)) part_over_cap(g, pair.face_of_p(), dot(to_p, p.u) < 0.0 ? 1 : 0, flat_sine, slack, add);
}

// Adds the contacts of a curved mode.
template <class Add>
PEGRASP_HD_LARGE void curved_contacts(const PairGeometry& g, int mode, double flat_sine, double slack, const Add& add) {
  const CylinderPair pair = cylinder_pair(g.a, g.b, relative(g.a_pose, g.b_pose), relative(g.b_pose, g.a_pose));
  const int kind = curved_kind(pair, mode);
  const int feature = curved_feature(pair, mode);
  const V3 m = rotate(pair.c_is_a ? g.b_pose : g.a_pose, curved_peak_of(pair, kind, feature).m);
  const CurvedContact c{touch_line(g.a, g.a_pose, pair.c_is_a ? 0 : feature),
                        touch_line(g.b, g.b_pose, pair.c_is_a ? feature : 0), pair.c_is_a ? -m : m};
  const bool vertex = is_polyhedron(pair.p) && kind == curved_vertex;
  const bool sides = (!is_cylinder(g.a) || lies_on_side(c.a.c, c.n)) && (!is_cylinder(g.b) || lies_on_side(c.b.c, c.n));
  const double aa = dot(c.a.line.along, c.a.line.along);
  const double bb = dot(c.b.line.along, c.b.line.along);
  const V3 across = cross(c.a.line.along, c.b.line.along);
  const double sine2 = dot(across, across);
  const bool lean = !vertex && sides && aa > 0.0 && bb > 0.0 && sine2 < patch_sine * patch_sine * aa * bb;
  if (!lean || !lines_along(c, square_root(sine2 / (aa * bb)), mode_i(mode), mode_j(mode), add)) {
    const Segment a = touching_segment(c.a, g.a, g.a_pose, vertex, feature, c.n);
    const Segment b = touching_segment(c.b, g.b, g.b_pose, vertex, feature, -c.n);
    const ClosestPoints closest = closest_points(a, b);
    const V3 xb = b.tail + closest.on_b * b.along;
    const V3 xa = a.tail + closest.on_a * a.along;
    const double round_a = vertex && !is_cylinder(g.a) ? 0.0 : c.a.round(c.n);
    const double round_b = vertex && !is_cylinder(g.b) ? 0.0 : c.b.round(c.n);
    add(ContactPoint{xb, c.n, dot(c.n, xb - xa), mode, round_b, round_a});
  }
  flats_beside(g, pair, mode, c.n, flat_sine, slack, add);
}

template <class Add>
PEGRASP_HD_LARGE void cylinder_contacts(const PairGeometry& g, int mode, double flat_sine, double slack,
                                        const Add& add) {
  const int type = mode_type(mode);
  if (type == mode_round) {
    curved_contacts(g, mode, flat_sine, slack, add);
  } else if (!cylinder_on_flat(g, type, mode_i(mode), flat_sine, slack, add)) {
    deepest_on_flat(g, type, mode_i(mode), add);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
