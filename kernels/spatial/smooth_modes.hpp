// SPDX-License-Identifier: Apache-2.0
// Pair modes with smooth parts (kernels/spatial/smooth_solid.hpp). The facets of such a pair's obstacle are
//   - flat: the other part's faces, or caps, against the farthest point of the smooth one;
//   - curved, of a polyhedron: those of its edges, whose normals lie on the arc between those of the faces, where s
//     peaks inside that arc; and that of the vertex nearest to the smooth part;
//   - curved, of any other part: one, the best direction of all that are no cap's.
// Modes are packed as those of pairs with a cylinder (kernels/spatial/cylinder_modes.hpp).
#pragma once

#include "kernels/spatial/smooth_pairs.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Features of P in a curved mode.
constexpr int smooth_edge = 0;
constexpr int smooth_vertex = 1;

PEGRASP_HD inline int smooth_mode(const SmoothPair& g, int kind, int feature) {
  return g.c_is_a ? pack_mode(mode_round, kind, feature) : pack_mode(mode_round, feature, kind);
}
PEGRASP_HD inline int smooth_kind(const SmoothPair& g, int mode) { return g.c_is_a ? mode_i(mode) : mode_j(mode); }
PEGRASP_HD inline int smooth_feature(const SmoothPair& g, int mode) { return g.c_is_a ? mode_j(mode) : mode_i(mode); }

PEGRASP_HD inline SmoothPeak smooth_peak(const SmoothPair& g, int kind, int feature) {
  if (!is_polyhedron(g.p)) return smooth_round_peak(g);
  return kind == smooth_edge ? smooth_edge_peak(g, feature) : smooth_vertex_peak(g, feature);
}
PEGRASP_HD inline bool smooth_on_surface(const SmoothPair& g, int kind, int feature, V3 m) {
  if (!is_polyhedron(g.p)) return true;
  return kind == smooth_edge ? ridge_on_surface(g.p, feature, m) : vertex_on_surface(g.p, feature, m);
}
// Of face or cap f of P. Half-spaces, polyhedra and cylinders have some.
PEGRASP_HD inline int faces_beside(const SmoothPair& g) { return is_smooth(g.p) ? 0 : g.p.faces; }
PEGRASP_HD inline FacetSeparation smooth_on_face(const SmoothPair& g, int f) {
  const V3 m = g.p.normal(f);
  return {dot(m, g.seen.farthest(-m)) - g.p.off[f], g.p.use[f] == edge_feature};
}
PEGRASP_HD inline double tie_beside(const SmoothPair& g) {
  return is_polyhedron(g.p) || is_cylinder(g.p) ? tie_of(g.p, g.c) : 0.0;
}
PEGRASP_HD inline double edge_bound(const SmoothPair& g, int e, V3 y) {
  const V3 d = y - g.p.tail(e);
  return ridge_bound(g.p, e, d, norm(d));
}
// A point of C on the side of P.
PEGRASP_HD inline V3 point_beside(const SmoothPair& g) {
  const V3 way = 0.5 * (g.p.low() + g.p.high()) - g.seen.centre;
  return g.seen.farthest(norm(way) > 0.0 ? way : g.seen.axis[0]);
}
// The vertex of a polyhedron P that is nearest to C.
PEGRASP_HD_LARGE int vertex_beside(const SmoothPair& g) {
  int best = 0;
  double least = 1e300;
  for (int v = 0; v < g.p.vertices; ++v) {
    if (least_distance(g.seen, g.p.vertex(v)) >= least) continue;
    const double s = nearest_on_solid(g.seen, g.p.vertex(v)).s;
    if (!(s < least)) continue;
    least = s;
    best = v;
  }
  return best;
}

// arg max over the facets of s at one pose.
PEGRASP_HD_RARE Separation best_smooth_separation(const PartView& a, const PartView& b, const Frame& b_in_a,
                                                  const Frame& a_in_b) {
  const SmoothPair g = smooth_pair(a, b, b_in_a, a_in_b);
  Separation best{-1e300, mode_none, -1e300};
  const auto add = [&](const FacetSeparation& at, int mode, double within) {
    if (!at.surface) {
      best.internal_edge = max2(best.internal_edge, at.s);
    } else if (at.s > best.s) {
      choose(best, at.s, mode, within);
    }
  };
  for (int f = 0; f < faces_beside(g); ++f) add(smooth_on_face(g, f), pack_mode(g.face_of_p(), f, 0), 0.0);
  if (g.p.vertices == 0) return best;
  const double tie = tie_beside(g);
  const auto add_curved = [&](int kind, int feature) {
    const SmoothPeak at = smooth_peak(g, kind, feature);
    if (at.facet) add({at.s, smooth_on_surface(g, kind, feature, at.m)}, smooth_mode(g, kind, feature), tie);
  };
  if (!is_polyhedron(g.p)) {
    add_curved(0, 0);
    return best;
  }
  const V3 y = point_beside(g);
  for (int e = 0; e < g.p.ridges; ++e) {
    const bool internal = g.p.ridge_first_internal_edge[e + 1] > g.p.ridge_first_internal_edge[e];
    const double least = internal ? min2(best.s, best.internal_edge) : best.s;
    if (edge_bound(g, e, y) >= least) add_curved(smooth_edge, e);
  }
  add_curved(smooth_vertex, vertex_beside(g));
  return best;
}

// A curved facet on the way from one pose to another. Where it is none at one of them, its direction at the other is
// carried along with P.
template <class Scan>
PEGRASP_HD_LARGE void add_smooth_latest(const SmoothPair& g0, const SmoothPair& g1, int kind, int feature, Scan& best) {
  const SmoothPeak at0 = smooth_peak(g0, kind, feature);
  const SmoothPeak at1 = smooth_peak(g1, kind, feature);
  if (!at0.facet && !at1.facet) return;
  const double s0 = at0.facet ? at0.s : peak_along(g0, at1.m).s;
  const double s1 = at1.facet ? at1.s : peak_along(g1, at0.m).s;
  const bool surface = (!at0.facet || smooth_on_surface(g0, kind, feature, at0.m)) &&
                       (!at1.facet || smooth_on_surface(g1, kind, feature, at1.m));
  if (surface) {
    best.add(smooth_mode(g0, kind, feature), s0, s1);
  } else {
    best.add_internal_edge(s0, s1);
  }
}

template <class Scan>
PEGRASP_HD_RARE void scan_smooth_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                        const Frame& a1, const Frame& b1, Scan& best) {
  const SmoothPair g0 = smooth_pair(a, b, relative(a0, b0), relative(b0, a0));
  const SmoothPair g1 = smooth_pair(a, b, relative(a1, b1), relative(b1, a1));
  for (int f = 0; f < faces_beside(g0); ++f) {
    const FacetSeparation start = smooth_on_face(g0, f);
    const FacetSeparation end = smooth_on_face(g1, f);
    if (start.surface && end.surface) {
      best.add(pack_mode(g0.face_of_p(), f, 0), start.s, end.s);
    } else {
      best.add_internal_edge(start.s, end.s);
    }
  }
  if (g0.p.vertices == 0) return;
  best.tie = tie_beside(g0);
  if (!is_polyhedron(g0.p)) {
    add_smooth_latest(g0, g1, 0, 0, best);
    return;
  }
  const V3 y0 = point_beside(g0), y1 = point_beside(g1);
  for (int e = 0; e < g0.p.ridges; ++e) {
    if (best.worth(edge_bound(g0, e, y0), edge_bound(g1, e, y1))) add_smooth_latest(g0, g1, smooth_edge, e, best);
  }
  const int v0 = vertex_beside(g0), v1 = vertex_beside(g1);
  add_smooth_latest(g0, g1, smooth_vertex, v0, best);
  if (v1 != v0) add_smooth_latest(g0, g1, smooth_vertex, v1, best);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
