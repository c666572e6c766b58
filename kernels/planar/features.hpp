// SPDX-License-Identifier: Apache-2.0
// Contact model `peg-features`: Williams' planar PEG as the thesis has it (algorithms 8-11), from feature pairs.
//
//   U(C)         one unilateral contact                  0 <= psi  _|_  lambda >= 0                 (4.8)
//   I(C_i, C_k)  at least one gap of the set is non-negative, and at most one carries a force       (4.10-4.14)
//   X(C_a, C_b)  max(psi_a, psi_b) >= 0                                                             (4.15)
//
// Eliminating the slack variables c leaves 0 <= p _|_ max_k (psi_k / h + G_k nu) >= 0 with the force on one primary
// contact: a contact with alternatives, solved with the max rule. X is written as an I-constraint (thesis, 4.2.3).
//
// Departures: the primary is the applicable and feasible contact with the largest gap; eps is the pair's motion bound
// instead of a fixed distance; where a corner is an arc, the arc facet joins the adjacent edges in one I-constraint.
#pragma once

#include "kernels/planar/baselines.hpp"
#include "kernels/planar/flatness.hpp"
#include "kernels/planar/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr double applicable_sine = -0.2;  // eps_theta = -sin(theta), thesis 3.2
constexpr double feasible_slope = 1.0;    // tan(phi), thesis 3.3
// Depth below a facet, in eps, at which a contact is still feasible. With 1/20 it lets go of vertices that a step has
// left a little too deep, and polygons of a pour get stuck in each other (bench/studies/thesis/README.md).
constexpr double feasible_depth_ratio = 1.0;

// APPL (3.3): the smallest n . direction of the two edges that leave corner i of q, n in q's frame. A corner with no
// edges (a disc) is applicable everywhere.
PEGRASP_HD inline double applicability(const PartView& q, int i, V2 n) {
  if (q.edges == 0) return 1.0;
  const V2 ahead = perp(q.normal(i));                // along edge i, away from corner i
  const V2 behind = -perp(q.normal(q.previous(i)));  // along edge i - 1, away from corner i
  return min2(dot(n, ahead), dot(n, behind));
}

// C(corner i of q, edge e of p) and whether it could carry a force at the end of the step (C-split, algorithm 9).
struct FeatureContact {
  ContactPoint point;
  bool forceful;
};

PEGRASP_HD inline FeatureContact feature_contact(const PairGeometry& g, int type, int e, int i, double eps) {
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  FeatureContact c{corner_on_edge(p, p_pose, e, q, q_pose, i, type, q_name[i]), false};
  if (p.use[e] != edge_feature) return c;
  double beyond = 0.0;  // how far past the edge's ends the corner lies
  if (p.corners > 0) {
    const V2 t = perp(rotate(p_pose, p.normal(e)));
    const double at = dot(t, c.point.p);
    beyond = max2(0.0, max2(dot(t, edge_tail(p, p_pose, e)) - at, at - dot(t, edge_head(p, p_pose, e))));
  }
  const bool feasible = c.point.gap > -feasible_depth_ratio * eps - feasible_slope * beyond;
  const V2 n = unrotate(q_pose, rotate(p_pose, p.normal(e)));
  c.forceful = feasible && applicability(q, i, n) >= applicable_sine;
  return c;
}

// I(C_i, C_k) over a set: the primary carries, the others are alternatives. A set that cannot carry a force is no
// constraint.
template <class Sink>
PEGRASP_HD inline void add_inter_contact(const FeatureContact* set, int count, Sink& sink) {
  int primary = -1;
  for (int k = 0; k < count; ++k) {
    if (set[k].forceful && (primary < 0 || set[k].point.gap > set[primary].point.gap)) primary = k;
  }
  if (primary < 0) return;
  sink.add(set[primary].point, 0.0);
  for (int k = 0; k < count; ++k) {
    if (k != primary) sink.add_alternative(set[k].point);
  }
}

template <class Sink>
PEGRASP_HD inline void vertex_vertex(const PairGeometry& g, int i, int j, double eps, Sink& sink) {
  const bool a_edges = g.a.edges > 0;
  const bool b_edges = g.b.edges > 0;
  if (g.a.cr[i] + g.b.cr[j] == 0.0) {  // algorithm 10
    const FeatureContact c1 = feature_contact(g, mode_edge_b, g.b.previous(j), i, eps);
    const FeatureContact c2 = feature_contact(g, mode_edge_b, j, i, eps);
    const FeatureContact c3 = feature_contact(g, mode_edge_a, g.a.previous(i), j, eps);
    const FeatureContact c4 = feature_contact(g, mode_edge_a, i, j, eps);
    const FeatureContact inter_a[2] = {c1, c2};
    const FeatureContact inter_b[2] = {c3, c4};
    const FeatureContact cross_1[2] = {c1, c4};
    const FeatureContact cross_2[2] = {c2, c3};
    add_inter_contact(inter_a, 2, sink);
    add_inter_contact(inter_b, 2, sink);
    add_inter_contact(cross_1, 2, sink);
    add_inter_contact(cross_2, 2, sink);
    return;
  }
  FeatureContact set[5];
  int count = 0;
  if (b_edges) {
    set[count++] = feature_contact(g, mode_edge_b, g.b.previous(j), i, eps);
    set[count++] = feature_contact(g, mode_edge_b, j, i, eps);
  }
  if (a_edges) {
    set[count++] = feature_contact(g, mode_edge_a, g.a.previous(i), j, eps);
    set[count++] = feature_contact(g, mode_edge_a, i, j, eps);
  }
  const ArcSeparation arc = arc_separation(g.a, i, g.b, j, relative(g.a_pose, g.b_pose));
  if (arc.inside) set[count++] = {arc_manifold(g, i, j).point[0], true};
  add_inter_contact(set, count, sink);
}

PEGRASP_HD inline double corner_distance(const PairGeometry& g, int i, int j) {
  const V2 d = transform(g.b_pose, g.b.centre(j)) - transform(g.a_pose, g.a.centre(i));
  return norm(d) - g.a.cr[i] - g.b.cr[j];
}

// Vertex-edge pairs of corners that are near no corner of the other part (algorithms 8 and 11).
template <class Sink>
PEGRASP_HD inline void vertex_edges(const PairGeometry& g, int type, double eps, Sink& sink) {
  const bool edge_on_a = type == mode_edge_a;
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  const Frame q_in_p = relative(p_pose, q_pose);
  for (int i = 0; i < q.corners; ++i) {
    bool collision = false;
    for (int j = 0; j < p.corners && !collision; ++j) {
      collision = (edge_on_a ? corner_distance(g, j, i) : corner_distance(g, i, j)) <= eps;
    }
    if (collision) continue;
    const V2 c = transform(q_in_p, q.centre(i));
    for (int e = 0; e < p.edges; ++e) {
      if (p.use[e] != edge_feature || distance_to_segment(p, e, c, q.cr[i]) > eps) continue;
      const FeatureContact contact = feature_contact(g, type, e, i, eps);
      if (contact.forceful) sink.add(contact.point, 0.0);
    }
  }
}

template <class Sink>
PEGRASP_HD inline void feature_contacts(const PairGeometry& g, double eps, Sink& sink) {
  for (int i = 0; i < g.a.corners; ++i) {
    for (int j = 0; j < g.b.corners; ++j) {
      if (corner_distance(g, i, j) <= eps) vertex_vertex(g, i, j, eps, sink);
    }
  }
  vertex_edges(g, mode_edge_b, eps, sink);
  vertex_edges(g, mode_edge_a, eps, sink);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
