// SPDX-License-Identifier: Apache-2.0
// Contact model `peg-features` in 3D: Williams' PEG for polyhedra, from feature pairs (algorithms 12-17). The
// constraints U, I and X, and how they become contacts with alternatives, are in kernels/planar/features.hpp.
//
// Departures: the primary is the applicable and feasible contact with the largest gap; eps is the pair's motion bound;
// features are near by their distance, instead of flags that edges keep from pair to pair, which leave out an edge that
// crosses another one far from a vertex on a face; edges against edges get an edge's contact (algorithm 17 calls for a
// vertex's), and the sets of all edges at a vertex are kept (algorithm 16 keeps the last).
#pragma once

#include "kernels/spatial/baselines.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr double feasible_slope = 1.0;         // tan(phi), thesis 3.3
constexpr double feasible_depth_ratio = 0.05;  // depth below a facet, in eps, at which a contact is still feasible

// A contact, and whether it could carry a force at the end of the step (C-split).
struct FeatureContact {
  ContactPoint point;
  bool forceful;
};

// A pair of parts seen from p, whose faces or edges count; q has the vertex.
struct FeatureSide {
  const PartView& p;
  const PartView& q;
  const Frame& p_pose;
  const Frame& q_pose;
  bool p_is_a;
  Frame q_in_p;
  double eps;
};

PEGRASP_HD inline FeatureSide feature_side(const PairGeometry& g, bool p_is_a, double eps) {
  const Frame& p_pose = p_is_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = p_is_a ? g.b_pose : g.a_pose;
  return {p_is_a ? g.a : g.b, p_is_a ? g.b : g.a, p_pose, q_pose, p_is_a, relative(p_pose, q_pose), eps};
}

// C(v, f)
PEGRASP_HD_LARGE FeatureContact vertex_face(const FeatureSide& s, int v, int f) {
  const V3 x = transform(s.q_in_p, s.q.vertex(v));
  const V3 n = s.p.normal(f);
  const double gap = dot(n, x) - s.p.off[f];
  const double beyond = distance_to_face(s.p, f, x - gap * n);
  const V3 out = unrotate(s.q_in_p, -n);
  const bool feasible = gap > -feasible_depth_ratio * s.eps - feasible_slope * beyond;
  const bool surface = s.p.use[f] == edge_feature && vertex_on_surface(s.q, v, out);
  const V3 world = rotate(s.p_pose, n);
  return {{transform(s.q_pose, s.q.vertex(v)), s.p_is_a ? world : -world, gap,
           pack_mode(s.p_is_a ? mode_face_a : mode_face_b, v, f)},
          feasible && surface && applicable_vertex(s.q, v, out)};
}

// C(e_p, e_q) along n, out of p (p's frame).
PEGRASP_HD_LARGE FeatureContact edge_edge(const FeatureSide& s, int e_p, int e_q, const Ridge& rp, const Ridge& rq,
                                          V3 n) {
  const ClosestPoints closest = closest_points({rp.tail, rp.along}, {rq.tail, rq.along});
  const V3 on_p = rp.tail + closest.on_a * rp.along;
  const V3 on_q = rq.tail + closest.on_b * rq.along;
  const double gap = dot(n, closest.d);
  const bool surface = ridge_on_surface(s.p, e_p, n) && ridge_on_surface(s.q, e_q, unrotate(s.q_in_p, -n));
  const V3 world = rotate(s.p_pose, n);
  return {{transform(s.p_pose, s.p_is_a ? on_q : on_p), s.p_is_a ? world : -world, gap,
           pack_mode(mode_edges, s.p_is_a ? e_p : e_q, s.p_is_a ? e_q : e_p)},
          gap > -feasible_depth_ratio * s.eps && surface && applicable_ridge(rp, n) && applicable_ridge(rq, -n)};
}

// I(C_i, C_k) over the contacts k < count that are `in` the set: the primary carries, the others are alternatives. A
// set that cannot carry a force is no constraint.
template <class In, class Contacts, class Sink>
PEGRASP_HD inline void add_inter_contact(int count, const In& in, const Contacts& contact, Sink& sink) {
  int primary = -1;
  ContactPoint carrier{};
  for (int k = 0; k < count; ++k) {
    if (!in(k)) continue;
    const FeatureContact c = contact(k);
    if (!c.forceful || (primary >= 0 && !(c.point.gap > carrier.gap))) continue;
    primary = k;
    carrier = c.point;
  }
  if (primary < 0) return;
  sink.add(carrier, 0.0);
  for (int k = 0; k < count; ++k) {
    if (k != primary && in(k)) sink.add_alternative(contact(k).point);
  }
}
template <class Sink>
PEGRASP_HD inline void add_inter_pair(const FeatureContact& one, const FeatureContact& two, Sink& sink) {
  add_inter_contact(
      2, [](int) { return true; }, [&](int k) { return k == 0 ? one : two; }, sink);
}

// Algorithm 14, vertex v of q against edge e of p: on the side to which an edge of v leans, either v keeps off the face
// there or the edges keep off each other.
template <class Sink>
PEGRASP_HD_LARGE void vertex_edge_crossings(const FeatureSide& s, int v, int e, Sink& sink) {
  const Ridge rp = own_ridge(s.p, e);
  const FeatureContact on_left = vertex_face(s, v, s.p.left(e));
  const FeatureContact on_right = vertex_face(s, v, s.p.right(e));
  const V3 towards_left = -cross(rp.along, rp.left + rp.right);  // O_e
  for (int k = 0; k < s.q.ridges; ++k) {
    if (s.q.ridge[4 * k] != v && s.q.ridge[4 * k + 1] != v) continue;
    const Ridge rq = seen_ridge(s.q, k, s.q_in_p);
    const V3 n = common_normal(rp, rq);
    if (dot(n, n) == 0.0) continue;
    const bool either =
        (applicable_ridge(rp, n) && applicable_ridge(rq, -n)) || (applicable_ridge(rp, -n) && applicable_ridge(rq, n));
    if (!either) continue;
    const double away = s.q.ridge[4 * k] == v ? 1.0 : -1.0;
    const double lean = away * dot(rq.along, towards_left) / (norm(rq.along) * norm(towards_left));
    const FeatureContact edges = edge_edge(s, e, k, rp, rq, n);
    add_inter_pair(lean >= 0.0 ? on_left : on_right, edges, sink);
    if (abs1(lean) >= -applicable_sine) continue;
    FeatureContact flipped = edge_edge(s, e, k, rp, rq, -n);
    flipped.point.key |= 1 << 30;
    add_inter_pair(lean >= 0.0 ? on_right : on_left, flipped, sink);
  }
}

PEGRASP_HD inline bool near_vertex(const FeatureSide& s, int v) {
  const V3 x = transform(s.q_in_p, s.q.vertex(v));
  for (int i = 0; i < s.p.vertices; ++i) {
    if (norm(x - s.p.vertex(i)) <= s.eps) return true;
  }
  return false;
}
PEGRASP_HD inline bool near_edge(const FeatureSide& s, V3 x, int e) {
  return distance_to_segment(x, s.p.tail(e), s.p.head(e)) <= s.eps;
}

// Algorithm 16, for vertex v of q near vertex i of p: v against the faces and the edges of p that meet in i.
template <class Sink>
PEGRASP_HD_LARGE void vertex_at_vertex(const FeatureSide& s, int v, int i, Sink& sink) {
  const auto meets = [&](int f) {
    for (int k = 0; k < s.p.corners(f); ++k) {
      if (s.p.corner[s.p.first[f] + k] == i) return true;
    }
    return false;
  };
  add_inter_contact(
      s.p.faces, meets, [&](int f) { return vertex_face(s, v, f); }, sink);
  for (int e = 0; e < s.p.ridges; ++e) {
    if (s.p.ridge[4 * e] == i || s.p.ridge[4 * e + 1] == i) vertex_edge_crossings(s, v, e, sink);
  }
}

// Vertices of q against p.
template <class Sink>
PEGRASP_HD_LARGE void vertices_at(const FeatureSide& s, Sink& sink) {
  for (int v = 0; v < s.q.vertices; ++v) {
    const V3 x = transform(s.q_in_p, s.q.vertex(v));
    if (near_vertex(s, v)) {
      for (int i = 0; i < s.p.vertices; ++i) {
        if (norm(x - s.p.vertex(i)) <= s.eps) vertex_at_vertex(s, v, i, sink);
      }
      continue;
    }
    bool at_edge = false;
    for (int e = 0; e < s.p.ridges; ++e) {
      if (!near_edge(s, x, e)) continue;
      at_edge = true;
      add_inter_pair(vertex_face(s, v, s.p.left(e)), vertex_face(s, v, s.p.right(e)), sink);
      vertex_edge_crossings(s, v, e, sink);
    }
    for (int f = 0; f < s.p.faces && !at_edge; ++f) {
      if (distance_to_face(s.p, f, x) > s.eps) continue;
      const FeatureContact c = vertex_face(s, v, f);
      if (c.forceful) sink.add(c.point, 0.0);
    }
  }
}

// Pairs of edges that are near but for their ends: where an end of one is near the other, that is a vertex's business.
template <class Sink>
PEGRASP_HD_LARGE void edges_at_edges(const FeatureSide& s, Sink& sink) {
  const Box3 p_box{s.p.low(), s.p.high()};
  for (int j = 0; j < s.q.ridges; ++j) {
    const Ridge rq = seen_ridge(s.q, j, s.q_in_p);
    const Box3 rq_box = segment_box(rq);
    if (!boxes_within(rq_box, p_box, s.eps)) continue;
    const V3 q_head = rq.tail + rq.along;
    for (int i = 0; i < s.p.ridges; ++i) {
      const Ridge rp = own_ridge(s.p, i);
      if (!boxes_within(segment_box(rp), rq_box, s.eps)) continue;
      if (norm(closest_points({rp.tail, rp.along}, {rq.tail, rq.along}).d) > s.eps) continue;
      if (near_edge(s, rq.tail, i) || near_edge(s, q_head, i)) continue;
      if (distance_to_segment(rp.tail, rq.tail, q_head) <= s.eps ||
          distance_to_segment(rp.tail + rp.along, rq.tail, q_head) <= s.eps)
        continue;
      const V3 n = common_normal(rp, rq);
      if (dot(n, n) == 0.0) continue;
      const FeatureContact c = edge_edge(s, i, j, rp, rq, n);
      if (applicable_ridge(rp, n) && applicable_ridge(rq, -n) && dot(n, rq.left + rq.right) < 0.0)
        sink.add(c.point, 0.0);
    }
  }
}

template <class Sink>
PEGRASP_HD_LARGE void feature_contacts(const PairGeometry& g, double eps, Sink& sink) {
  const FeatureSide on_a = feature_side(g, true, eps);
  vertices_at(on_a, sink);
  vertices_at(feature_side(g, false, eps), sink);
  edges_at_edges(on_a, sink);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
