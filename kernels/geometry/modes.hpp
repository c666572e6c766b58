// SPDX-License-Identifier: Apache-2.0
// Pair modes: the facets of the configuration-space obstacle of two convex parts, and how far each separates them.
//
// Two convex parts A and B do not overlap iff some unit axis n (from A to B) separates them:
//   s(n) = min_{b in B} n . b - max_{a in A} n . a >= 0.
// In the plane it is enough to look at the facets k of the obstacle: the edges of A (n = its normal), the edges of B
// (n = minus its normal), and, where arcs are, the pairs of corners with a positive radius sum (n from centre to centre,
// while n lies in both corners' normal cones). max over k of s_k >= 0 is then the exact statement of non-penetration
// (docs/pair-modes.md), and only facets may carry force.
#pragma once

#include "geometry/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A mode packed in an int so that it can be stored, compared and used as a key.
enum ModeType : int { mode_edge_a = 0, mode_edge_b = 1, mode_arcs = 2 };
constexpr int mode_none = -1;
PEGRASP_HD inline int pack_mode(int type, int i, int j) { return (type << 28) | (i << 14) | j; }
PEGRASP_HD inline int mode_type(int mode) { return mode >> 28; }
PEGRASP_HD inline int mode_i(int mode) { return (mode >> 14) & 0x3fff; }
PEGRASP_HD inline int mode_j(int mode) { return mode & 0x3fff; }

// s of a facet. `surface`: both bodies have surface where it would touch; else it lies at a seam of a union, where a sibling
// part goes on: it may say that the two parts are apart, but not carry force.
struct EdgeSeparation {
  double s;
  bool surface;
};

// s of edge e of `p` against all of `q`; q_in_p: frame of q seen from p.
PEGRASP_HD inline EdgeSeparation edge_separation(const PartView& p, int e, const PartView& q, const Frame& q_in_p) {
  const V2 n = p.normal(e);
  const V2 d = unrotate(q_in_p, -n);
  const Support far = support(q, d);
  return {dot(n, q_in_p.origin) - p.off[e] - far.value, p.use[e] == edge_feature && on_surface(q, far.corner, d)};
}

// s along the line of centres of corner i of a and corner j of b; `inside` tells whether it is a facet at this pose.
struct ArcSeparation {
  double s;
  bool inside, surface;
};
PEGRASP_HD inline ArcSeparation arc_separation(const PartView& a, int i, const PartView& b, int j,
                                               const Frame& b_in_a) {
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  // Concentric arcs: every direction in both cones is as good; the first serves.
  const V2 n = length > 0.0 ? (1.0 / length) * d : V2{1.0, 0.0};
  const V2 n_b = unrotate(b_in_a, n);
  const bool inside = in_cone(a, i, n) && in_cone(b, j, -n_b);
  return {length - a.cr[i] - b.cr[j], inside, on_surface(a, i, n) && on_surface(b, j, -n_b)};
}

// s along the line of centres where it is no facet: both parts reach past their corners, so it is less than the arcs say.
PEGRASP_HD inline double axis_separation(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  if (!(length > 0.0)) return -1e300;
  const V2 n = (1.0 / length) * d;
  return dot(n, b_in_a.origin) - support(a, n).value - support(b, unrotate(b_in_a, -n)).value;
}

// A pair at one pose: arg max of s over the facets that may carry force (mode_none, -1e300: there are none), and the largest s
// of those that may not (seams of unions). The pair does not overlap iff the larger of the two is >= 0.
struct Separation {
  double s;
  int mode;
  double seam;
};
PEGRASP_HD inline double separation(const Separation& at) { return max2(at.s, at.seam); }

// A point x of each part, seen from the other, that bounds the separation of every edge there: s_e <= n_e . x - off_e. The nearer
// the two points lie, the fewer edges need a closer look.
struct NearPoints {
  V2 of_b;  // in a's frame
  V2 of_a;  // in b's frame
};
PEGRASP_HD inline NearPoints near_points(const PartView& a, const PartView& b, const Frame& b_in_a,
                                         const Frame& a_in_b) {
  if (a.corners == 0 || b.corners == 0) {  // a half-plane: the other's deepest point
    const PartView& plane = a.corners == 0 ? a : b;
    const PartView& part = a.corners == 0 ? b : a;
    const Frame& part_in_plane = a.corners == 0 ? b_in_a : a_in_b;
    if (part.corners == 0) return {{0.0, 0.0}, {0.0, 0.0}};
    const V2 d = unrotate(part_in_plane, -plane.normal(0));
    const int corner = support(part, d).corner;
    const V2 x = transform(part_in_plane, part.centre(corner) + part.cr[corner] * d);
    return {x, x};  // only the plane's edge is measured
  }
  // From the part with few corners to the other's middle, from there back, and once more: nearly the closest points.
  const bool a_few = a.corners <= few_corners;
  const PartView& p = a_few ? a : b;
  const PartView& q = a_few ? b : a;
  const Frame& p_in_q = a_few ? a_in_b : b_in_a;
  const Frame& q_in_p = a_few ? b_in_a : a_in_b;
  const V2 of_q = point_near(q, transform(p_in_q, point_near(p, transform(q_in_p, q.middle))));
  const V2 q_seen = transform(q_in_p, of_q);
  const V2 p_seen = transform(p_in_q, point_near(p, q_seen));
  return a_few ? NearPoints{q_seen, p_seen} : NearPoints{p_seen, q_seen};
}

PEGRASP_HD inline void scan_edges(const PartView& p, const PartView& q, const Frame& q_in_p, V2 x, int type,
                                  Separation& best) {
  if (p.edges == 0 || q.corners == 0) return;
  for (int e = 0; e < p.edges; ++e) {
    if (p.use[e] == edge_hidden) continue;
    const double bound = p.nx[e] * x.x + p.ny[e] * x.y - p.off[e];
    if (!(bound > best.s)) continue;
    const EdgeSeparation edge = edge_separation(p, e, q, q_in_p);
    if (!edge.surface) {
      best.seam = max2(best.seam, edge.s);
    } else if (edge.s > best.s) {
      best.s = edge.s;
      best.mode = pack_mode(type, e, 0);
    }
  }
}

// arg max over the facets of s at one pose. a_pose, b_pose: world frames of the two bodies.
PEGRASP_HD inline Separation best_separation(const PartView& a, const PartView& b, const Frame& a_pose,
                                             const Frame& b_pose) {
  const Frame b_in_a = relative(a_pose, b_pose);
  const Frame a_in_b = relative(b_pose, a_pose);
  Separation best{-1e300, mode_none, -1e300};
  const NearPoints x = near_points(a, b, b_in_a, a_in_b);
  // The part with fewer edges first: what a long face says spares most edges of a fine polygon.
  const bool b_first = b.edges < a.edges;
  if (b_first) scan_edges(b, a, a_in_b, x.of_a, mode_edge_b, best);
  scan_edges(a, b, b_in_a, x.of_b, mode_edge_a, best);
  if (!b_first) scan_edges(b, a, a_in_b, x.of_a, mode_edge_b, best);
  for (int i = 0; i < a.corners; ++i) {
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc = arc_separation(a, i, b, j, b_in_a);
      if (!arc.inside) continue;
      if (!arc.surface) {
        best.seam = max2(best.seam, arc.s);
      } else if (arc.s > best.s) {
        best.s = arc.s;
        best.mode = pack_mode(mode_arcs, i, j);
      }
    }
  }
  return best;
}

// The axis that is violated latest along the motion from pose 0 to pose 1 (docs/pair-modes.md, 3):
//   score = s1 >= 0 ? 2 + s1 : s0 / (s0 - s1)   for s0 > 0;   when nothing separates at the start: arg max s0.
// Guarded, for motions that are long enough to lead through a part: an axis with s0 < 0 counts only if it begins to separate
// before the last of those with s0 >= 0 ceases to.
struct LatestMode {
  double s0_max;        // largest at the start, over the facets that may carry force
  int mode;             // chosen among them; mode_none: there are none
  double s0, s1;        // of the chosen mode
  double seam0, seam1;  // largest at the start and at the end over the facets at seams
};

struct LatestScan {
  bool guarded = false;  // the way may lead right through a part
  double s0_max = -1e300;
  int s0_mode = mode_none;
  double s0_mode_s1 = -1e300;
  double score = -1.0;
  int mode = mode_none;
  double s0 = 0.0, s1 = 0.0;
  double seam0 = -1e300, seam1 = -1e300;

  // guarded: of those that are violated at the start and hold at the end, the best and the first to hold
  struct FarSide {
    int mode = mode_none;
    double s0 = 0.0, s1 = -1.0;
    PEGRASP_HD double begins() const { return s0 / (s0 - s1); }  // fraction of the step
  };
  FarSide far_best, far_first;

  PEGRASP_HD static double rate(double s0, double s1) {
    if (s1 >= 0.0) return 2.0 + s1;
    return s0 > 0.0 ? s0 / (s0 - s1) : -1.0;
  }
  PEGRASP_HD bool worth(double bound0, double bound1) const {
    return guarded || bound0 > s0_max || rate(bound0, bound1) > score;
  }
  PEGRASP_HD void add(int candidate, double a, double b) {
    if (a > s0_max) {
      s0_max = a;
      s0_mode = candidate;
      s0_mode_s1 = b;
    }
    if (guarded && a < 0.0 && b >= 0.0) {
      const FarSide side{candidate, a, b};
      if (far_best.mode == mode_none || b > far_best.s1) far_best = side;
      if (far_first.mode == mode_none || side.begins() < far_first.begins()) far_first = side;
      return;
    }
    const double r = rate(a, b);
    if (r > score) {
      score = r;
      mode = candidate;
      s0 = a;
      s1 = b;
    }
  }
  // A facet at a seam.
  PEGRASP_HD void add_seam(double a, double b) {
    seam0 = max2(seam0, a);
    if (!guarded || a >= 0.0) seam1 = max2(seam1, b);
  }
  // A side that separates only at the end counts when it does so before the last of the others fails: round a corner. Else
  // the way there leads through the part.
  PEGRASP_HD void reach(const FarSide& side) {
    if (side.mode == mode_none || !(2.0 + side.s1 > score) || !(side.begins() <= score)) return;
    score = 2.0 + side.s1;
    mode = side.mode;
    s0 = side.s0;
    s1 = side.s1;
  }
};

PEGRASP_HD inline void scan_edges_latest(const PartView& p, const PartView& q, const Frame& q_in_p0,
                                         const Frame& q_in_p1, V2 x0, V2 x1, int type, LatestScan& best) {
  if (p.edges == 0 || q.corners == 0) return;
  for (int e = 0; e < p.edges; ++e) {
    if (p.use[e] == edge_hidden) continue;
    const double bound0 = p.nx[e] * x0.x + p.ny[e] * x0.y - p.off[e];
    const double bound1 = p.nx[e] * x1.x + p.ny[e] * x1.y - p.off[e];
    if (!best.worth(bound0, bound1)) continue;
    const EdgeSeparation at_start = edge_separation(p, e, q, q_in_p0);
    const EdgeSeparation at_end = edge_separation(p, e, q, q_in_p1);
    if (at_start.surface && at_end.surface) {
      best.add(pack_mode(type, e, 0), at_start.s, at_end.s);
    } else {
      best.add_seam(at_start.s, at_end.s);
    }
  }
}

PEGRASP_HD inline LatestMode latest_mode(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                         const Frame& a1, const Frame& b1, bool guarded = false) {
  const Frame b_in_a0 = relative(a0, b0);
  const Frame b_in_a1 = relative(a1, b1);
  const Frame a_in_b0 = relative(b0, a0);
  const Frame a_in_b1 = relative(b1, a1);
  const NearPoints x0 = near_points(a, b, b_in_a0, a_in_b0);
  const NearPoints x1 = near_points(a, b, b_in_a1, a_in_b1);
  LatestScan best;
  best.guarded = guarded;
  const bool b_first = b.edges < a.edges;
  if (b_first) scan_edges_latest(b, a, a_in_b0, a_in_b1, x0.of_a, x1.of_a, mode_edge_b, best);
  scan_edges_latest(a, b, b_in_a0, b_in_a1, x0.of_b, x1.of_b, mode_edge_a, best);
  if (!b_first) scan_edges_latest(b, a, a_in_b0, a_in_b1, x0.of_a, x1.of_a, mode_edge_b, best);
  for (int i = 0; i < a.corners; ++i) {
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc0 = arc_separation(a, i, b, j, b_in_a0);
      const ArcSeparation arc1 = arc_separation(a, i, b, j, b_in_a1);
      if (!arc0.inside && !arc1.inside) continue;
      const double s0 = arc0.inside ? arc0.s : axis_separation(a, i, b, j, b_in_a0);
      const double s1 = arc1.inside ? arc1.s : axis_separation(a, i, b, j, b_in_a1);
      if ((arc0.inside && !arc0.surface) || (arc1.inside && !arc1.surface)) {
        best.add_seam(s0, s1);
      } else {
        best.add(pack_mode(mode_arcs, i, j), s0, s1);
      }
    }
  }
  best.reach(best.far_first);
  best.reach(best.far_best);
  if (best.s0_max <= 0.0) return {best.s0_max, best.s0_mode, best.s0_max, best.s0_mode_s1, best.seam0, best.seam1};
  return {best.s0_max, best.mode, best.s0, best.s1, best.seam0, best.seam1};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
