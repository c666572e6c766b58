// SPDX-License-Identifier: Apache-2.0
// Contact model `ratio` in 3D (in 2D, with what it is: kernels/planar/ratio.hpp). Events are a vertex of one part on a
// face of the other, and an edge of each: there x is where the grown edges cross.
//
// Edges count as the standard model's do (3.6 of Williams' thesis), with a little room, so that faces that lie flat on
// each other touch at the corners of their overlap; how well their normal separates the parts is asked of all of both.
#pragma once

#include "kernels/spatial/baselines.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// What of a pair its events ask for. All in a's frame.
struct GrowingPair {
  Frame b_in_a, a_in_b;
  V3 centre_a, centre_b;  // about which the parts grow
  V3 apart;               // D = centre_b - centre_a
  double size;            // |D| [m]
  double eps;             // [m]
  double slack;           // [m] overlaps that differ by so much are equal
  double gamma;
  double apart_most;    // psi of the faces, largest [m]
  double metric;        // rho: the largest Phi
  double overlap_most;  // Phi of events that count, at least
};

// Phi; where the normal points away from the other part's centre, the plane never separates.
PEGRASP_HD inline double component_metric(double psi, double along) { return along > 0.0 ? psi / along : -1e300; }

PEGRASP_HD inline bool separates_nearly(const GrowingPair& pair, double metric) {
  return metric >= pair.metric - pair.eps / pair.size;
}
PEGRASP_HD inline bool event_counts(const GrowingPair& pair, double psi, double along) {
  return component_metric(psi, along) >= pair.overlap_most && psi <= pair.eps && along - psi > 0.0 &&
         (pair.gamma > 0.0 || psi <= 0.0);
}

// Where a part grows about, body frame: the mean of its vertices.
PEGRASP_HD inline V3 growth_centre(const PartView& p) {
  V3 sum{0.0, 0.0, 0.0};
  for (int i = 0; i < p.vertices; ++i) sum = sum + p.vertex(i);
  return p.vertices == 0 ? sum : (1.0 / p.vertices) * sum;
}

PEGRASP_HD inline GrowingPair growing_pair(const PairGeometry& g, double eps, double slack, double gamma) {
  GrowingPair out{};
  out.b_in_a = relative(g.a_pose, g.b_pose);
  out.a_in_b = relative(g.b_pose, g.a_pose);
  out.centre_a = growth_centre(g.a);
  out.centre_b = transform(out.b_in_a, growth_centre(g.b));
  if (g.a.vertices == 0) {
    const V3 n = g.a.normal(0);
    out.centre_a = out.centre_b - (dot(n, out.centre_b) - g.a.off[0]) * n;
  } else if (g.b.vertices == 0) {
    const V3 n = rotate(out.b_in_a, g.b.normal(0));
    out.centre_b = out.centre_a - (dot(n, out.centre_a - out.b_in_a.origin) - g.b.off[0]) * n;
  }
  out.apart = out.centre_b - out.centre_a;
  out.size = norm(out.apart);
  out.eps = eps;
  out.slack = slack;
  out.gamma = gamma;
  out.metric = out.apart_most = -1e300;
  return out;
}

// Whether x (body frame) lies in the part with all its faces moved out by `reach`.
PEGRASP_HD inline bool within_reach(const PartView& p, V3 x, double reach) {
  for (int f = 0; f < p.faces; ++f) {
    if (p.use[f] != edge_hidden && dot(p.normal(f), x) - p.off[f] > reach) return false;
  }
  return true;
}

// One part's faces against the other's vertices; type says whose faces.
struct GrowingSide {
  const PartView& p;
  const PartView& q;
  const Frame& p_pose;
  const Frame& q_pose;
  const Frame& q_in_p;
  V3 centre;  // of q, p's frame
  V3 apart;   // from p's centre to q's, p's frame
  int type;
};
PEGRASP_HD inline GrowingSide growing_side(const PairGeometry& g, const GrowingPair& pair, int type) {
  if (type == mode_face_a) return {g.a, g.b, g.a_pose, g.b_pose, pair.b_in_a, pair.centre_b, pair.apart, type};
  return {g.b,
          g.a,
          g.b_pose,
          g.a_pose,
          pair.a_in_b,
          transform(pair.a_in_b, pair.centre_a),
          -unrotate(pair.b_in_a, pair.apart),
          type};
}

// The largest Phi of the faces of p.
PEGRASP_HD inline void measure_faces(const GrowingSide& side, GrowingPair& pair, double& internal_edge) {
  if (side.q.vertices == 0) return;
  for (int f = 0; f < side.p.faces; ++f) {
    if (side.p.use[f] == edge_hidden) continue;
    const FacetSeparation face = face_separation(side.p, f, side.q, side.q_in_p);
    const double metric = component_metric(face.s, dot(side.p.normal(f), side.apart));
    pair.apart_most = max2(pair.apart_most, face.s);
    double& best = face.surface ? pair.metric : internal_edge;
    best = max2(best, metric);
  }
}

template <class Sink>
PEGRASP_HD inline void add_face_events(const GrowingSide& side, const GrowingPair& pair, Sink& sink) {
  const PartView& p = side.p;
  const PartView& q = side.q;
  if (q.vertices == 0) return;
  for (int f = 0; f < p.faces; ++f) {
    if (p.use[f] != edge_feature) continue;
    const V3 own = p.normal(f);
    const double along = dot(own, side.apart);
    if (!separates_nearly(pair, component_metric(face_separation(p, f, q, side.q_in_p).s, along))) continue;
    const V3 n = rotate(side.p_pose, own);
    for (int v = 0; v < q.vertices; ++v) {
      const V3 x = transform(side.q_in_p, q.vertex(v));
      const double psi = dot(own, x) - p.off[f];
      if (!event_counts(pair, psi, along) || !within_reach(p, x, pair.eps)) continue;
      if (!vertex_on_surface(q, v, unrotate(side.q_in_p, -own))) continue;
      const double r = along / (along - psi);
      const double gap = r * psi;
      sink.add(ContactPoint{transform(side.p_pose, side.centre + r * (x - side.centre)),
                            side.type == mode_face_a ? n : -n, gap, pack_mode(side.type, v, f)},
               (1.0 - pair.gamma) * gap);
    }
  }
}

// Hands over each pair of edges that may make an event: visit(i, j, edges, normal, psi).
template <class Visit>
PEGRASP_HD inline void near_edges(const PairGeometry& g, const GrowingPair& pair, const Visit& visit) {
  if (!is_polyhedron(g.a) || !is_polyhedron(g.b)) return;
  const double reach = pair.eps + max2(0.0, -pair.apart_most);  // of edges that cross deep inside
  const Box3 a_box{g.a.low(), g.a.high()};
  const Box3 b_box = seen_box(g.b, pair.b_in_a);
  for (int j = 0; j < g.b.ridges; ++j) {
    const Ridge rb = seen_ridge(g.b, j, pair.b_in_a);
    const Box3 rb_box = segment_box(rb);
    if (!boxes_within(rb_box, a_box, reach)) continue;
    for (int i = 0; i < g.a.ridges; ++i) {
      const Ridge ra = own_ridge(g.a, i);
      const Box3 ra_box = segment_box(ra);
      if (!boxes_within(ra_box, rb_box, reach) || !boxes_within(ra_box, b_box, reach)) continue;
      const ClosestPoints closest = closest_points({ra.tail, ra.along}, {rb.tail, rb.along});
      if (!within_reach(g.a, rb.tail + closest.on_b * rb.along, pair.eps)) continue;
      if (!within_reach(g.b, transform(pair.a_in_b, ra.tail + closest.on_a * ra.along), pair.eps)) continue;
      const V3 n = common_normal(ra, rb);
      if (dot(n, n) == 0.0 || dot(n, rb.left + rb.right) >= 0.0) continue;
      if (!applicable_ridge(ra, n) || !applicable_ridge(rb, -n)) continue;
      if (!ridges_on_surface(g.a, i, g.b, j, pair.b_in_a, n)) continue;
      visit(i, j, ra, rb, n);
    }
  }
}

// Where the line of edge rb, grown r times about its centre, crosses that of ra.
PEGRASP_HD inline V3 grown_crossing(const GrowingPair& pair, const Ridge& ra, const Ridge& rb, double r) {
  const V3 from_a = pair.centre_a + r * (ra.tail - pair.centre_a);
  const V3 from_b = pair.centre_b + r * (rb.tail - pair.centre_b);
  const V3 across = cross(ra.along, rb.along);
  const double on_b = dot(cross(from_b - from_a, ra.along), across) / dot(across, across);
  return from_b + on_b * rb.along;
}

template <class Sink>
PEGRASP_HD inline void add_edge_events(const PairGeometry& g, const GrowingPair& pair, Sink& sink) {
  near_edges(g, pair, [&](int i, int j, const Ridge& ra, const Ridge& rb, V3 n) {
    const double along = dot(n, pair.apart);
    const double psi = dot(n, rb.tail - ra.tail);
    if (!event_counts(pair, psi, along)) return;
    if (!separates_nearly(pair, component_metric(axis_separation(g.a, g.b, pair.b_in_a, n), along))) return;
    const double r = along / (along - psi);
    const double gap = r * psi;
    sink.add(ContactPoint{transform(g.a_pose, grown_crossing(pair, ra, rb, r)), rotate(g.a_pose, n), gap,
                          pack_mode(mode_edges, i, j)},
             (1.0 - pair.gamma) * gap);
  });
}

template <class Sink>
PEGRASP_HD inline void ratio_contacts(const PairGeometry& g, double eps, double slack, double gamma, Sink& sink) {
  GrowingPair pair = growing_pair(g, eps, slack, gamma);
  if (!(pair.size > 0.0)) return;
  const GrowingSide on_a = growing_side(g, pair, mode_face_a);
  const GrowingSide on_b = growing_side(g, pair, mode_face_b);
  double internal_edge = -1e300;
  measure_faces(on_a, pair, internal_edge);
  measure_faces(on_b, pair, internal_edge);
  near_edges(g, pair, [&](int, int, const Ridge&, const Ridge&, V3 n) {
    const double metric = component_metric(axis_separation(g.a, g.b, pair.b_in_a, n), dot(n, pair.apart));
    pair.metric = max2(pair.metric, metric);
  });
  if (internal_edge >= 0.0 && internal_edge > pair.metric) return;  // a sibling part keeps them apart
  pair.overlap_most = min2(pair.metric, 0.0) - pair.slack / pair.size;
  add_face_events(on_a, pair, sink);
  add_face_events(on_b, pair, sink);
  add_edge_events(g, pair, sink);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
