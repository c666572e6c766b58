// SPDX-License-Identifier: Apache-2.0
// Pair modes of two polyhedra in 3D: the facets of the configuration-space obstacle of two convex polyhedra A and B,
// and how far each separates them. Facets are the faces of A (axis n = its normal), the faces of B (n = minus its
// normal), and the pairs of edges whose arcs cross on the sphere of normals (n = the common normal of the edges); max
// over the facets of
//   s = min_{b in B} n . b - max_{a in A} n . a >= 0
// is the exact statement that the two do not overlap. Round parts and half-spaces: kernels/spatial/round_modes.hpp.
#pragma once

#include <cstdint>

#include "kernels/contact/mode_search.hpp"
#include "kernels/spatial/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Sine below which two edges count as parallel and form no facet. What such a facet would cut off is at most this share
// of the bodies' size, and rounding of the normal is as large.
constexpr double parallel_sine = 1e-7;

// s of a facet. `surface`: both bodies have surface where it would touch. Otherwise it lies at an internal edge of a
// union, where a sibling part goes on: it may show that the parts are apart, but not carry force.
struct FacetSeparation {
  double s;
  bool surface;
};

// For pairs with a part that is no polyhedron; defined in kernels/spatial/round_modes.hpp.
PEGRASP_HD_LARGE Separation best_round_separation(const PartView& a, const PartView& b, const Frame& b_in_a,
                                                  const Frame& a_in_b);
template <class Scan>
PEGRASP_HD_LARGE void scan_round_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                        const Frame& a1, const Frame& b1, Scan& best);

// A facet replaces the chosen one only if it separates by more than this distance. Otherwise rounding would
// decide whether a face carries or the edge lying on it. Half-spaces have no size, so the other part's
// counts.
PEGRASP_HD inline double tie_of(const PartView& a, const PartView& b) {
  constexpr double tie = 2e-8;
  const double size_a = norm(a.high() - a.low());
  const double size_b = norm(b.high() - b.low());
  if (a.vertices == 0) return tie * size_b;
  return tie * (b.vertices == 0 ? size_a : min2(size_a, size_b));
}

// Whether the body has surface along d where its part is farthest: at the farthest vertex, or at one as far within a
// tie with `other`.
PEGRASP_HD inline bool support_on_surface(const PartView& p, const Support& far, V3 d, const PartView& other) {
  if (vertex_on_surface(p, far.vertex, d)) return true;
  const double tie = tie_of(p, other);
  for (int v = 0; v < p.vertices; ++v) {
    if (dot(p.vertex(v), d) >= far.value - tie && vertex_on_surface(p, v, d)) return true;
  }
  return false;
}

// s of face f of `p` against the core of `q`; q_in_p: frame of q seen from p.
PEGRASP_HD inline FacetSeparation face_separation(const PartView& p, int f, const PartView& q, const Frame& q_in_p) {
  const V3 n = p.normal(f);
  const V3 d = unrotate(q_in_p, -n);
  const Support far = support(q, d);
  return {dot(n, q_in_p.origin) - p.off[f] - far.value, p.use[f] == edge_feature && support_on_surface(q, far, d, p)};
}
// Whether both bodies have surface where edges i and j touch along n (a's frame).
PEGRASP_HD inline bool ridges_on_surface(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a,
                                         V3 n) {
  return ridge_on_surface(a, i, n) && ridge_on_surface(b, j, unrotate(b_in_a, -n));
}

// s of the cores along any unit axis n, in a's frame.
PEGRASP_HD inline double axis_separation(const PartView& a, const PartView& b, const Frame& b_in_a, V3 n) {
  return dot(n, b_in_a.origin) - support(b, unrotate(b_in_a, -n)).value - support(a, n).value;
}

// An edge and the normals of its faces, in some frame.
struct Ridge {
  V3 tail, along, left, right;
};
PEGRASP_HD inline Ridge own_ridge(const PartView& p, int e) {
  return {p.tail(e), p.head(e) - p.tail(e), p.normal(p.left(e)), p.normal(p.right(e))};
}
PEGRASP_HD inline Ridge seen_ridge(const PartView& p, int e, const Frame& frame) {
  const Ridge r = own_ridge(p, e);
  return {transform(frame, r.tail), rotate(frame, r.along), rotate(frame, r.left), rotate(frame, r.right)};
}

// Whether the arc of a's normals crosses that of -b's: then the edges make a facet. left x right is along the edge.
PEGRASP_HD inline bool arcs_cross(const Ridge& a, const Ridge& b) {
  const double left = -dot(b.left, a.along);
  const double right = -dot(b.right, a.along);
  if (!(left * right < 0.0)) return false;
  const double a_left = dot(a.left, b.along);
  const double a_right = dot(a.right, b.along);
  return a_left * a_right < 0.0 && left * a_right > 0.0;
}

// Common normal of two edges, outward from a; of no length where they are too parallel.
PEGRASP_HD inline V3 common_normal(const Ridge& a, const Ridge& b) {
  const V3 n = cross(a.along, b.along);
  const double length2 = dot(n, n);
  if (!(length2 > parallel_sine * parallel_sine * dot(a.along, a.along) * dot(b.along, b.along)))
    return {0.0, 0.0, 0.0};
  const double factor = 1.0 / square_root(length2);
  return (dot(n, a.left + a.right) < 0.0 ? -factor : factor) * n;
}

struct Box3 {
  V3 low, high;
};
PEGRASP_HD inline Box3 segment_box(const Ridge& r) {
  const V3 head = r.tail + r.along;
  return {{min2(r.tail.x, head.x), min2(r.tail.y, head.y), min2(r.tail.z, head.z)},
          {max2(r.tail.x, head.x), max2(r.tail.y, head.y), max2(r.tail.z, head.z)}};
}
// Tail and direction of an edge in its own frame, without normals.
PEGRASP_HD inline Ridge own_span(const PartView& p, int e) {
  return {p.tail(e), p.head(e) - p.tail(e), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}
PEGRASP_HD inline Box3 seen_box(const PartView& p, const Frame& frame) {
  Box3 box{transform(frame, p.vertex(0)), transform(frame, p.vertex(0))};
  for (int i = 1; i < p.vertices; ++i) {
    const V3 x = transform(frame, p.vertex(i));
    box.low = {min2(box.low.x, x.x), min2(box.low.y, x.y), min2(box.low.z, x.z)};
    box.high = {max2(box.high.x, x.x), max2(box.high.y, x.y), max2(box.high.z, x.z)};
  }
  return box;
}
PEGRASP_HD inline bool boxes_within(const Box3& a, const Box3& b, double reach) {
  return a.low.x <= b.high.x + reach && b.low.x <= a.high.x + reach && a.low.y <= b.high.y + reach &&
         b.low.y <= a.high.y + reach && a.low.z <= b.high.z + reach && b.low.z <= a.high.z + reach;
}

// A point of the part p that lies near q, in q's frame. It bounds the faces of q: s_f <= n_f . x - off_f.
PEGRASP_HD inline V3 point_towards(const PartView& p, const Frame& p_in_q, const PartView& q) {
  const V3 middle = 0.5 * (q.low() + q.high());
  const V3 target = untransform(p_in_q, middle);
  const V3 own = 0.5 * (p.low() + p.high());
  return transform(p_in_q, p.vertex(support(p, target - own).vertex));
}

// Records a facet that separates most so far.
PEGRASP_HD inline void choose(Separation& best, double s, int mode, double tie) {
  best.s = s;
  if (!(s > best.mode_s + tie)) return;
  best.mode_s = s;
  best.mode = mode;
}

// Tries all faces of p as facets. `round`: sum of the radii of the two.
PEGRASP_HD_LARGE void scan_faces(const PartView& p, const PartView& q, const Frame& q_in_p, int type, double tie,
                                 Separation& best, double round = 0.0) {
  const V3 x = point_towards(q, q_in_p, p);
  for (int f = 0; f < p.faces; ++f) {
    if (!(dot(p.normal(f), x) - p.off[f] - round > (p.use[f] == edge_feature ? best.s : best.internal_edge))) continue;
    const FacetSeparation face = face_separation(p, f, q, q_in_p);
    const double s = face.s - round;
    if (!face.surface) {
      best.internal_edge = max2(best.internal_edge, s);
    } else if (s > best.s) {
      choose(best, s, pack_mode(type, f, 0), tie);
    }
  }
}

// If the faces and the edges within `reach` show an overlap of more than this share of `reach`, all edges are tried: a
// farther one may separate the parts.
constexpr double doubt = 1e-4;
constexpr double everywhere = 1e300;

// Between a vertex of each part on the side of the other; along any axis n the separation is n . (b - a) at most.
struct TowardsEachOther {
  V3 seen_from_a;  // from a's vertex to b's, in a's frame
  V3 seen_from_b;  // from b's vertex to a's, in b's frame
  double length;
};
PEGRASP_HD inline TowardsEachOther towards_each_other(const PartView& a, const PartView& b, const Frame& b_in_a) {
  const V3 own = 0.5 * (a.low() + a.high());
  const V3 towards = transform(b_in_a, 0.5 * (b.low() + b.high())) - own;
  const V3 from = a.vertex(support(a, towards).vertex);
  const V3 to = transform(b_in_a, b.vertex(support(b, unrotate(b_in_a, -towards)).vertex));
  const V3 between = to - from;
  return {between, unrotate(b_in_a, -between), norm(between)};
}

// Bound on the separation by facets of edge e of p, whose axes are among the edge's normals; `towards` as above, from
// p. A unit vector between the two faces' normals is their sum with factors that add up to one or more. Where a normal
// has a positive product with `towards`, only the length is a bound.
PEGRASP_HD inline double ridge_bound(const PartView& p, int e, V3 towards, double length) {
  const double most = max2(dot(p.normal(p.left(e)), towards), dot(p.normal(p.right(e)), towards));
  return most < 0.0 ? most : length;
}

// Error of this bound by rounding: normals of edges that are nearly parallel have lost seven digits.
PEGRASP_HD inline double bound_sliver(const PartView& a, const PartView& b) {
  constexpr double sliver = 1e-8;
  return sliver * (norm(a.high() - a.low()) + norm(b.high() - b.low()));
}

// The edges of a part that have to be tried. In parts with more edges than there are bits, the rest are always tried.
struct RidgeSet {
  static constexpr int capacity = 64;
  std::uint64_t bits = 0;
  PEGRASP_HD void add(int e) {
    if (e < capacity) bits |= std::uint64_t{1} << e;
  }
  PEGRASP_HD bool has(int e) const { return e >= capacity || (bits >> e & 1u) != 0; }
};

// Tries the pairs of edges as facets, without the edges farther than `reach` from the other part.
PEGRASP_HD_LARGE void scan_ridges(const PartView& a, const PartView& b, const Frame& b_in_a, double reach,
                                  Separation& best) {
  const Box3 a_box{a.low(), a.high()};
  const Box3 b_box = seen_box(b, b_in_a);
  const TowardsEachOther towards = towards_each_other(a, b, b_in_a);
  const double sliver = bound_sliver(a, b);
  const double tie = tie_of(a, b);
  RidgeSet near;
  for (int i = 0; i < a.ridges; ++i) {
    if (ridge_bound(a, i, towards.seen_from_a, towards.length) + sliver < best.s) continue;
    if (boxes_within(segment_box(own_span(a, i)), b_box, reach)) near.add(i);
  }
  if (near.bits == 0 && a.ridges <= RidgeSet::capacity) return;
  for (int j = 0; j < b.ridges; ++j) {
    if (ridge_bound(b, j, towards.seen_from_b, towards.length) + sliver < best.s) continue;
    const Ridge rb = seen_ridge(b, j, b_in_a);
    if (!boxes_within(segment_box(rb), a_box, reach)) continue;
    for (int i = 0; i < a.ridges; ++i) {
      if (!near.has(i)) continue;
      const Ridge ra = own_ridge(a, i);
      if (!arcs_cross(ra, rb)) continue;
      if (i >= RidgeSet::capacity && !boxes_within(segment_box(ra), b_box, reach)) continue;
      const V3 n = common_normal(ra, rb);
      const double s = dot(n, rb.tail - ra.tail);
      if (!(s > best.s) || dot(n, n) == 0.0) continue;
      if (!ridges_on_surface(a, i, b, j, b_in_a, n)) {
        best.internal_edge = max2(best.internal_edge, s);
        continue;
      }
      choose(best, s, pack_mode(mode_edges, i, j), tie);
    }
  }
}

// arg max over the facets of s at one pose. a_pose, b_pose: world frames of the two bodies. Edges farther than `reach`
// from the other part are tried only in doubt (see `doubt`).
PEGRASP_HD_LARGE Separation best_separation(const PartView& a, const PartView& b, const Frame& a_pose,
                                            const Frame& b_pose, double reach) {
  const Frame b_in_a = relative(a_pose, b_pose);
  const Frame a_in_b = relative(b_pose, a_pose);
  if (!is_polyhedron(a) || !is_polyhedron(b)) return best_round_separation(a, b, b_in_a, a_in_b);
  Separation best{-1e300, mode_none, -1e300};
  scan_faces(a, b, b_in_a, mode_face_a, 0.0, best);
  scan_faces(b, a, a_in_b, mode_face_b, tie_of(a, b), best);
  scan_ridges(a, b, b_in_a, reach, best);
  if (separation(best) < -doubt * reach) scan_ridges(a, b, b_in_a, everywhere, best);
  return best;
}

template <class Scan>
PEGRASP_HD_LARGE void scan_faces_latest(const PartView& p, const PartView& q, const Frame& q_in_p0,
                                        const Frame& q_in_p1, int type, Scan& best, double round = 0.0) {
  const V3 x0 = point_towards(q, q_in_p0, p);
  const V3 x1 = point_towards(q, q_in_p1, p);
  for (int f = 0; f < p.faces; ++f) {
    const V3 n = p.normal(f);
    if (!best.worth(dot(n, x0) - p.off[f] - round, dot(n, x1) - p.off[f] - round)) continue;
    const FacetSeparation at_start = face_separation(p, f, q, q_in_p0);
    const FacetSeparation at_end = face_separation(p, f, q, q_in_p1);
    const double s0 = at_start.s - round;
    const double s1 = at_end.s - round;
    if (at_start.surface && at_end.surface) {
      best.add(pack_mode(type, f, 0), s0, s1);
    } else {
      best.add_internal_edge(s0, s1);
    }
  }
}

// s of a pair of edges at one pose of a motion. Where their arcs do not cross, the whole parts are measured along the
// common normal, which gives less than the edges alone.
PEGRASP_HD inline FacetSeparation ridge_separation(const PartView& a, int i, const PartView& b, int j,
                                                   const Frame& b_in_a, const Ridge& ra, const Ridge& rb, bool facet) {
  const V3 n = common_normal(ra, rb);
  if (dot(n, n) == 0.0) return {-1e300, true};
  if (!facet) return {axis_separation(a, b, b_in_a, n), true};
  return {dot(n, rb.tail - ra.tail), ridges_on_surface(a, i, b, j, b_in_a, n)};
}

// Bounds exclude no edges here. A pair that is a facet at one pose only is measured at the other along an axis outside
// its normals.
template <class Scan>
PEGRASP_HD_LARGE void scan_ridges_latest(const PartView& a, const PartView& b, const Frame& b_in_a0,
                                         const Frame& b_in_a1, double reach, Scan& best) {
  const Box3 a_box{a.low(), a.high()};
  const Box3 b_box0 = seen_box(b, b_in_a0);
  const Box3 b_box1 = seen_box(b, b_in_a1);
  RidgeSet near;
  for (int i = 0; i < a.ridges; ++i) {
    const Box3 box = segment_box(own_span(a, i));
    if (boxes_within(box, b_box0, reach) || boxes_within(box, b_box1, reach)) near.add(i);
  }
  if (near.bits == 0 && a.ridges <= RidgeSet::capacity) return;
  for (int j = 0; j < b.ridges; ++j) {
    const Ridge rb0 = seen_ridge(b, j, b_in_a0);
    const Ridge rb1 = seen_ridge(b, j, b_in_a1);
    if (!boxes_within(segment_box(rb0), a_box, reach) && !boxes_within(segment_box(rb1), a_box, reach)) continue;
    for (int i = 0; i < a.ridges; ++i) {
      if (!near.has(i)) continue;
      const Ridge ra = own_ridge(a, i);
      const bool facet0 = arcs_cross(ra, rb0);
      const bool facet1 = arcs_cross(ra, rb1);
      if (!facet0 && !facet1) continue;
      if (i >= RidgeSet::capacity) {
        const Box3 box = segment_box(ra);
        if (!boxes_within(box, b_box0, reach) && !boxes_within(box, b_box1, reach)) continue;
      }
      const FacetSeparation at_start = ridge_separation(a, i, b, j, b_in_a0, ra, rb0, facet0);
      const FacetSeparation at_end = ridge_separation(a, i, b, j, b_in_a1, ra, rb1, facet1);
      if (at_start.surface && at_end.surface) {
        best.add(pack_mode(mode_edges, i, j), at_start.s, at_end.s);
      } else {
        best.add_internal_edge(at_start.s, at_end.s);
      }
    }
  }
}

// Adds the facets to a scan along the motion from poses a0, b0 to a1, b1.
template <class Scan>
PEGRASP_HD_LARGE void scan_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                  const Frame& a1, const Frame& b1, double reach, Scan& best) {
  if (!is_polyhedron(a) || !is_polyhedron(b)) {
    scan_round_latest(a, b, a0, b0, a1, b1, best);
    return;
  }
  const Frame b_in_a0 = relative(a0, b0);
  const Frame b_in_a1 = relative(a1, b1);
  scan_faces_latest(a, b, b_in_a0, b_in_a1, mode_face_a, best);
  best.tie = tie_of(a, b);
  scan_faces_latest(b, a, relative(b0, a0), relative(b1, a1), mode_face_b, best);
  scan_ridges_latest(a, b, b_in_a0, b_in_a1, reach, best);
  if (max2(best.s0_max, best.internal_edge0) < -doubt * reach) {
    scan_ridges_latest(a, b, b_in_a0, b_in_a1, everywhere, best);
  }
}

PEGRASP_HD_LARGE LatestMode latest_mode(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                        const Frame& a1, const Frame& b1, bool guarded, double reach, double /*give*/) {
  LatestScan best;
  best.guarded = guarded;
  scan_latest(a, b, a0, b0, a1, b1, reach, best);
  return latest_of(best);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
