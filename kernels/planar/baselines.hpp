// SPDX-License-Identifier: Apache-2.0
// The two contact models that the thesis compares with, each as it is commonly done.
//   standard:   every corner of one part that is within eps of an edge segment of the other is a unilateral contact
//               against that edge's whole line (Williams 4.1): the model with the traps.
//   corrective: only pairs that overlap already get a contact, along the axis of least overlap (Williams 5.2.3).
// The unnamed arguments are those of the same functions in 3D.
#pragma once

#include "kernels/planar/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Distance [m] of a corner's disc from the segment of edge e, both in the edge's part frame.
PEGRASP_HD inline double distance_to_segment(const PartView& p, int e, V2 c, double r) {
  const V2 n = p.normal(e);
  if (p.corners == 0) return abs1(dot(n, c) - p.off[e]) - r;
  const V2 tail = p.centre(e) + p.cr[e] * n;
  const int i = p.next(e);
  const V2 along = p.centre(i) + p.cr[i] * n - tail;
  const double length2 = dot(along, along);
  const double f = length2 > 0.0 ? clamp(dot(c - tail, along) / length2, 0.0, 1.0) : 0.0;
  return norm(c - tail - f * along) - r;
}

template <class Sink>
PEGRASP_HD inline void corners_on_edges(const PairGeometry& g, int type, double eps, Sink& sink) {
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  const Frame q_in_p = relative(p_pose, q_pose);
  for (int i = 0; i < q.corners; ++i) {
    const V2 c = transform(q_in_p, q.centre(i));
    for (int e = 0; e < p.edges; ++e) {
      if (p.use[e] != edge_feature) continue;
      if (distance_to_segment(p, e, c, q.cr[i]) > eps) continue;
      sink.add(corner_on_edge(p, p_pose, e, q, q_pose, i, type, q_name[i]), 0.0);
    }
  }
}

// Arcs: each pair of corners with a positive radius sum that face each other within eps.
template <class Sink>
PEGRASP_HD inline void arcs_on_arcs(const PairGeometry& g, double eps, Sink& sink) {
  const Frame b_in_a = relative(g.a_pose, g.b_pose);
  for (int i = 0; i < g.a.corners; ++i) {
    for (int j = 0; j < g.b.corners; ++j) {
      if (g.a.cr[i] + g.b.cr[j] == 0.0) continue;
      const ArcSeparation arc = arc_separation(g.a, i, g.b, j, b_in_a);
      if (arc.inside && abs1(arc.s) <= eps) sink.add(arc_manifold(g, i, j).point[0], 0.0);
    }
  }
}

template <class Sink>
PEGRASP_HD inline void standard_contacts(const PairGeometry& g, double eps, double, Sink& sink) {
  corners_on_edges(g, mode_edge_a, eps, sink);
  corners_on_edges(g, mode_edge_b, eps, sink);
  arcs_on_arcs(g, eps, sink);
}

template <class Sink>
PEGRASP_HD inline void corrective_contact(const PairGeometry& g, double, Sink& sink) {
  const Separation now = best_separation(g.a, g.b, g.a_pose, g.b_pose);
  if (!(separation(now) < 0.0) || now.mode == mode_none) return;
  sink.add(mode_point(g, now.mode), 0.0);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
