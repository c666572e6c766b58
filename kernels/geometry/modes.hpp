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

// s of edge e of `p` against all of `q`; q_in_p: frame of q seen from p.
PEGRASP_HD inline double edge_separation(const PartView& p, int e, const PartView& q, const Frame& q_in_p) {
  const V2 n = p.normal(e);
  return dot(n, q_in_p.origin) - p.off[e] - support(q, unrotate(q_in_p, -n)).value;
}

// s along the line of centres of corner i of a and corner j of b; `inside` tells whether it is a facet at this pose.
struct ArcSeparation {
  double s;
  bool inside;
};
PEGRASP_HD inline ArcSeparation arc_separation(const PartView& a, int i, const PartView& b, int j,
                                               const Frame& b_in_a) {
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  if (!(length > 0.0)) return {-1e300, false};
  const V2 n = (1.0 / length) * d;
  const V2 n_b = unrotate(b_in_a, n);
  const bool inside = in_cone(a, i, n) && in_cone(b, j, -n_b);
  return {length - a.cr[i] - b.cr[j], inside};
}

// s along the line of centres where it is no facet: both parts reach past their corners, so it is less than the arcs say.
PEGRASP_HD inline double axis_separation(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  if (!(length > 0.0)) return -1e300;
  const V2 n = (1.0 / length) * d;
  return dot(n, b_in_a.origin) - support(a, n).value - support(b, unrotate(b_in_a, -n)).value;
}

// The best mode of a pair at one pose: arg max over facets of s. Covered edges count only where nothing else separates.
struct Separation {
  double s;
  int mode;
};

// Point of q (its support towards p) that bounds the separation of every edge of p from above: s_e <= n_e . x - off_e.
PEGRASP_HD inline V2 near_point(const PartView& p, const PartView& q, const Frame& q_in_p) {
  if (q.corners == 0) return {0.0, 0.0};
  if (q.corners == 1) return transform(q_in_p, q.centre(0));
  const V2 towards = unrotate(q_in_p, p.centre(0) - q_in_p.origin);
  const double length = norm(towards);
  const V2 d = length > 0.0 ? (1.0 / length) * towards : V2{1.0, 0.0};
  const int corner = support(q, d).corner;
  return transform(q_in_p, q.centre(corner) + q.cr[corner] * d);
}

template <class Consider>
PEGRASP_HD inline void scan_edges(const PartView& p, const PartView& q, const Frame& q_in_p, int type, Separation& best,
                                  Separation& covered, const Consider& consider) {
  if (p.edges == 0 || q.corners == 0) return;
  const V2 x = near_point(p, q, q_in_p);
  for (int e = 0; e < p.edges; ++e) {
    const int use = p.use[e];
    if (use == edge_hidden) continue;
    const double bound = p.nx[e] * x.x + p.ny[e] * x.y - p.off[e];
    Separation& slot = use == edge_covered ? covered : best;
    if (!(bound > slot.s) || !consider(bound)) continue;
    const double s = edge_separation(p, e, q, q_in_p);
    if (s > slot.s) slot = {s, pack_mode(type, e, 0)};
  }
}

struct ConsiderAll {
  PEGRASP_HD bool operator()(double) const { return true; }
};

// arg max over the facets of s at one pose. a_pose, b_pose: world frames of the two bodies.
PEGRASP_HD inline Separation best_separation(const PartView& a, const PartView& b, const Frame& a_pose,
                                             const Frame& b_pose) {
  const Frame b_in_a = relative(a_pose, b_pose);
  const Frame a_in_b = relative(b_pose, a_pose);
  Separation best{-1e300, mode_none};
  Separation covered{-1e300, mode_none};
  scan_edges(a, b, b_in_a, mode_edge_a, best, covered, ConsiderAll{});
  scan_edges(b, a, a_in_b, mode_edge_b, best, covered, ConsiderAll{});
  for (int i = 0; i < a.corners; ++i) {
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc = arc_separation(a, i, b, j, b_in_a);
      if (arc.inside && arc.s > best.s) best = {arc.s, pack_mode(mode_arcs, i, j)};
    }
  }
  if (best.s < 0.0 && covered.s >= 0.0) return covered;
  return best.mode == mode_none ? covered : best;
}

// The axis that is violated latest along the motion from pose 0 to pose 1 (numerics: pair modes, pass 0):
//   score = s1 >= 0 ? 2 + s1 : s0 / (s0 - s1)   for s0 > 0;   when nothing separates at the start: arg max s0.
struct LatestMode {
  double s0_max;  // separation of the pair at the start
  int mode;       // chosen
  double s0, s1;  // of the chosen mode
};

struct LatestScan {
  double s0_max = -1e300;
  int s0_mode = mode_none;
  double s0_mode_s1 = 0.0;
  double score = -1.0;
  int mode = mode_none;
  double s0 = 0.0, s1 = 0.0;

  PEGRASP_HD static double rate(double s0, double s1) {
    if (s1 >= 0.0) return 2.0 + s1;
    return s0 > 0.0 ? s0 / (s0 - s1) : -1.0;
  }
  PEGRASP_HD bool worth(double bound0, double bound1) const { return bound0 > s0_max || rate(bound0, bound1) > score; }
  PEGRASP_HD void add(int candidate, double a, double b) {
    if (a > s0_max) {
      s0_max = a;
      s0_mode = candidate;
      s0_mode_s1 = b;
    }
    const double r = rate(a, b);
    if (r > score) {
      score = r;
      mode = candidate;
      s0 = a;
      s1 = b;
    }
  }
};

PEGRASP_HD inline void scan_edges_latest(const PartView& p, const PartView& q, const Frame& q_in_p0,
                                         const Frame& q_in_p1, int type, LatestScan& best, LatestScan& covered) {
  if (p.edges == 0 || q.corners == 0) return;
  const V2 x0 = near_point(p, q, q_in_p0);
  const V2 x1 = near_point(p, q, q_in_p1);
  for (int e = 0; e < p.edges; ++e) {
    const int use = p.use[e];
    if (use == edge_hidden) continue;
    const double bound0 = p.nx[e] * x0.x + p.ny[e] * x0.y - p.off[e];
    const double bound1 = p.nx[e] * x1.x + p.ny[e] * x1.y - p.off[e];
    LatestScan& scan = use == edge_covered ? covered : best;
    if (!scan.worth(bound0, bound1)) continue;
    scan.add(pack_mode(type, e, 0), edge_separation(p, e, q, q_in_p0), edge_separation(p, e, q, q_in_p1));
  }
}

PEGRASP_HD inline LatestMode latest_mode(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                         const Frame& a1, const Frame& b1) {
  const Frame b_in_a0 = relative(a0, b0);
  const Frame b_in_a1 = relative(a1, b1);
  LatestScan best;
  LatestScan covered;
  scan_edges_latest(a, b, b_in_a0, b_in_a1, mode_edge_a, best, covered);
  scan_edges_latest(b, a, relative(b0, a0), relative(b1, a1), mode_edge_b, best, covered);
  for (int i = 0; i < a.corners; ++i) {
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc0 = arc_separation(a, i, b, j, b_in_a0);
      const ArcSeparation arc1 = arc_separation(a, i, b, j, b_in_a1);
      if (!arc0.inside && !arc1.inside) continue;
      best.add(pack_mode(mode_arcs, i, j), arc0.inside ? arc0.s : axis_separation(a, i, b, j, b_in_a0),
               arc1.inside ? arc1.s : axis_separation(a, i, b, j, b_in_a1));
    }
  }
  const bool use_covered = best.s0_mode == mode_none || (best.s0_max < 0.0 && covered.s0_max >= 0.0);
  const LatestScan& scan = use_covered ? covered : best;
  if (scan.s0_max <= 0.0) return {scan.s0_max, scan.s0_mode, scan.s0_max, scan.s0_mode_s1};
  return {scan.s0_max, scan.mode, scan.s0, scan.s1};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
