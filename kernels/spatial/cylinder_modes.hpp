// SPDX-License-Identifier: Apache-2.0
// Pair modes with exact cylinders (kernels/spatial/cylinder.hpp). The facets of such a pair's obstacle are
//   - flat: the other part's faces against the cylinder, and its caps against the other part;
//   - curved, of a polyhedron: those of an edge, whose normals lie on the arc between those of its faces, where s peaks
//     inside that arc; and those of a vertex beside the cylinder's side, or, where the two are apart, a rim;
//   - curved, of a sphere, a capsule or another cylinder: one, the best direction of all that are no cap's.
// A curved mode is `mode_round` with a number for the cylinder that says whether the polyhedron's is an edge or a
// vertex.
#pragma once

#include "kernels/spatial/cylinder.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int curved_edge = 0;
constexpr int curved_vertex = 1;

PEGRASP_HD inline int curved_mode(const CylinderPair& g, int kind, int feature) {
  return g.c_is_a ? pack_mode(mode_round, kind, feature) : pack_mode(mode_round, feature, kind);
}
PEGRASP_HD inline int curved_kind(const CylinderPair& g, int mode) { return g.c_is_a ? mode_i(mode) : mode_j(mode); }
PEGRASP_HD inline int curved_feature(const CylinderPair& g, int mode) { return g.c_is_a ? mode_j(mode) : mode_i(mode); }

PEGRASP_HD inline Peak curved_peak_of(const CylinderPair& g, int kind, int feature) {
  if (!is_polyhedron(g.p)) return {curved_peak(g), true};
  return kind == curved_edge ? edge_peak(g, feature) : vertex_peak(g, feature);
}
// Whether P's body has surface where a curved facet touches along m.
PEGRASP_HD inline bool curved_on_surface(const CylinderPair& g, int kind, int feature, V3 m) {
  if (!is_polyhedron(g.p)) return true;
  return kind == curved_edge ? ridge_on_surface(g.p, feature, m) : vertex_on_surface(g.p, feature, m);
}

// s of face f of P, and of cap k of C.
PEGRASP_HD inline FacetSeparation flat_separation(const CylinderPair& g, int f) {
  const V3 m = g.p.normal(f);
  return {dot(m, g.seen.farthest(-m)) - g.p.off[f], g.p.use[f] == edge_feature};
}
PEGRASP_HD inline FacetSeparation cap_separation(const CylinderPair& g, int k) {
  const V3 d = -g.seen.out(k);
  if (is_cylinder(g.p)) return {dot(d, g.seen.end(k)) - dot(d, farthest_of(g.p, d)), true};
  const Support far = support(g.p, d);
  return {dot(d, g.seen.end(k)) - far.value - g.p.radius, g.p.faces == 0 || support_on_surface(g.p, far, d, g.c)};
}

// As tie_of(). Of spheres and capsules the cores have no size to speak of, so that the cylinder's counts.
PEGRASP_HD inline double tie_beside(const CylinderPair& g) {
  return g.p.faces > 1 ? tie_of(g.p, g.c) : tie_of(g.c, g.c);
}

// A bound on s by an edge of a polyhedron P: s <= m . (y - x) for any points x of P and y of C. Where that falls off on
// both faces it does so on all normals between.
PEGRASP_HD_LARGE double edge_bound(const CylinderPair& g, int e, V3 y) {
  const V3 d = y - g.p.tail(e);
  return ridge_bound(g.p, e, d, norm(d));
}
// A point of C on the side of P.
PEGRASP_HD_LARGE V3 point_beside(const CylinderPair& g) {
  return g.seen.farthest(0.5 * (g.p.low() + g.p.high()) - 0.5 * (g.seen.bottom + g.seen.top));
}

// The vertices of a polyhedron P that may be facets: the one nearest to the cylinder's axis, and the nearest of all.
PEGRASP_HD inline void vertices_beside(const CylinderPair& g, int* found) {
  double from_axis = 1e300;
  double distance = 1e300;
  for (int v = 0; v < g.p.vertices; ++v) {
    const BesideCylinder at = beside(g.seen, g.p.vertex(v));
    if (at.from_axis < from_axis) {
      from_axis = at.from_axis;
      found[0] = v;
    }
    if (at.distance < distance) {
      distance = at.distance;
      found[1] = v;
    }
  }
}

// arg max over the facets of s at one pose.
PEGRASP_HD_LARGE Separation best_cylinder_separation(const PartView& a, const PartView& b, const Frame& b_in_a,
                                                     const Frame& a_in_b) {
  const CylinderPair g = cylinder_pair(a, b, b_in_a, a_in_b);
  const double tie = tie_beside(g);
  Separation best{-1e300, mode_none, -1e300};
  const auto add = [&](const FacetSeparation& at, int mode, double within) {
    if (!at.surface) {
      best.internal_edge = max2(best.internal_edge, at.s);
    } else if (at.s > best.s) {
      choose(best, at.s, mode, within);
    }
  };
  for (int f = 0; f < g.p.faces; ++f) add(flat_separation(g, f), pack_mode(g.face_of_p(), f, 0), 0.0);
  if (g.p.vertices == 0) return best;
  for (int k = 0; k < 2; ++k) add(cap_separation(g, k), pack_mode(g.cap_of_c(), k, 0), tie);
  const auto add_curved = [&](int kind, int feature) {
    const Peak at = curved_peak_of(g, kind, feature);
    if (!at.facet) return;
    add({separation_along(g, at.m), curved_on_surface(g, kind, feature, at.m)}, curved_mode(g, kind, feature), tie);
  };
  if (!is_polyhedron(g.p)) {
    add_curved(0, 0);
    return best;
  }
  const V3 y = point_beside(g);
  for (int e = 0; e < g.p.ridges; ++e) {
    const bool internal = g.p.ridge_first_internal_edge[e + 1] > g.p.ridge_first_internal_edge[e];
    const double least = internal ? min2(best.s, best.internal_edge) : best.s;
    if (edge_bound(g, e, y) >= least) add_curved(curved_edge, e);
  }
  int beside[2] = {};
  vertices_beside(g, beside);
  for (int k = 0; k < (beside[0] == beside[1] ? 1 : 2); ++k) add_curved(curved_vertex, beside[k]);
  return best;
}

// A curved facet on the way from one pose to another. Where it is none at one of them, its direction at the other is
// carried along with P.
template <class Scan>
PEGRASP_HD_LARGE void add_curved_latest(const CylinderPair& g0, const CylinderPair& g1, int kind, int feature,
                                        Scan& best) {
  const Peak at0 = curved_peak_of(g0, kind, feature);
  const Peak at1 = curved_peak_of(g1, kind, feature);
  if (!at0.facet && !at1.facet) return;
  const double s0 = separation_along(g0, at0.facet ? at0.m : at1.m);
  const double s1 = separation_along(g1, at1.facet ? at1.m : at0.m);
  const bool surface = (!at0.facet || curved_on_surface(g0, kind, feature, at0.m)) &&
                       (!at1.facet || curved_on_surface(g1, kind, feature, at1.m));
  if (surface) {
    best.add(curved_mode(g0, kind, feature), s0, s1);
  } else {
    best.add_internal_edge(s0, s1);
  }
}

template <class Scan>
PEGRASP_HD_LARGE void scan_cylinder_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                           const Frame& a1, const Frame& b1, Scan& best) {
  const CylinderPair g0 = cylinder_pair(a, b, relative(a0, b0), relative(b0, a0));
  const CylinderPair g1 = cylinder_pair(a, b, relative(a1, b1), relative(b1, a1));
  const auto add = [&best](const FacetSeparation& start, const FacetSeparation& end, int mode) {
    if (start.surface && end.surface) {
      best.add(mode, start.s, end.s);
    } else {
      best.add_internal_edge(start.s, end.s);
    }
  };
  for (int f = 0; f < g0.p.faces; ++f) {
    add(flat_separation(g0, f), flat_separation(g1, f), pack_mode(g0.face_of_p(), f, 0));
  }
  if (g0.p.vertices == 0) return;
  best.tie = tie_beside(g0);
  for (int k = 0; k < 2; ++k) add(cap_separation(g0, k), cap_separation(g1, k), pack_mode(g0.cap_of_c(), k, 0));
  if (!is_polyhedron(g0.p)) {
    add_curved_latest(g0, g1, 0, 0, best);
    return;
  }
  const V3 y0 = point_beside(g0), y1 = point_beside(g1);
  for (int e = 0; e < g0.p.ridges; ++e) {
    if (best.worth(edge_bound(g0, e, y0), edge_bound(g1, e, y1))) add_curved_latest(g0, g1, curved_edge, e, best);
  }
  int found[4] = {};
  vertices_beside(g0, found);
  vertices_beside(g1, found + 2);
  for (int k = 0; k < 4; ++k) {
    bool again = false;
    for (int i = 0; i < k; ++i) again = again || found[i] == found[k];
    if (!again) add_curved_latest(g0, g1, curved_vertex, found[k], best);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
