// SPDX-License-Identifier: Apache-2.0
// Contacts of one mode of a pair: the support corner against the separating feature, or, where an edge lies nearly flat
// on an edge, the two inner corners of the overlap.
//
// Gap and Jacobian of a corner (centre c, radius r) of body I against an edge of body R with outward normal n:
//   psi = n . (c - x_R) - offset - r,   G nu = n . (velocity of I at the contact point - velocity of R at that point);
// the arm of both bodies is taken to the contact point c - r n. For two arcs psi = |c_b - c_a| - r_a - r_b.
#pragma once

#include "kernels/planar/modes.hpp"
#include "kernels/scene/access.hpp"
#include "kernels/scene/shell.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int manifold_capacity = 2;
constexpr int flat_ladder = 3;  // points of a flat side of a smooth part, on either hand
constexpr int smooth_contacts_most = 4 + 2 * flat_ladder;
constexpr int cut_springs = 2;  // more of a smooth part with a shell
PEGRASP_HD inline bool is_smooth(const ModelView& m, const NearPair& pair) {
  if (!smooth_parts) return false;
  return m.part_arcs[pair.part_a] == arcs_smooth || m.part_arcs[pair.part_b] == arcs_smooth;
}
PEGRASP_HD inline int most_contacts(const ModelView& m, const NearPair& pair) {
  return is_smooth(m, pair) ? smooth_contacts_most : manifold_capacity;
}

// A contact seen from its pair: point and normal (from a to b) in the world, gap, and a key within the pair.
struct ContactPoint {
  V2 p;
  V2 n;
  double gap;
  int key;
  double round, round_other;  // [m] radius of the corner that p is on; of two corners the other's
  int role = point_bears;
};

PEGRASP_HD inline void set_rounds(const SceneView&, const NearPair&, const ContactPoint& c, Contact& out) {
  out.round = c.round;
  out.round_other = c.round_other;
}

struct Manifold {
  ContactPoint point[manifold_capacity];
  int count;
};

// Keys: mode type (which body the edge belongs to), edge, corner. Split arcs share their corner's name.
PEGRASP_HD inline int contact_key(int type, int edge, int corner) { return pack_mode(type, edge, corner); }

// The farthest point of a smooth part q along d (world) against edge `edge` of `p`. Its name, in place of a corner's,
// is 0 for the point that is nearest to the edge; others are vertices, so that they are round by 0.
PEGRASP_HD inline ContactPoint smooth_on_edge(const PartView& p, const Frame& p_pose, int edge, const PartView& q,
                                              const Frame& q_pose, V2 d, int type, int name) {
  const V2 n = rotate(p_pose, p.normal(edge));
  const V2 own = unrotate(q_pose, d);
  const V2 x = transform(q_pose, smooth_point(q, own));
  return {x,
          type == mode_edge_a ? n : -n,
          dot(n, x - p_pose.origin) - p.off[edge],
          contact_key(type, edge, name),
          name == 0 ? corner_radius(q, 0, own) : 0.0,
          0.0};
}

// Corner `corner` of `q` against edge `edge` of `p`, p's body being a when type is mode_edge_a.
PEGRASP_HD inline ContactPoint corner_on_edge(const PartView& p, const Frame& p_pose, int edge, const PartView& q,
                                              const Frame& q_pose, int corner, int type, int corner_name) {
  const V2 n = rotate(p_pose, p.normal(edge));
  const V2 c = transform(q_pose, q.centre(corner));
  const double r = q.cr[corner];
  const double gap = dot(n, c - p_pose.origin) - p.off[edge] - r;
  return {c - r * n, type == mode_edge_a ? n : -n, gap, contact_key(type, edge, corner_name), r, 0.0};
}

struct PairGeometry {
  PartView a, b;
  Frame a_pose, b_pose;
  const int* a_name;  // corner names
  const int* b_name;
  double flat_radius = 0.0;  // [m] smooth parts that are rounder have their nearest point alone as a contact
  bool shell = false;        // the pair has a shell: points have roles
};

PEGRASP_HD inline PairGeometry pair_geometry(const ModelView& m, const NearPair& pair, const Frame& a, const Frame& b) {
  return {part_view(m, pair.part_a),
          part_view(m, pair.part_b),
          a,
          b,
          m.corner_name + m.part_first_corner[pair.part_a],
          m.corner_name + m.part_first_corner[pair.part_b]};
}

PEGRASP_HD inline PairGeometry pair_geometry(const SceneView& s, const NearPair& pair, const Frame& a, const Frame& b) {
  return pair_geometry(*s.model, pair, a, b);
}

// The pair seen from the side of an edge: p has the edge, q comes to it. type: mode_edge_a or mode_edge_b.
struct EdgeSide {
  const PartView& p;
  const PartView& q;
  const Frame& p_pose;
  const Frame& q_pose;
  const int* p_name;
  const int* q_name;
};

PEGRASP_HD inline EdgeSide edge_side(const PairGeometry& g, int type) {
  if (type == mode_edge_a) return {g.a, g.b, g.a_pose, g.b_pose, g.a_name, g.b_name};
  return {g.b, g.a, g.b_pose, g.a_pose, g.b_name, g.a_name};
}

// End points of an edge, world: where it leaves the arc before and meets the arc after.
PEGRASP_HD inline V2 edge_tail(const PartView& p, const Frame& pose, int e) {
  return transform(pose, p.centre(e) + p.cr[e] * p.normal(e));
}
PEGRASP_HD inline V2 edge_head(const PartView& p, const Frame& pose, int e) {
  const int i = p.next(e);
  return transform(pose, p.centre(i) + p.cr[i] * p.normal(e));
}

// A smooth part on an edge: the nearest point of it, and on either side more, which keep it from turning too far where
// it is so flat that the nearest point moves along it faster than steps follow (flat_radius). One lies beyond the edge
// by a fraction of the tolerance, another as far along as the normal may turn in the step, as for edges that are flat
// on edges. A side without curvature has its own: where it lies back by such a fraction, and by more. The end of the
// edge stands for those that lie beyond it. Points that the motion does not reach carry no force.
PEGRASP_HD inline V2 turned_by(V2 d, double slope) {
  return (1.0 / square_root(1.0 + slope * slope)) * (d + slope * perp(d));
}

// The slope by which the direction d (frame of q) is to turn, on the side of `sign`, for the farthest point to lie back
// by about `sagitta`.
PEGRASP_HD inline double slope_of_sagitta(const PartView& q, V2 d, double sign, double sagitta) {
  const double radius = corner_radius(q, 0, d);
  const double value = dot(d, smooth_point(q, d));
  double slope = square_root(2.0 * sagitta / radius);
  for (int i = 0; i < 3; ++i) {
    const double back = value - dot(d, smooth_point(q, turned_by(d, sign * slope)));
    const double factor = square_root(sagitta / max2(back, 1e-3 * sagitta));
    slope = min2(1.0, slope * factor);
  }
  return slope;
}

// The side of a superellipse of higher order that faces along the unit direction d (frame of q) but for an angle of
// `sine`: which has no curvature in its middle, and may come to lie flat at any turn within the angle.
struct FlatSide {
  bool any, along_x;  // the middle of the side lies on this axis
  V2 own;             // d in the axes of the curve
};
PEGRASP_HD inline FlatSide flat_side(const PartView& q, V2 d, double sine) {
  const V2 own = to_axes(q.curve(), d);
  const bool along_x = abs1(own.x) > abs1(own.y);
  return {curve_of(q.curve()).n > 2 && (along_x ? abs1(own.y) : abs1(own.x)) < sine, along_x, own};
}
// The point of the side that lies back from its middle by `back` [m], on either hand (sign; frame of q).
PEGRASP_HD inline V2 point_back(const PartView& q, const FlatSide& side, double back, double sign) {
  const Curve curve = curve_of(q.curve());
  const double reach = side.along_x ? curve.a : curve.b;
  const double share = max2(0.0, 1.0 - back / reach);
  const double rest = whole_root(1.0 - whole_power(share, curve.n), curve.n);
  const V2 own = side.along_x ? V2{with_sign(curve.a * share, side.own.x), sign * curve.b * rest}
                              : V2{sign * curve.a * rest, with_sign(curve.b * share, side.own.y)};
  return q.centre(0) + from_axes(q.curve(), own);
}
constexpr double flat_share = 0.25;  // of the tolerance: a side counts as flat as far as it lies back by so much
constexpr int first_back = 5;        // name of its points: of the ends of what counts as flat, then of those further on

// The point of a smooth part q over `end`, along the unit direction own (both in the frame of q): on a tangent there.
PEGRASP_HD_RARE V2 smooth_over(const PartView& q, V2 own, V2 end) {
  const V2 t = perp(own);
  const double along = dot(t, end);
  double low = -1.0, high = 1.0;  // slopes of the tangent
  constexpr int halvings = 52;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (dot(t, smooth_point(q, turned_by(own, middle))) < along ? low : high) = middle;
  }
  const V2 x = smooth_point(q, turned_by(own, low));
  return (dot(own, x) + low * (dot(t, x) - along)) * own + along * t;
}

// Whether a smooth part is so flat along d (frame of q) that its nearest point is not enough. `radius`: flat_radius.
PEGRASP_HD inline bool is_flat_along(const PartView& q, V2 d, double flat_sine, double radius) {
  constexpr double flat_in_any_case = 5.0;  // half-axes
  if (flat_side(q, d, flat_sine).any) return true;
  return !(corner_radius(q, 0, d) < min2(radius, flat_in_any_case * max2(q.curve()[curve_a], q.curve()[curve_b])));
}

template <class Add>
PEGRASP_HD inline void points_beside_nearest(const EdgeSide& at, int e, int type, double flat_sine, double tolerance,
                                             double flat_radius, const Add& add) {
  const V2 d = -rotate(at.p_pose, at.p.normal(e));
  const V2 own = unrotate(at.q_pose, d);
  if (!is_flat_along(at.q, own, flat_sine, flat_radius)) return;
  bool beyond[2] = {false, false};
  // A point x of q (in its frame), or the point over the end of the edge where x lies beyond it.
  const auto add_point = [&](V2 x, int hand, int name) {
    if (beyond[hand]) return;
    if (at.p.corners > 0) {
      const V2 end = untransform(at.q_pose, hand == 0 ? edge_head(at.p, at.p_pose, e) : edge_tail(at.p, at.p_pose, e));
      const double past = dot(perp(own), x - end);
      beyond[hand] = (hand == 0 ? -past : past) > 0.0;
      if (beyond[hand]) x = smooth_over(at.q, own, end);
    }
    const V2 p = transform(at.q_pose, x);
    add({p, type == mode_edge_a ? -d : d, -dot(d, p - at.p_pose.origin) - at.p.off[e], contact_key(type, e, name), 0.0,
         0.0});
  };
  const auto add_turned = [&](double slope, int hand, int name) {
    add_point(smooth_point(at.q, unrotate(at.q_pose, turned_by(d, hand == 0 ? -slope : slope))), hand, name);
  };
  const FlatSide flat = flat_side(at.q, own, flat_sine);
  if (flat.any) {
    // Whether the curve's own axis along the side leads to hand 1.
    const bool along = flat.along_x ? flat.own.x > 0.0 : flat.own.y < 0.0;
    double back = flat_share * tolerance;
    constexpr double further = 64.0;
    for (int k = 0; k < flat_ladder; ++k) {
      for (int i = 0; i < 2; ++i) {
        add_point(point_back(at.q, flat, back, i == 0 ? -1.0 : 1.0), (i == 1) == along ? 1 : 0, first_back + 2 * k + i);
      }
      back *= further;
    }
  }
  const double turn = flat_sine - flat_angle;
  for (int hand = 0; hand < 2; ++hand) {
    double near = flat_sine;
    if (!flat.any) {
      near = slope_of_sagitta(at.q, own, hand == 0 ? -1.0 : 1.0, flat_share * tolerance) + turn;
      add_turned(near, hand, 1 + hand);
    }
    if (flat.any || near < 0.5 * flat_sine) add_turned(flat_sine, hand, 3 + hand);
  }
}

// The one of the two edges beside a corner of p that faces the direction d (frame of p) more squarely, if it lies flat
// there; else -1.
PEGRASP_HD inline int flat_edge_at(const PartView& p, int corner, V2 d, double flat_sine) {
  if (p.curve() != nullptr || p.edges == 0) return -1;
  const int before = p.previous(corner);
  const double facing_before = p.use[before] == edge_hidden ? -1.0 : dot(p.normal(before), d);
  const double facing_after = p.use[corner] == edge_hidden ? -1.0 : dot(p.normal(corner), d);
  const int e = facing_before > facing_after ? before : corner;
  return max2(facing_before, facing_after) > 0.0 && abs1(cross(p.normal(e), d)) < flat_sine ? e : -1;
}

// A corner that touches a smooth part, beside an edge that is nearly flat on that: the points of the edge, which the
// parts come to where they turn. The nearest of them, if it is one, is called `over_edge`.
constexpr int over_edge = first_back + 2 * flat_ladder + 2;
template <class Add>
PEGRASP_HD inline void points_beside_corner(const PairGeometry& g, int mode, V2 n, double flat_sine, double tolerance,
                                            const Add& add) {
  if (g.a.curve() != nullptr && g.b.curve() != nullptr) return;
  const bool smooth_b = g.b.curve() != nullptr;
  const int type = smooth_b ? mode_edge_a : mode_edge_b;
  const EdgeSide at = edge_side(g, type);
  const V2 to_q = unrotate(at.p_pose, smooth_b ? n : -n);
  const int e = flat_edge_at(at.p, smooth_b ? mode_i(mode) : mode_j(mode), to_q, flat_sine);
  if (e < 0) return;
  const V2 d = -rotate(at.p_pose, at.p.normal(e));
  if (!is_flat_along(at.q, unrotate(at.q_pose, d), flat_sine, g.flat_radius)) return;
  const ContactPoint nearest = smooth_on_edge(at.p, at.p_pose, e, at.q, at.q_pose, d, type, over_edge);
  const V2 t = perp(d);
  if (dot(t, nearest.p - edge_head(at.p, at.p_pose, e)) > 0.0 &&
      dot(t, nearest.p - edge_tail(at.p, at.p_pose, e)) < 0.0)
    add(nearest);
  points_beside_nearest(at, e, type, flat_sine, tolerance, g.flat_radius, add);
}

// Flat sides of two smooth parts on each other: the ends of each that lie over the other, as of edges that lie flat on
// edges, against the other's tangent at the nearest points.
template <class Add>
PEGRASP_HD inline void flat_contacts(const PairGeometry& g, const ContactPoint& nearest, double flat_sine,
                                     double tolerance, const Add& add) {
  if (g.a.curve() == nullptr || g.b.curve() == nullptr) return;
  const FlatSide side_a = flat_side(g.a, unrotate(g.a_pose, nearest.n), flat_sine);
  const FlatSide side_b = flat_side(g.b, unrotate(g.b_pose, -nearest.n), flat_sine);
  if (!side_a.any || !side_b.any) return;
  const double back = flat_share * tolerance;
  V2 end_a[2], end_b[2];
  for (int hand = 0; hand < 2; ++hand) {
    const double sign = hand == 0 ? -1.0 : 1.0;
    end_a[hand] = transform(g.a_pose, point_back(g.a, side_a, back, sign));
    end_b[hand] = transform(g.b_pose, point_back(g.b, side_b, back, sign));
  }
  const V2 t = perp(nearest.n);
  const V2 on_a = nearest.p - nearest.gap * nearest.n;
  const auto between = [t](V2 x, const V2* ends) {
    const double at = dot(t, x);
    const double first = dot(t, ends[0]);
    const double second = dot(t, ends[1]);
    return at >= min2(first, second) && at <= max2(first, second);
  };
  for (int hand = 0; hand < 2; ++hand) {
    if (between(end_b[hand], end_a)) {
      const V2 x = end_b[hand];
      add({x, nearest.n, dot(nearest.n, x - on_a), contact_key(mode_edge_a, 0, 1 + hand), 0.0, 0.0});
    }
    if (between(end_a[hand], end_b)) {
      const V2 x = end_a[hand];
      add({x, nearest.n, dot(nearest.n, nearest.p - x), contact_key(mode_edge_b, 0, 1 + hand), 0.0, 0.0});
    }
  }
}

// A corner that touches a flat side, beside an edge that lies flat on that: adds the spring at the other end of what
// lies on each other. point: the contact of the mode, and those there are.
PEGRASP_HD_LARGE int spring_beside_corner(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                          ContactPoint* point, int count) {
  const bool smooth_b = g.b.curve() != nullptr;
  const int type = smooth_b ? mode_edge_a : mode_edge_b;
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  const V2 to_q = smooth_b ? point[0].n : -point[0].n;
  const FlatSide side = flat_side(q, unrotate(q_pose, -to_q), flat_sine);
  const int corner = smooth_b ? mode_i(mode) : mode_j(mode);
  const int e = flat_edge_at(p, corner, unrotate(p_pose, to_q), flat_sine);
  if (!side.any || e < 0) return count;
  const bool is_before = e != corner;
  const V2 n = rotate(p_pose, p.normal(e));
  const V2 t = is_before ? -perp(n) : perp(n);  // along the edge, from the corner
  const V2 on_q = smooth_b ? point[0].p : point[0].p - point[0].gap * point[0].n;
  const V2 one = transform(q_pose, point_back(q, side, flat_share * tolerance, -1.0));
  const V2 other = transform(q_pose, point_back(q, side, flat_share * tolerance, 1.0));
  const V2 end = dot(t, one) > dot(t, other) ? one : other;
  const double way = dot(t, end - on_q);
  const double edge = dot(t, (is_before ? edge_tail(p, p_pose, e) : edge_head(p, p_pose, e)) - on_q);
  if (!(way > 0.0) || !(edge > 0.0)) return count;
  const V2 x = way <= edge ? end : on_q + (edge / way) * (end - on_q);
  point[count] = {x,
                  type == mode_edge_a ? n : -n,
                  dot(n, x - p_pose.origin) - p.off[e],
                  contact_key(type, e, first_back + 2 * flat_ladder),
                  0.0,
                  0.0,
                  point_springs};
  return count + 1;
}

// The roles of the `count` contacts of a smooth part with a shell. A spring is at the nearest point; of a flat side on
// an edge or on another such side one is at either end of what lies on each other, as of an edge on an edge. Where the
// nearest point lies beyond an end, it is that end. Returns how many contacts there are with those at an edge's ends.
PEGRASP_HD_LARGE int place_springs(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                   ContactPoint* point, int count) {
  const int type = mode_type(mode);
  const int e = mode_i(mode);
  const bool both = g.a.curve() != nullptr && g.b.curve() != nullptr;
  for (int i = 1; i < count; ++i) point[i].role = point_guards;
  const V2 n = type == mode_edge_b ? -point[0].n : point[0].n;
  const auto place = [&](int i) { return dot(perp(n), point[i].p); };
  int low = -1;
  int high = -1;
  for (int i = 1; i < count; ++i) {
    const int name = mode_j(point[i].key);
    if (type == mode_arcs ? !both : name != first_back && name != first_back + 1) continue;
    if (low < 0 || place(i) < place(low)) low = i;
    if (high < 0 || place(i) > place(high)) high = i;
  }
  if (low < 0) return type == mode_arcs ? spring_beside_corner(g, mode, flat_sine, tolerance, point, count) : count;
  if (place(0) < place(low)) low = 0;
  if (place(0) > place(high)) high = 0;
  const double from = place(low);
  const double to = place(high);
  double first = from;
  double last = to;
  if (type != mode_arcs) {
    const EdgeSide at = edge_side(g, type);
    if (at.p.corners > 0) {
      first = max2(from, dot(perp(n), edge_tail(at.p, at.p_pose, e)));
      last = min2(to, dot(perp(n), edge_head(at.p, at.p_pose, e)));
    }
    if (!(first < last)) return count;
    // An end that has been cut already is the same one in every step, whatever rounding says.
    if (first - from <= tolerance) first = from;
    if (to - last <= tolerance) last = to;
  }
  point[0].role = point_guards;
  if (first == from) point[low].role = point_bears;
  if (last == to) point[high].role = point_bears;
  for (int end = 0; end < 2; ++end) {
    const double cut = end == 0 ? first : last;
    if (cut == (end == 0 ? from : to)) continue;
    const double share = (cut - from) / (to - from);
    point[count++] = {point[low].p + share * (point[high].p - point[low].p),
                      point[0].n,
                      point[low].gap + share * (point[high].gap - point[low].gap),
                      contact_key(type, e, first_back + 2 * flat_ladder + end),
                      0.0,
                      0.0,
                      point_springs};
  }
  return count;
}

// Edge e of p (type says which body) carries; q rests on it.
PEGRASP_HD inline Manifold edge_manifold(const PairGeometry& g, int type, int e, double flat_sine) {
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  const int other_type = type == mode_edge_a ? mode_edge_b : mode_edge_a;

  const V2 n = rotate(p_pose, p.normal(e));
  const V2 d = unrotate(q_pose, -n);
  const int corner = support(q, d).corner;
  Manifold single{{corner_on_edge(p, p_pose, e, q, q_pose, corner, type, q_name[corner]), {}}, 1};
  if (q.edges == 0) return single;

  // Incident edge: that of the two at the support corner which faces this edge more squarely.
  const int before = q.previous(corner);
  const double facing_before = q.use[before] == edge_hidden ? -1.0 : dot(q.normal(before), d);
  const double facing_after = q.use[corner] == edge_hidden ? -1.0 : dot(q.normal(corner), d);
  const int incident = facing_before > facing_after ? before : corner;
  const double facing = max2(facing_before, facing_after);
  if (!(facing > 0.0) || !(abs1(cross(q.normal(incident), d)) < flat_sine)) return single;

  // Overlap along the tangent of this edge. The incident edge runs the other way: its head comes first.
  const V2 t = perp(n);
  const V2 q_head = edge_head(q, q_pose, incident);
  const V2 q_tail = edge_tail(q, q_pose, incident);
  const double q_low = dot(t, q_head);
  const double q_high = dot(t, q_tail);
  double p_low = -1e300;
  double p_high = 1e300;
  if (p.corners > 0) {
    p_low = dot(t, edge_tail(p, p_pose, e));
    p_high = dot(t, edge_head(p, p_pose, e));
  }
  if (!(max2(p_low, q_low) < min2(p_high, q_high))) return single;

  const int q_first = q.next(incident);  // corner at the incident edge's head
  const int q_second = incident;
  Manifold m{{{}, {}}, 2};
  m.point[0] = q_low >= p_low ? corner_on_edge(p, p_pose, e, q, q_pose, q_first, type, q_name[q_first])
                              : corner_on_edge(q, q_pose, incident, p, p_pose, e, other_type, p_name[e]);
  const int p_next = p.corners > 0 ? p.next(e) : 0;
  m.point[1] = q_high <= p_high ? corner_on_edge(p, p_pose, e, q, q_pose, q_second, type, q_name[q_second])
                                : corner_on_edge(q, q_pose, incident, p, p_pose, p_next, other_type, p_name[p_next]);
  return m;
}

PEGRASP_HD inline Manifold arc_manifold(const PairGeometry& g, int i, int j) {
  const V2 ca = transform(g.a_pose, g.a.centre(i));
  const V2 cb = transform(g.b_pose, g.b.centre(j));
  const V2 d = cb - ca;
  const double length = norm(d);
  const V2 n = length > 0.0 ? (1.0 / length) * d : V2{1.0, 0.0};
  Manifold m{{{}, {}}, 1};
  // The point on b's arc; for a vertex of b that is the vertex itself.
  m.point[0] = {
      cb - g.b.cr[j] * n, n,        length - g.a.cr[i] - g.b.cr[j], contact_key(mode_arcs, g.a_name[i], g.b_name[j]),
      g.b.cr[j],          g.a.cr[i]};
  return m;
}

PEGRASP_HD inline Manifold mode_manifold(const PairGeometry& g, int mode, double flat_sine) {
  const int type = mode_type(mode);
  if (type == mode_arcs) return arc_manifold(g, mode_i(mode), mode_j(mode));
  return edge_manifold(g, type, mode_i(mode), flat_sine);
}

// Modes that touch a smooth part: the first contact, and all of them (at most smooth_contacts_most).
PEGRASP_HD inline bool touches_smooth(const PairGeometry& g, int mode) {
  const int type = mode_type(mode);
  return (type != mode_edge_a && g.a.curve() != nullptr) || (type != mode_edge_b && g.b.curve() != nullptr);
}
PEGRASP_HD_RARE ContactPoint smooth_mode_point(PairGeometry g, int mode) {
  const int type = mode_type(mode);
  const int i = mode_i(mode);
  if (type != mode_arcs) {
    const EdgeSide at = edge_side(g, type);
    return smooth_on_edge(at.p, at.p_pose, i, at.q, at.q_pose, -rotate(at.p_pose, at.p.normal(i)), type, 0);
  }
  const int j = mode_j(mode);
  const Frame b_in_a = relative(g.a_pose, g.b_pose);
  const SmoothFacet facet = smooth_facet(g.a, i, g.b, j, b_in_a);
  return {transform(g.a_pose, facet.on_b),
          rotate(g.a_pose, facet.n),
          facet.s,
          contact_key(mode_arcs, g.a_name[i], g.b_name[j]),
          corner_radius(g.b, j, -unrotate(b_in_a, facet.n)),
          corner_radius(g.a, i, facet.n)};
}
PEGRASP_HD_RARE int smooth_mode_contacts(PairGeometry g, int mode, double flat_sine, double tolerance,
                                         ContactPoint* out) {
  const int type = mode_type(mode);
  int count = 0;
  const auto add = [out, &count](const ContactPoint& point) { out[count++] = point; };
  if (type != mode_arcs) {
    add(smooth_mode_point(g, mode));
    points_beside_nearest(edge_side(g, type), mode_i(mode), type, flat_sine, tolerance, g.flat_radius, add);
  } else {
    add(smooth_mode_point(g, mode));
    points_beside_corner(g, mode, out[0].n, flat_sine, tolerance, add);
    flat_contacts(g, out[0], flat_sine, tolerance, add);
  }
  return count;
}

// The first contact of a mode.
PEGRASP_HD inline ContactPoint mode_point(const PairGeometry& g, int mode) {
  if (touches_smooth(g, mode)) return smooth_mode_point(g, mode);
  return mode_manifold(g, mode, 0.0).point[0];
}

// Calls add(contact) for every contact of a mode.
template <class Add>
PEGRASP_HD inline void mode_contacts(const PairGeometry& g, int mode, double flat_sine, double tolerance,
                                     const Add& add) {
  if (touches_smooth(g, mode)) {
    ContactPoint point[smooth_contacts_most + cut_springs];
    int count = smooth_mode_contacts(g, mode, flat_sine, tolerance, point);
    if (g.shell) count = place_springs(g, mode, flat_sine, tolerance, point, count);
    for (int i = 0; i < count; ++i) add(point[i]);
    return;
  }
  const Manifold manifold = mode_manifold(g, mode, flat_sine);
  for (int i = 0; i < manifold.count; ++i) add(manifold.point[i]);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
