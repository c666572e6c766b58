// SPDX-License-Identifier: Apache-2.0
// Pair modes: the facets of the configuration-space obstacle of two convex parts, and how far each separates them.
//
// Two convex parts A and B do not overlap iff some unit axis n (from A to B) separates them:
//   s(n) = min_{b in B} n . b - max_{a in A} n . a >= 0.
// In 2D it is enough to look at the facets k of the obstacle: the edges of A (n = its normal), the edges of B (n =
// minus its normal), and, where arcs are, the pairs of corners with a positive radius sum (n from centre to centre,
// while n lies in both corners' normal cones; of a smooth part along its nearest normal, smooth_modes.hpp). max over k
// of s_k >= 0 is then the exact statement of non-penetration (docs/explanation/pair-modes.md), and only facets may
// carry force.
#pragma once

#include "kernels/contact/mode_search.hpp"
#include "kernels/planar/smooth_modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// s of a facet. `surface`: both bodies have surface where it would touch. Otherwise it lies at an internal edge of a
// union, where a sibling part goes on: it may show that the parts are apart, but not carry force.
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

// The same at two poses.
struct EdgeSeparations {
  EdgeSeparation at_start, at_end;
};
PEGRASP_HD inline EdgeSeparations edge_separations(const PartView& p, int e, const PartView& q, const Frame& q_in_p0,
                                                   const Frame& q_in_p1) {
  const V2 n = p.normal(e);
  const V2 d0 = unrotate(q_in_p0, -n);
  const V2 d1 = unrotate(q_in_p1, -n);
  const TwoSupports far = two_supports(q, d0, d1);
  const bool feature = p.use[e] == edge_feature;
  return {{dot(n, q_in_p0.origin) - p.off[e] - far.first.value, feature && on_surface(q, far.first.corner, d0)},
          {dot(n, q_in_p1.origin) - p.off[e] - far.second.value, feature && on_surface(q, far.second.corner, d1)}};
}

// s along the line of centres of corner i of a and corner j of b; `inside` tells whether it is a facet at this pose.
struct ArcSeparation {
  double s;
  bool inside, surface;
};
PEGRASP_HD inline ArcSeparation arc_separation(const PartView& a, int i, const PartView& b, int j,
                                               const Frame& b_in_a) {
  if (a.curve() != nullptr || b.curve() != nullptr) {
    const SmoothFacet facet = smooth_facet(a, i, b, j, b_in_a);
    return {facet.s, facet.inside, on_surface(a, i, facet.n) && on_surface(b, j, -unrotate(b_in_a, facet.n))};
  }
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  // Concentric arcs: every direction in both cones is as good; the first serves.
  const V2 n = length > 0.0 ? (1.0 / length) * d : V2{1.0, 0.0};
  const V2 n_b = unrotate(b_in_a, n);
  const bool inside = in_cone(a, i, n) && in_cone(b, j, -n_b);
  return {length - a.cr[i] - b.cr[j], inside, on_surface(a, i, n) && on_surface(b, j, -n_b)};
}

// s along the line of centres where it is no facet: the parts reach past their corners, so s is less than for the arcs
// alone.
PEGRASP_HD inline double axis_separation(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  if (a.curve() != nullptr || b.curve() != nullptr) {
    const V2 n = smooth_facet(a, i, b, j, b_in_a).n;
    return dot(n, b_in_a.origin) - support(a, n).value - support(b, unrotate(b_in_a, -n)).value;
  }
  const V2 d = transform(b_in_a, b.centre(j)) - a.centre(i);
  const double length = norm(d);
  if (!(length > 0.0)) return -1e300;
  const V2 n = (1.0 / length) * d;
  return dot(n, b_in_a.origin) - support(a, n).value - support(b, unrotate(b_in_a, -n)).value;
}

// A point x of each part, in the frame of the other, that bounds the separation of every edge there: s_e <= n_e . x -
// off_e. The closer the two points, the fewer edges need to be measured.
struct NearPoints {
  V2 of_b;  // in a's frame
  V2 of_a;  // in b's frame
};
PEGRASP_HD inline NearPoints near_points(const PartView& a, const PartView& b, const Frame& b_in_a,
                                         const Frame& a_in_b) {
  if (a.corners == 0 || b.corners == 0) {  // a half-plane: the other's deepest point
    const bool a_plane = a.corners == 0;
    const PartView& plane = either(a_plane, a, b);
    const PartView& part = either(a_plane, b, a);
    const Frame& part_in_plane = either(a_plane, b_in_a, a_in_b);
    if (part.corners == 0) return {{0.0, 0.0}, {0.0, 0.0}};
    const V2 d = unrotate(part_in_plane, -plane.normal(0));
    const int corner = support(part, d).corner;
    const V2 x = transform(part_in_plane, corner_point(part, corner, d));
    return {x, x};  // only the plane's edge is measured
  }
  // From the part with few corners to the other's middle, from there back, and once more: nearly the closest points.
  const bool a_few = a.corners <= few_corners;
  const PartView& p = either(a_few, a, b);
  const PartView& q = either(a_few, b, a);
  const Frame& p_in_q = either(a_few, a_in_b, b_in_a);
  const Frame& q_in_p = either(a_few, b_in_a, a_in_b);
  const V2 of_q = point_near(q, transform(p_in_q, point_near(p, transform(q_in_p, q.middle))));
  const V2 q_seen = transform(q_in_p, of_q);
  const V2 p_seen = transform(p_in_q, point_near(p, q_seen));
  return a_few ? NearPoints{q_seen, p_seen} : NearPoints{p_seen, q_seen};
}

// The edge of part p that is most likely to separate, by the bound of a point x of the other part: to measure it first
// spares most of the others. -1: none has a bound of more than `least`.
PEGRASP_HD inline int likely_edge(const PartView& p, V2 x, double least) {
  double most = least;
  int likely = -1;
  for (int e = 0; e < p.edges; ++e) {
    const double bound = p.nx[e] * x.x + p.ny[e] * x.y - p.off[e];
    if (!(bound > most) || p.use[e] == edge_hidden) continue;
    most = bound;
    likely = e;
  }
  return likely;
}
constexpr double far_above_rounding = 1e-7;  // [m]

// Adds the edges of part p to a search. Where they are few, turn -1 measures the likely one, which is kept for its own
// turn: in the same loop, lest the device hold the code that measures twice.
PEGRASP_HD inline void scan_edges(const PartView& p, const PartView& q, const Frame& q_in_p, V2 x, int type,
                                  Separation& best) {
  if (p.edges == 0 || q.corners == 0) return;
  int likely = -1;
  if (p.edges <= few_corners) {  // to search a fine polygon would take as long as to measure it
    likely = likely_edge(p, x, best.s);
    if (likely < 0) return;
  }
  EdgeSeparation first{-1e300, false};
  double least = -1e300;
  for (int turn = likely < 0 ? 0 : -1; turn < p.edges; ++turn) {
    const int e = turn < 0 ? likely : turn;
    if (turn >= 0) {
      if (p.use[e] == edge_hidden) continue;
      const double bound = p.nx[e] * x.x + p.ny[e] * x.y - p.off[e];
      if (!(bound > best.s) || bound < least) continue;
    }
    const EdgeSeparation edge = turn == likely ? first : edge_separation(p, e, q, q_in_p);
    if (turn < 0) {
      first = edge;
      if (first.surface) least = first.s - far_above_rounding;
    } else if (!edge.surface) {
      best.internal_edge = max2(best.internal_edge, edge.s);
    } else if (edge.s > best.s) {
      best.s = edge.s;
      best.mode = pack_mode(type, e, 0);
    }
  }
}

// Calls f(of_b) for both parts: first for the one with fewer edges, as the separation of a long face rules out most
// edges of a fine polygon. On a device in a loop, lest it hold the code of f several times.
template <class F>
PEGRASP_HD inline void for_both_parts(const PartView& a, const PartView& b, const F& f) {
  const bool b_first = b.edges < a.edges;
  if constexpr (for_device) {
    PEGRASP_ROLLED
    for (int turn = 0; turn < 2; ++turn) f((turn == 0) == b_first);
  } else {
    if (b_first) f(true);
    f(false);
    if (!b_first) f(true);
  }
}

// arg max over the facets of s at one pose. a_pose, b_pose: world frames of the two bodies. Only 3D uses the reach.
PEGRASP_HD inline Separation best_separation(const PartView& a, const PartView& b, const Frame& a_pose,
                                             const Frame& b_pose, double /*reach*/ = 0.0) {
  const Frame b_in_a = relative(a_pose, b_pose);
  const Frame a_in_b = relative(b_pose, a_pose);
  Separation best{-1e300, mode_none, -1e300};
  const NearPoints x = near_points(a, b, b_in_a, a_in_b);
  for_both_parts(a, b, [&](bool of_b) {
    scan_edges(either(of_b, b, a), either(of_b, a, b), either(of_b, a_in_b, b_in_a), either(of_b, x.of_a, x.of_b),
               of_b ? mode_edge_b : mode_edge_a, best);
  });
  if (a.arcs == 0 && b.arcs == 0) return best;
  for (int i = 0; i < a.corners; ++i) {
    if (b.arcs == 0 && a.cr[i] == 0.0) continue;
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc = arc_separation(a, i, b, j, b_in_a);
      if (!arc.inside) continue;
      if (!arc.surface) {
        best.internal_edge = max2(best.internal_edge, arc.s);
      } else if (arc.s > best.s) {
        best.s = arc.s;
        best.mode = pack_mode(mode_arcs, i, j);
      }
    }
  }
  return best;
}

// Whether the edge that is most likely to do so separates part p by more than `least` [m] from q.
PEGRASP_HD inline bool edge_separates_by(const PartView& p, const PartView& q, const Frame& q_in_p, double least) {
  if (p.edges > few_corners || q.corners == 0) return false;
  const int likely = likely_edge(p, transform(q_in_p, q.middle), least);
  return likely >= 0 && edge_separation(p, likely, q, q_in_p).s > least;
}

// Whether a quick look finds a facet that separates the parts by more than `least` [m] at a pose. If not, others may.
// Two polygons with few corners are as quickly measured.
PEGRASP_HD inline bool separated_by(const PartView& a, const PartView& b, const Frame& a_pose, const Frame& b_pose,
                                    double least) {
  const bool round = a.arcs != 0 || b.arcs != 0;
  if (!round && a.corners <= few_corners && b.corners <= few_corners) return false;
  const bool of_b = a.edges == 0 || (b.edges > 0 && b.edges < a.edges);
  if (edge_separates_by(either(of_b, b, a), either(of_b, a, b),
                        relative(either(of_b, b_pose, a_pose), either(of_b, a_pose, b_pose)), least)) {
    return true;
  }
  if (!round || a.curve() != nullptr || b.curve() != nullptr) return false;
  if (a.corners * b.corners > few_corners) return false;
  const Frame b_in_a = relative(a_pose, b_pose);
  for (int i = 0; i < a.corners; ++i) {
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc = arc_separation(a, i, b, j, b_in_a);
      if (arc.inside && arc.s > least) return true;
    }
  }
  return false;
}

// The separation [m] by a facet at a pose; -1e300 where it is none, at an internal edge or of smooth parts.
PEGRASP_HD inline double separation_by(const PartView& a, const PartView& b, const Frame& a_pose, const Frame& b_pose,
                                       int mode) {
  if (a.curve() != nullptr || b.curve() != nullptr) return -1e300;
  if (mode_type(mode) == mode_arcs) {
    const ArcSeparation arc = arc_separation(a, mode_i(mode), b, mode_j(mode), relative(a_pose, b_pose));
    return arc.inside && arc.surface ? arc.s : -1e300;
  }
  const bool of_a = mode_type(mode) == mode_edge_a;
  const EdgeSeparation edge = edge_separation(either(of_a, a, b), mode_i(mode), either(of_a, b, a),
                                              relative(either(of_a, a_pose, b_pose), either(of_a, b_pose, a_pose)));
  return edge.surface ? edge.s : -1e300;
}

// The same along a motion, from pose 0 to pose 1.
template <class Scan>
PEGRASP_HD inline void scan_edges_latest(const PartView& p, const PartView& q, const Frame& q_in_p0,
                                         const Frame& q_in_p1, V2 x0, V2 x1, int type, Scan& best) {
  if (p.edges == 0 || q.corners == 0) return;
  const bool leaves_out = best.may_leave_out();
  const int likely = p.edges <= few_corners && leaves_out ? likely_edge(p, x0, best.s0_max) : -1;
  EdgeSeparations first{{-1e300, false}, {-1e300, false}};
  double least0 = -1e300;
  double least1 = -1e300;
  for (int turn = likely < 0 ? 0 : -1; turn < p.edges; ++turn) {
    const int e = turn < 0 ? likely : turn;
    if (turn >= 0) {
      if (p.use[e] == edge_hidden) continue;
      const double bound0 = p.nx[e] * x0.x + p.ny[e] * x0.y - p.off[e];
      const double bound1 = p.nx[e] * x1.x + p.ny[e] * x1.y - p.off[e];
      if (!best.worth(bound0, bound1)) continue;
      if ((bound0 < least0 && bound1 < least1) || (leaves_out && best.surpasses(bound0, bound1, far_above_rounding))) {
        best.leave_out(bound0, bound1);
        continue;
      }
    }
    const EdgeSeparations edge = turn == likely ? first : edge_separations(p, e, q, q_in_p0, q_in_p1);
    if (turn < 0) {
      first = edge;
      if (edge.at_start.surface && edge.at_end.surface) {
        least0 = edge.at_start.s - far_above_rounding;
        least1 = min2(edge.at_end.s, 0.0) - far_above_rounding;
      }
    } else if (edge.at_start.surface && edge.at_end.surface) {
      best.add(pack_mode(type, e, 0), edge.at_start.s, edge.at_end.s);
    } else {
      best.add_internal_edge(edge.at_start.s, edge.at_end.s);
    }
  }
}

// Adds the facets to a scan along the motion from poses a0, b0 to a1, b1.
template <class Scan>
PEGRASP_HD inline void scan_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                   const Frame& a1, const Frame& b1, double /*reach*/, Scan& best) {
  const Frame b_in_a0 = relative(a0, b0);
  const Frame b_in_a1 = relative(a1, b1);
  const Frame a_in_b0 = relative(b0, a0);
  const Frame a_in_b1 = relative(b1, a1);
  NearPoints x0{}, x1{};
  PEGRASP_ROLLED
  for (int pose = 0; pose < 2; ++pose) {
    x0 = x1;
    x1 = near_points(a, b, either(pose == 0, b_in_a0, b_in_a1), either(pose == 0, a_in_b0, a_in_b1));
  }
  for_both_parts(a, b, [&](bool of_b) {
    scan_edges_latest(either(of_b, b, a), either(of_b, a, b), either(of_b, a_in_b0, b_in_a0),
                      either(of_b, a_in_b1, b_in_a1), either(of_b, x0.of_a, x0.of_b), either(of_b, x1.of_a, x1.of_b),
                      of_b ? mode_edge_b : mode_edge_a, best);
  });
  if (a.arcs == 0 && b.arcs == 0) return;
  for (int i = 0; i < a.corners; ++i) {
    if (b.arcs == 0 && a.cr[i] == 0.0) continue;
    for (int j = 0; j < b.corners; ++j) {
      if (a.cr[i] + b.cr[j] == 0.0) continue;
      const ArcSeparation arc0 = arc_separation(a, i, b, j, b_in_a0);
      const ArcSeparation arc1 = arc_separation(a, i, b, j, b_in_a1);
      if (!arc0.inside && !arc1.inside) continue;
      const double s0 = arc0.inside ? arc0.s : axis_separation(a, i, b, j, b_in_a0);
      const double s1 = arc1.inside ? arc1.s : axis_separation(a, i, b, j, b_in_a1);
      if ((arc0.inside && !arc0.surface) || (arc1.inside && !arc1.surface)) {
        best.add_internal_edge(s0, s1);
      } else {
        best.add(pack_mode(mode_arcs, i, j), s0, s1);
      }
    }
  }
}

// Whether a facet at an internal edge that was left out could be one that choose_mode() asks for: it separates at the
// end, or by more than a third of what the chosen facet does (came_through_sibling; give: of shells), or at the start
// by more than that.
PEGRASP_HD inline bool matters_what_was_left_out(const LatestScan& scan, const LatestMode& chosen, double give) {
  return !(scan.left_out1 < 0.0) || !(3.0 * (scan.left_out1 + give) < chosen.s1 + give) ||
         !(scan.left_out0 < chosen.s0);
}

// One scan in a loop, lest the device hold the code of two.
PEGRASP_HD inline LatestMode latest_mode(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                         const Frame& a1, const Frame& b1, bool guarded = false, double reach = 0.0,
                                         double give = 0.0) {
  for (bool all = false;; all = true) {
    LatestScan best;
    best.guarded = guarded;
    best.all = all;
    scan_latest(a, b, a0, b0, a1, b1, reach, best);
    const LatestMode chosen = latest_of(best);
    if (all || !matters_what_was_left_out(best, chosen, give)) return chosen;
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
