// SPDX-License-Identifier: Apache-2.0
// Contact model `ratio` in 2D: the events of Hart's ratio metric as unilateral contacts (slides, (2), (3), (9)-(13)).
//
// Parts A and B grow about a point inside each, x_A and x_B, the mean of their corners. An event E is a corner of one
// on an edge of the other. By its normal n, from a to b, and its separation psi, the grown parts meet at
//   r = n . D / (n . D - psi),  D = x_B - x_A,  and its component of the metric is  Phi = (r - 1) / r = psi / (n . D).
// The gradient of Phi is a force along n at the point x at which the grown corner lies on the grown edge, times
// (n . D - psi)^-1 r^-2. So the row  grad Phi . v + gamma Phi / h >= 0  of (13) is that of an ordinary contact at x,
// with the gap r psi, of which the step may close the share gamma. With parts that touch r is 1 and x the corner.
//
// A half-plane does not grow: its centre is the point of its line that is nearest to the other part's.
//
// Events count, (9) and (10),
//   if the corner is within eps, the motion bound of the pair in the step, of the inside of the other part's edges, E_3
//   and E_4, and below the event's line by no more than the pair overlaps in any case, and
//   if the edge separates the parts within eps / |D| as well as the best one does, E_2.
// With gamma = 0 only events with psi <= 0 count; others would keep parts at a distance for ever.
#pragma once

#include "kernels/planar/baselines.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// What of a pair its events ask for.
struct GrowingPair {
  V apart;       // D, world
  double size;   // |D| [m]
  double eps;    // [m]
  double slack;  // [m] overlaps that differ by so much are equal
  double gamma;
  double metric;        // rho: the largest Phi
  double overlap_most;  // Phi of events that count, at least
};

// Phi; where the normal points away from the other part's centre, the edge never separates.
PEGRASP_HD inline double component_metric(double psi, double along) { return along > 0.0 ? psi / along : -1e300; }

PEGRASP_HD inline bool separates_nearly(const GrowingPair& pair, double metric) {
  return metric >= pair.metric - pair.eps / pair.size;
}
// Once rho is known.
PEGRASP_HD inline void bound_overlaps(GrowingPair& pair) {
  pair.overlap_most = min2(pair.metric, 0.0) - pair.slack / pair.size;
}
PEGRASP_HD inline bool event_counts(const GrowingPair& pair, double psi, double along) {
  return component_metric(psi, along) >= pair.overlap_most && psi <= pair.eps && along - psi > 0.0 &&
         (pair.gamma > 0.0 || psi <= 0.0);
}

// Whether x (body frame) lies in the part with all its edges moved out by `reach`.
PEGRASP_HD inline bool within_reach(const PartView& p, V2 x, double reach) {
  for (int e = 0; e < p.edges; ++e) {
    if (p.use[e] != edge_hidden && dot(p.normal(e), x) - p.off[e] > reach) return false;
  }
  return true;
}

// Where a part grows about, body frame.
PEGRASP_HD inline V2 growth_centre(const PartView& p) {
  V2 sum{0.0, 0.0};
  for (int i = 0; i < p.corners; ++i) sum = sum + p.centre(i);
  return p.corners == 0 ? sum : (1.0 / p.corners) * sum;
}

// The same of both parts, world.
struct GrowthCentres {
  V2 a, b;
};
PEGRASP_HD inline GrowthCentres growth_centres(const PairGeometry& g) {
  GrowthCentres out{transform(g.a_pose, growth_centre(g.a)), transform(g.b_pose, growth_centre(g.b))};
  const auto on_line = [](const PartView& p, const Frame& pose, V2 x) {
    const V2 n = rotate(pose, p.normal(0));
    return x - (dot(n, x - pose.origin) - p.off[0]) * n;
  };
  if (g.a.corners == 0) out.a = on_line(g.a, g.a_pose, out.b);
  if (g.b.corners == 0) out.b = on_line(g.b, g.b_pose, out.a);
  return out;
}

// Edges of one part against corners of the other; type says whose edges.
template <class Sink>
PEGRASP_HD inline void add_edge_events(const PairGeometry& g, int type, const GrowthCentres& centres,
                                       const GrowingPair& pair, Sink& sink) {
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  if (q.corners == 0) return;
  const Frame q_in_p = relative(p_pose, q_pose);
  const V2 centre = type == mode_edge_a ? centres.b : centres.a;  // of q
  for (int e = 0; e < p.edges; ++e) {
    if (p.use[e] != edge_feature) continue;
    const V2 n = rotate(p_pose, p.normal(e));
    const double along = dot(type == mode_edge_a ? n : -n, pair.apart);
    if (!separates_nearly(pair, component_metric(edge_separation(p, e, q, q_in_p).s, along))) continue;
    for (int i = 0; i < q.corners; ++i) {
      if (!within_reach(p, transform(q_in_p, q.centre(i)), pair.eps)) continue;
      if (!on_surface(q, i, unrotate(q_in_p, -p.normal(e)))) continue;
      ContactPoint point = corner_on_edge(p, p_pose, e, q, q_pose, i, type, q_name[i]);
      if (!event_counts(pair, point.gap, along)) continue;
      const double r = along / (along - point.gap);
      point.p = centre + r * (point.p - centre);
      point.gap = r * point.gap;
      sink.add(point, (1.0 - pair.gamma) * point.gap);
    }
  }
}

// The largest Phi of the edges of p.
PEGRASP_HD inline void measure_edges(const PairGeometry& g, int type, GrowingPair& pair, double& internal_edge) {
  const auto [p, q, p_pose, q_pose, p_name, q_name] = edge_side(g, type);
  if (q.corners == 0) return;
  const Frame q_in_p = relative(p_pose, q_pose);
  for (int e = 0; e < p.edges; ++e) {
    if (p.use[e] == edge_hidden) continue;
    const EdgeSeparation edge = edge_separation(p, e, q, q_in_p);
    const V2 n = rotate(p_pose, p.normal(e));
    const double metric = component_metric(edge.s, dot(type == mode_edge_a ? n : -n, pair.apart));
    double& best = edge.surface ? pair.metric : internal_edge;
    best = max2(best, metric);
  }
}

template <class Sink>
PEGRASP_HD inline void ratio_contacts(const PairGeometry& g, double eps, double slack, double gamma, Sink& sink) {
  const GrowthCentres centres = growth_centres(g);
  GrowingPair pair{centres.b - centres.a, norm(centres.b - centres.a), eps, slack, gamma, -1e300, 0.0};
  if (!(pair.size > 0.0)) return;
  double internal_edge = -1e300;
  measure_edges(g, mode_edge_a, pair, internal_edge);
  measure_edges(g, mode_edge_b, pair, internal_edge);
  if (internal_edge >= 0.0 && internal_edge > pair.metric) return;  // a sibling part keeps them apart
  bound_overlaps(pair);
  add_edge_events(g, mode_edge_a, centres, pair, sink);
  add_edge_events(g, mode_edge_b, centres, pair, sink);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
