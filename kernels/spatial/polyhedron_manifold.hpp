// SPDX-License-Identifier: Apache-2.0
// Contacts of one mode of two polyhedra in 3D.
//
// A face (the reference) against the other part's support vertex, or, where an edge or a face lies nearly flat on it,
// against all of them that lies above the reference (Sutherland and Hodgman's clipping); two edges against each other
// at their closest points, or, nearly parallel, at the ends of their overlap. Round parts are in
// kernels/spatial/round_contacts.hpp. The gap of a point x of the core of body I, radius r, against face n, offset of
// body R is
//   psi = n . (x - x_R) - offset - r,   G nu = n . (velocity of I at x - velocity of R at x);
// the contact point is x - r n, on the surface of I: friction acts there, and the gap's derivative is the same along n.
#pragma once

#include "kernels/scene/access.hpp"
#include "kernels/scene/shell.hpp"
#include "kernels/spatial/modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A contact seen from its pair: point and normal (from a to b) in the world, gap, and a key within the pair.
struct ContactPoint {
  V3 p;
  V3 n;
  double gap;
  int key;
  double round = -1.0, round_other = -1.0;  // as in Contact, of pairs with a cylinder; else those of the parts
  int role = point_bears;
};

struct PairGeometry {
  PartView a, b;
  Frame a_pose, b_pose;
  unsigned rims = 0;   // as in NearPair
  bool shell = false;  // the pair has a shell: points have roles
};

PEGRASP_HD inline PairGeometry pair_geometry(const SceneView& s, const NearPair& pair, const Frame& a, const Frame& b) {
  return {part_view(s, pair.part_a), part_view(s, pair.part_b), a, b, pair.rims};
}

// Only smooth parts, in 2D, ask how flat they are.
PEGRASP_HD inline void note_flatness(const SceneView&, const NearPair&, double, PairGeometry&) {}

// Corners that a clipped face may have: src/model/ sees to it that no face has more than half as many.
constexpr int largest_clip = 64;

PEGRASP_HD inline int most_contacts(const ModelView& m, const NearPair& pair) {
  return m.part_widest[pair.part_a] + m.part_widest[pair.part_b] + 1;  // and an edge's own
}

// A capsule that leans less than this (sine) on a face, or on an edge, has a contact at either end. Ends keep off
// whatever the angle, so that contacts come to no harm where they are not needed; that they are the same in all passes
// of a step lets these agree.
constexpr double round_lean = 0.5;

struct ClipPoint {
  V3 x;
  int key;
};

// Keys: a vertex of the incident part, or where its boundary leaves the reference face across one of that face's sides,
// after the point with another key. Parts have fewer than 2^13 vertices, so that the second half of a key's last field
// is free.
constexpr int key_of_vertex = 0x3fff;
PEGRASP_HD inline int vertex_key(int type, int vertex) { return pack_mode(type, vertex, key_of_vertex); }
PEGRASP_HD inline int cut_key(int type, int side, int after) {
  return pack_mode(type, side, mode_i(after) | (mode_j(after) == key_of_vertex ? 0 : 0x2000));
}

// The part of a polygon (or, with two points, of a segment) on the inner side of a plane: n . x <= offset.
PEGRASP_HD inline int clip(const ClipPoint* from, int count, V3 n, double offset, int type, int side, ClipPoint* to) {
  int kept = 0;
  const int edges = count == 2 ? 1 : count;
  for (int i = 0; i < count; ++i) {
    const double here = dot(n, from[i].x) - offset;
    // Convex outlines never have more; rounding may cross a plane a few times over along one line.
    if (here <= 0.0 && kept < largest_clip) to[kept++] = from[i];
    if (i >= edges) continue;
    const int next = i + 1 == count ? 0 : i + 1;
    const double there = dot(n, from[next].x) - offset;
    if ((here <= 0.0) == (there <= 0.0)) continue;
    if (kept == largest_clip) continue;
    to[kept++] = {from[i].x + (here / (here - there)) * (from[next].x - from[i].x), cut_key(type, side, from[i].key)};
  }
  return kept;
}

// What of q lies flat on the face whose outward normal is n (world): corners of a face, ends of an edge, or one vertex.
PEGRASP_HD inline int incident_feature(const PartView& q, const Frame& q_pose, V3 n, double flat_sine, int type,
                                       ClipPoint* out) {
  const V3 d = unrotate(q_pose, -n);
  const int vertex = support(q, d).vertex;
  int face = -1;
  int edge = -1;
  double facing = -1.0;
  double lean = 2.0;
  for (int e = 0; e < q.ridges; ++e) {
    const int tail = q.ridge[4 * e];
    const int head = q.ridge[4 * e + 1];
    if (tail != vertex && head != vertex) continue;
    for (int side = 2; side < 4 && q.faces > 0; ++side) {
      const int f = q.ridge[4 * e + side];
      const double c = dot(q.normal(f), d);
      if (c > facing && q.use[f] == edge_feature) {
        facing = c;
        face = f;
      }
    }
    const V3 along = q.head(e) - q.tail(e);
    const double sine = abs1(dot(along, d)) / norm(along);
    if (sine < lean) {
      lean = sine;
      edge = e;
    }
  }
  if (face >= 0 && facing > 0.0 && 1.0 - facing * facing < flat_sine * flat_sine) {
    const int count = q.corners(face);
    for (int i = 0; i < count; ++i) {
      const int v = q.corner[q.first[face] + i];
      out[i] = {transform(q_pose, q.vertex(v)), vertex_key(type, v)};
    }
    return count;
  }
  if (edge >= 0 && lean < (q.faces == 0 ? round_lean : flat_sine)) {
    for (int end = 0; end < 2; ++end) {
      const int v = q.ridge[4 * edge + end];
      out[end] = {transform(q_pose, q.vertex(v)), vertex_key(type, v)};
    }
    return 2;
  }
  out[0] = {transform(q_pose, q.vertex(vertex)), vertex_key(type, vertex)};
  return 1;
}

// The point of a round part's surface that faces -n, its core's being x.
PEGRASP_HD inline V3 surface_point(V3 x, V3 n, double radius) { return radius > 0.0 ? x - radius * n : x; }

// Face f of p (type says which body) carries; q rests on it. Clipping planes stand off by `slack`. False when nothing
// of q that is flat on the face lies above it: nothing is added then.
template <class Add>
PEGRASP_HD_LARGE bool face_contacts(const PairGeometry& g, int type, int f, double flat_sine, double slack,
                                    const Add& add) {
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, p.normal(f));
  const double base = dot(n, p_pose.origin) + p.off[f];
  const V3 out = type == mode_face_a ? n : -n;
  ClipPoint points[2][largest_clip];
  int count = incident_feature(q, q_pose, n, flat_sine, type, points[0]);
  int now = 0;
  const int sides = p.corners(f);
  if (count > 1 && sides > 0) {  // a half-space has none
    V3 tail = transform(p_pose, p.vertex(p.corner[p.first[f] + sides - 1]));
    for (int k = 0; k < sides && count > 0; ++k) {
      const V3 head = transform(p_pose, p.vertex(p.corner[p.first[f] + k]));
      const V3 along = head - tail;
      const V3 outward = (1.0 / norm(along)) * cross(along, n);
      count = clip(points[now], count, outward, dot(outward, tail) + slack, type, k, points[1 - now]);
      now = 1 - now;
      tail = head;
    }
  }
  for (int i = 0; i < count; ++i)
    add(ContactPoint{surface_point(points[now][i].x, n, q.radius), out, dot(n, points[now][i].x) - base - q.radius,
                     points[now][i].key});
  return count > 0;
}

// The vertex of q that lies deepest under face f of p.
template <class Add>
PEGRASP_HD inline void vertex_contact(const PairGeometry& g, int type, int f, const Add& add) {
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, p.normal(f));
  const int vertex = support(q, unrotate(q_pose, -n)).vertex;
  const V3 x = transform(q_pose, q.vertex(vertex));
  add(ContactPoint{surface_point(x, n, q.radius), type == mode_face_a ? n : -n,
                   dot(n, x - p_pose.origin) - p.off[f] - q.radius, vertex_key(type, vertex)});
}

// A face of `p` beside edge e whose normal (world) is within flat_sine of n, or -1.
PEGRASP_HD inline int flat_face(const PartView& p, const Frame& pose, int e, V3 n, double flat_sine) {
  const V3 d = unrotate(pose, n);
  const double left = dot(p.normal(p.left(e)), d);
  const double right = dot(p.normal(p.right(e)), d);
  const int face = left >= right ? p.left(e) : p.right(e);
  const double most = max2(left, right);
  return most > 0.0 && 1.0 - most * most < flat_sine * flat_sine ? face : -1;
}

// Edges i of a and j of b carry.
template <class Add>
PEGRASP_HD_LARGE void edge_contacts(const PairGeometry& g, int i, int j, double flat_sine, double slack,
                                    const Add& add) {
  const Ridge a = seen_ridge(g.a, i, g.a_pose);
  const Ridge b = seen_ridge(g.b, j, g.b_pose);
  const V3 n = common_normal(a, b);
  if (dot(n, n) == 0.0) {  // they have become parallel: the face beside a's edge that b lies over
    const V3 to_b = g.b_pose.origin - g.a_pose.origin;
    const int face = dot(a.left, to_b) >= dot(a.right, to_b) ? g.a.left(i) : g.a.right(i);
    if (!face_contacts(g, mode_face_a, face, flat_sine, slack, add)) vertex_contact(g, mode_face_a, face, add);
    return;
  }
  const double aa = dot(a.along, a.along);
  const double bb = dot(b.along, b.along);
  const double ab = dot(a.along, b.along);
  const V3 d = b.tail - a.tail;
  const double gap = dot(n, d);
  const int key = pack_mode(mode_edges, i, j);
  const double denominator = aa * bb - ab * ab;  // (|a| |b| sine)^2
  if (denominator < flat_sine * flat_sine * aa * bb) {
    // along a's edge, as fractions of it
    const double from = dot(d, a.along) / aa;
    const double to = dot(d + b.along, a.along) / aa;
    const double low = max2(0.0, min2(from, to));
    const double high = min2(1.0, max2(from, to));
    if (low < high) {
      // at the two ends of the overlap; the gap of edges that are not quite parallel is the same along both
      for (int end = 0; end < 2; ++end) {
        const double t = ((end == 0 ? low : high) - from) / (to - from);
        const V3 x = b.tail + t * b.along;
        add(ContactPoint{x, n, gap, end == 0 ? key : key | (1 << 30)});
      }
      return;
    }
  }
  const double t = clamp((dot(d, a.along) * ab - dot(d, b.along) * aa) / denominator, 0.0, 1.0);
  add(ContactPoint{b.tail + t * b.along, n, gap, key});
  // Nearly flat on a face beside one of the edges: what lies over that face keeps the parts from rocking onto it. The
  // edges' own gap stays: the face's points may all be clear while the edges meet.
  const int face_a = flat_face(g.a, g.a_pose, i, n, flat_sine);
  if (face_a >= 0 && face_contacts(g, mode_face_a, face_a, flat_sine, slack, add)) return;
  const int face_b = flat_face(g.b, g.b_pose, j, -n, flat_sine);
  if (face_b >= 0) face_contacts(g, mode_face_b, face_b, flat_sine, slack, add);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
