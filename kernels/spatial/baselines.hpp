// SPDX-License-Identifier: Apache-2.0
// The contact models that the thesis compares with, in 3D (in 2D: kernels/planar/baselines.hpp).
//   standard:   every vertex of one part that is within eps of a face of the other is a unilateral contact against
//               that face's whole plane, and so is every pair of applicable edges whose segments are within eps
//               (Williams 3.6, 4.1).
//   corrective: only pairs that overlap already get a contact, along the axis of least overlap (Williams 5.2.3).
// Of round parts the vertices of the core count against faces, and closest points of segments, both less the radius.
#pragma once

#include "kernels/spatial/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// eps_theta = -sin(theta) of the thesis' applicability (3.5). Edges of boxes that lie flat on each other are at 0 and
// must count, or a beam across another one would have no contact.
constexpr double applicable_sine = -0.2;

PEGRASP_HD inline double distance_to_segment(V3 x, V3 tail, V3 head) {
  const V3 along = head - tail;
  const double length2 = dot(along, along);
  const double f = length2 > 0.0 ? clamp(dot(x - tail, along) / length2, 0.0, 1.0) : 0.0;
  return norm(x - tail - f * along);
}

// Distance [m] of x (body frame) from the polygon of face f; of a half-space from its plane.
PEGRASP_HD_LARGE double distance_to_face(const PartView& p, int f, V3 x) {
  const V3 n = p.normal(f);
  const double height = dot(n, x) - p.off[f];
  const int sides = p.corners(f);
  bool above = true;
  double nearest = 1e300;
  V3 tail = sides > 0 ? p.vertex(p.corner[p.first[f] + sides - 1]) : V3{0.0, 0.0, 0.0};
  for (int k = 0; k < sides; ++k) {
    const V3 head = p.vertex(p.corner[p.first[f] + k]);
    above = above && dot(cross(head - tail, n), x - tail) <= 0.0;
    nearest = min2(nearest, distance_to_segment(x, tail, head));
    tail = head;
  }
  return above ? abs1(height) : nearest;
}

// Vertices of one part against faces of the other; type says whose faces.
template <class Sink>
PEGRASP_HD_LARGE void vertices_on_faces(const PairGeometry& g, int type, double eps, Sink& sink) {
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const Frame q_in_p = relative(p_pose, q_pose);
  for (int v = 0; v < q.vertices; ++v) {
    const V3 x = transform(q_in_p, q.vertex(v));
    for (int f = 0; f < p.faces; ++f) {
      if (p.use[f] != edge_feature || distance_to_face(p, f, x) - q.radius > eps) continue;
      const V3 own = p.normal(f);
      if (!vertex_on_surface(q, v, unrotate(q_in_p, -own))) continue;
      const V3 n = rotate(p_pose, own);
      sink.add(ContactPoint{surface_point(transform(q_pose, q.vertex(v)), n, q.radius), type == mode_face_a ? n : -n,
                            dot(own, x) - p.off[f] - q.radius, pack_mode(type, v, f)},
               0.0);
    }
  }
}

// Whether n, outward, does not lean over the faces beside an edge by more than applicability allows.
PEGRASP_HD inline bool applicable_ridge(const Ridge& r, V3 n) {
  const V3 unit = (1.0 / norm(r.along)) * r.along;
  return -dot(n, cross(r.left, unit)) >= applicable_sine && -dot(n, cross(unit, r.right)) >= applicable_sine;
}
// The same at a vertex (3.4): over the edges that leave it.
PEGRASP_HD inline bool applicable_vertex(const PartView& p, int v, V3 n) {
  for (int e = 0; e < p.ridges; ++e) {
    const int tail = p.ridge[4 * e];
    const int head = p.ridge[4 * e + 1];
    if (tail != v && head != v) continue;
    const V3 away = p.vertex(tail == v ? head : tail) - p.vertex(v);
    if (-dot(n, away) < applicable_sine * norm(away)) return false;
  }
  return true;
}

// Edges of two polyhedra. Parallel edges have no common normal; their vertices make the contacts.
template <class Sink>
PEGRASP_HD_LARGE void edges_on_edges(const PairGeometry& g, double eps, Sink& sink) {
  const Frame b_in_a = relative(g.a_pose, g.b_pose);
  const Box3 a_box{g.a.low(), g.a.high()};
  const Box3 b_box = seen_box(g.b, b_in_a);
  for (int j = 0; j < g.b.ridges; ++j) {
    const Ridge rb = seen_ridge(g.b, j, b_in_a);
    const Box3 rb_box = segment_box(rb);
    if (!boxes_within(rb_box, a_box, eps)) continue;
    for (int i = 0; i < g.a.ridges; ++i) {
      const Ridge ra = own_ridge(g.a, i);
      const Box3 ra_box = segment_box(ra);
      if (!boxes_within(ra_box, rb_box, eps) || !boxes_within(ra_box, b_box, eps)) continue;
      const ClosestPoints closest = closest_points({ra.tail, ra.along}, {rb.tail, rb.along});
      if (norm(closest.d) > eps) continue;
      const V3 n = common_normal(ra, rb);
      // outward from a by a's faces; b's must see it inward (3.6)
      if (dot(n, n) == 0.0 || dot(n, rb.left + rb.right) >= 0.0) continue;
      if (!applicable_ridge(ra, n) || !applicable_ridge(rb, -n)) continue;
      if (!ridges_on_surface(g.a, i, g.b, j, b_in_a, n)) continue;
      sink.add(ContactPoint{transform(g.a_pose, rb.tail + closest.on_b * rb.along), rotate(g.a_pose, n),
                            dot(n, closest.d), pack_mode(mode_edges, i, j)},
               0.0);
    }
  }
}

// A sphere or a capsule q against the edges and vertices of a polyhedron p.
template <class Sink>
PEGRASP_HD_LARGE void round_on_edges(const PairGeometry& g, bool round_is_b, double eps, Sink& sink) {
  const PartView& p = round_is_b ? g.a : g.b;
  const PartView& q = round_is_b ? g.b : g.a;
  const Frame& p_pose = round_is_b ? g.a_pose : g.b_pose;
  const Frame q_in_p = relative(p_pose, round_is_b ? g.b_pose : g.a_pose);
  const Segment core = seen_segment(q, 0, q_in_p);
  // d: from p's point to the core's
  const auto add = [&](V3 d, V3 on_core, V3 n, int key) {
    const V3 on_a = round_is_b ? on_core - q.radius * n : on_core - d;  // on b's surface
    sink.add(ContactPoint{transform(p_pose, on_a), rotate(p_pose, round_is_b ? n : -n), norm(d) - q.radius, key}, 0.0);
  };
  for (int e = 0; e < p.ridges; ++e) {
    const Ridge ridge = own_ridge(p, e);
    const ClosestPoints closest = closest_points({ridge.tail, ridge.along}, core);
    const double distance = norm(closest.d);
    if (distance - q.radius > eps || !(distance > 0.0) || !(closest.on_a > 0.0 && closest.on_a < 1.0)) continue;
    const V3 n = (1.0 / distance) * closest.d;
    if (!applicable_ridge(ridge, n) || !ridge_on_surface(p, e, n)) continue;
    add(closest.d, core.tail + closest.on_b * core.along, n, pack_mode(mode_round, e, 0));
  }
  for (int v = 0; v < p.vertices; ++v) {
    const ClosestPoints closest = closest_points({p.vertex(v), {0.0, 0.0, 0.0}}, core);
    const double distance = norm(closest.d);
    if (distance - q.radius > eps || !(distance > 0.0)) continue;
    const V3 n = (1.0 / distance) * closest.d;
    if (!applicable_vertex(p, v, n) || !vertex_on_surface(p, v, n)) continue;
    add(closest.d, core.tail + closest.on_b * core.along, n, pack_mode(mode_round, v, end_bit));
  }
}

template <class Sink>
PEGRASP_HD_LARGE void standard_contacts(const PairGeometry& g, double eps, double flat_sine, Sink& sink) {
  vertices_on_faces(g, mode_face_a, eps, sink);
  vertices_on_faces(g, mode_face_b, eps, sink);
  if (g.a.vertices == 0 || g.b.vertices == 0) return;  // half-spaces have faces alone
  if (is_polyhedron(g.a) && is_polyhedron(g.b)) {
    edges_on_edges(g, eps, sink);
  } else if (is_polyhedron(g.a)) {
    round_on_edges(g, true, eps, sink);
  } else if (is_polyhedron(g.b)) {
    round_on_edges(g, false, eps, sink);
  } else {
    // two round parts have one facet: what `peg` makes of it
    const ClosestPoints closest = closest_points(seen_segment(g.a, 0, g.a_pose), seen_segment(g.b, 0, g.b_pose));
    if (norm(closest.d) - g.a.radius - g.b.radius > eps) return;
    round_contacts(g, 0, 0, flat_sine, 0.0, [&](const ContactPoint& point) { sink.add(point, 0.0); });
  }
}

template <class Sink>
PEGRASP_HD_LARGE void corrective_contact(const PairGeometry& g, double reach, Sink& sink) {
  const Separation now = best_separation(g.a, g.b, g.a_pose, g.b_pose, reach);
  if (!(separation(now) < 0.0) || now.mode == mode_none) return;
  ContactPoint deepest{};
  bool found = false;
  mode_contacts(g, now.mode, 0.0, 0.0, [&](const ContactPoint& point) {
    if (found && !(point.gap < deepest.gap)) return;
    deepest = point;
    found = true;
  });
  if (found) sink.add(deepest, 0.0);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
