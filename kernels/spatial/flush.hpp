// SPDX-License-Identifier: Apache-2.0
// The spatial part of kernels/contact/flush.hpp: where a facet touches either of its two parts, and how much of that
// another part covers.
#pragma once

#include "kernels/contact/open_scan.hpp"
#include "kernels/spatial/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A feature of a part's surface (world): a face (3 or more points, a convex loop), an edge, a vertex, or without points
// the boundary of a half-space; and the outward normal.
struct Outline {
  V3 point[largest_clip];
  int count;
  V3 out;
};

// The point of an outline that is nearest to x, which lies in the plane of the outline.
PEGRASP_HD_LARGE V3 nearest_within(const Outline& outline, V3 x) {
  if (outline.count == 0) return x;
  bool inside = outline.count > 2;
  V3 nearest = outline.point[0];
  double least = 1e300;
  for (int i = 0; i < outline.count; ++i) {
    const V3 from = outline.point[i];
    const V3 along = outline.point[i + 1 == outline.count ? 0 : i + 1] - from;
    inside = inside && dot(cross(along, outline.out), x - from) <= 0.0;
    const double length2 = dot(along, along);
    const V3 y = from + (length2 > 0.0 ? clamp(dot(x - from, along) / length2, 0.0, 1.0) : 0.0) * along;
    const double distance2 = dot(x - y, x - y);
    if (!(distance2 < least)) continue;
    least = distance2;
    nearest = y;
  }
  return inside ? x : nearest;
}

// Whether others cover x, a point of the outline, and its surroundings there. covers(from, to, out): whether they cover
// a segment.
template <class Covers>
PEGRASP_HD_LARGE bool surroundings_covered(const Outline& outline, V3 x, double around, const Covers& covers) {
  if (outline.count == 1) return covers(x, x, outline.out);
  if (outline.count == 2) {
    const V3 d = outline.point[1] - outline.point[0];
    const V3 step = (around / norm(d)) * d;
    return covers(x, nearest_within(outline, x + step), outline.out) &&
           covers(x, nearest_within(outline, x - step), outline.out);
  }
  const V3 u = any_across(outline.out);
  const V3 v = cross(outline.out, u);
  for (int k = 0; k < 8; ++k) {
    const double share = k % 2 == 0 ? around : 0.70710678118654752 * around;  // 45 degrees apart
    const double c = k == 2 || k == 6 ? 0.0 : (k < 2 || k > 6 ? share : -share);
    const double s = k == 0 || k == 4 ? 0.0 : (k < 4 ? share : -share);
    if (!covers(x, nearest_within(outline, x + c * u + s * v), outline.out)) return false;
  }
  return true;
}

// Where face f of p and what of q lies flat on it touch.
struct FaceTouch {
  Outline on_p, on_q;
  V3 point[largest_clip];  // corners of the region, on q
  double gap[largest_clip];
  int count;
  bool over;  // q lies over the face, not beside it
};

PEGRASP_HD_LARGE void face_touch(const PairGeometry& g, int type, int f, FaceTouch& touch) {
  constexpr double flat_sine = 0.05;
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const V3 n = rotate(p_pose, p.normal(f));
  Outline& own = touch.on_p;
  own.out = n;
  own.count = p.corners(f);
  for (int i = 0; i < own.count; ++i) own.point[i] = transform(p_pose, p.vertex(p.corner[p.first[f] + i]));
  ClipPoint incident[largest_clip];
  Outline& other = touch.on_q;
  other.count = incident_feature(q, q_pose, n, flat_sine, type, incident);
  for (int i = 0; i < other.count; ++i) other.point[i] = surface_point(incident[i].x, n, q.radius);
  other.out = -n;
  if (other.count > 2) {
    V3 area{0.0, 0.0, 0.0};
    for (int i = 1; i + 1 < other.count; ++i) {
      area = area + cross(other.point[i] - other.point[0], other.point[i + 1] - other.point[0]);
    }
    other.out = (1.0 / norm(area)) * area;
  }
  touch.count = 0;
  const double base = dot(n, p_pose.origin) + p.off[f];
  const auto add = [&touch](const ContactPoint& c) {
    if (touch.count == largest_clip) return;
    touch.point[touch.count] = c.p;
    touch.gap[touch.count++] = c.gap;
  };
  touch.over = face_contacts(g, type, f, flat_sine, 0.0, add);
  if (!touch.over) vertex_contact(g, type, f, add);
  if (other.count > 1) return;
  const V3 x = touch.point[0] - (dot(n, touch.point[0]) - base) * n;
  const V3 miss = nearest_within(own, x) - x;
  touch.over = dot(miss, miss) == 0.0;
}

// Whether part b lies over the facet of part a that a mode names, or the other way round, and not beside it.
PEGRASP_HD_LARGE bool lies_over(const PairGeometry& g, int mode) {
  if (mode_type(mode) != mode_face_a && mode_type(mode) != mode_face_b) return true;
  if constexpr (smooth_parts) {
    if (is_smooth(g.a) || is_smooth(g.b)) return smooth_lies_over(g, mode);
  }
  if (is_cylinder(g.a) || is_cylinder(g.b)) {
    constexpr double flat_sine = 0.05;
    return cylinder_on_flat(g, mode_type(mode), mode_i(mode), flat_sine, 0.0, [](const ContactPoint&) {});
  }
  FaceTouch touch;
  face_touch(g, mode_type(mode), mode_i(mode), touch);
  return touch.over;
}

template <class Covers>
PEGRASP_HD_LARGE unsigned hidden_face_sides(const PairGeometry& g, int mode, double around, unsigned wanted,
                                            const Covers& covers) {
  FaceTouch touch;
  face_touch(g, mode_type(mode), mode_i(mode), touch);
  const unsigned p_side = mode_type(mode) == mode_face_a ? 1u : 2u;
  unsigned hidden = wanted;
  V3 last[2] = {};
  for (int i = 0; i < touch.count && hidden != 0; ++i) {
    for (unsigned side = 1u; side <= 2u; ++side) {
      if ((hidden & side) == 0) continue;
      const bool on_p = side == p_side;
      const Outline& outline = on_p ? touch.on_p : touch.on_q;
      const V3 x = on_p ? nearest_within(outline, touch.point[i] - touch.gap[i] * touch.on_p.out) : touch.point[i];
      const auto by_others = [&](V3 from, V3 to, V3 out) { return covers(side, from, to, out); };
      V3& before = last[on_p ? 0 : 1];
      if ((i > 0 && !by_others(before, x, outline.out)) || !surroundings_covered(outline, x, around, by_others)) {
        hidden &= ~side;
      }
      before = x;
    }
  }
  return hidden;
}

// The segment of edge e of a part, which may be a capsule's or the point of a sphere: an outline for a polyhedron, else
// the point of its surface along `out` from the core's point x.
PEGRASP_HD inline void edge_outline(const PartView& p, const Frame& pose, int e, V3& x, V3 out, Outline& outline) {
  outline.out = out;
  outline.count = p.faces > 0 ? 2 : 1;
  if (p.faces == 0) {
    x = x + p.radius * out;
    outline.point[0] = x;
    return;
  }
  outline.point[0] = transform(pose, p.tail(e));
  outline.point[1] = transform(pose, p.head(e));
}

// The surface of a part with outward direction `out` where a mode of a pair with a cylinder touches it: a face or an
// edge of a polyhedron, the boundary of a half-space, or a point.
PEGRASP_HD_LARGE void outline_beside_cylinder(const PairGeometry& g, bool of_a, int mode, V3 x, V3 out,
                                              Outline& outline) {
  const PartView& p = of_a ? g.a : g.b;
  const Frame& pose = of_a ? g.a_pose : g.b_pose;
  const int type = mode_type(mode);
  outline.out = out;
  outline.count = 1;
  outline.point[0] = x;
  if (is_cylinder(p) || p.faces == 0 || is_smooth(p)) return;
  if (type == (of_a ? mode_face_a : mode_face_b)) {
    const int f = mode_i(mode);
    outline.count = p.corners(f);
    for (int i = 0; i < outline.count; ++i) outline.point[i] = transform(pose, p.vertex(p.corner[p.first[f] + i]));
  } else if (type == mode_round && (of_a ? mode_j(mode) : mode_i(mode)) == curved_edge) {
    const int e = of_a ? mode_i(mode) : mode_j(mode);
    outline.count = 2;
    outline.point[0] = transform(pose, p.tail(e));
    outline.point[1] = transform(pose, p.head(e));
  }
}

// Asks of one contact after another of a pair with a cylinder what hidden_sides() asks; `hidden` is the answer so far.
template <class Covers>
struct HiddenCylinder {
  const PairGeometry& g;
  int mode;
  double around;
  const Covers& covers;
  unsigned hidden;
  V3 last[2] = {};  // on a and b
  bool first = true;
};
template <class Covers>
PEGRASP_HD_LARGE void look_at_contact(HiddenCylinder<Covers>& of, const ContactPoint& c) {
  const bool on_a = (mode_type(c.key) & 3) == mode_face_b;  // whose surface has the point
  for (unsigned side = 1u; side <= 2u && of.hidden != 0; ++side) {
    if ((of.hidden & side) == 0) continue;
    const bool of_a = side == 1u;
    Outline outline;
    V3 x = of_a == on_a ? c.p : c.p + (of_a ? -c.gap : c.gap) * c.n;
    outline_beside_cylinder(of.g, of_a, of.mode, x, of_a ? c.n : -c.n, outline);
    if (outline.count > 1) x = nearest_within(outline, x);
    const auto by_others = [&](V3 from, V3 to, V3 out) { return of.covers(side, from, to, out); };
    V3& before = of.last[of_a ? 0 : 1];
    if ((!of.first && !by_others(before, x, outline.out)) || !surroundings_covered(outline, x, of.around, by_others)) {
      of.hidden &= ~side;
    }
    before = x;
  }
  of.first = false;
}

// As hidden_sides(), of a pair with a cylinder, or of a smooth part.
template <class Covers>
PEGRASP_HD_LARGE unsigned hidden_cylinder_sides(const PairGeometry& g, int mode, double around, unsigned wanted,
                                                const Covers& covers) {
  constexpr double flat_sine = 0.05;
  HiddenCylinder<Covers> out{g, mode, around, covers, wanted};
  if constexpr (smooth_parts) {
    if (is_smooth(g.a) || is_smooth(g.b)) {
      look_at_contact(out, smooth_contact(g, mode));
      return out.hidden;
    }
  }
  cylinder_contacts(g, mode, flat_sine, 0.0, [&out](const ContactPoint& c) { look_at_contact(out, c); });
  return out.hidden;
}

// Sides of a pair on which others hide what the facet touches: bit 0 for a, bit 1 for b. covers(side, from, to, out)
// tells whether others cover a segment of the surface of the part that the bit `side` names. wanted: bits to ask for.
template <class Covers>
PEGRASP_HD_LARGE unsigned hidden_sides(const PairGeometry& g, int mode, double around, unsigned wanted,
                                       const Covers& covers) {
  if (is_cylinder(g.a) || is_cylinder(g.b) || is_smooth(g.a) || is_smooth(g.b))
    return hidden_cylinder_sides(g, mode, around, wanted, covers);
  const int type = mode_type(mode);
  if (type == mode_face_a || type == mode_face_b) return hidden_face_sides(g, mode, around, wanted, covers);
  const int i = mode_i(mode);
  const int j = mode_j(mode);
  const Frame b_in_a = relative(g.a_pose, g.b_pose);
  V3 n{};
  if (type == mode_edges) {
    n = rotate(g.a_pose, common_normal(own_ridge(g.a, i), seen_ridge(g.b, j, b_in_a)));
  } else {
    RoundAxis axis;
    best_axis(g.a, i, g.b, j, b_in_a, axis);
    n = rotate(g.a_pose, axis.n);
  }
  if (dot(n, n) == 0.0) return 0;
  const Segment a = seen_segment(g.a, i, g.a_pose);
  const Segment b = seen_segment(g.b, j, g.b_pose);
  const ClosestPoints closest = closest_points(a, b);
  unsigned hidden = 0;
  for (unsigned side = 1u; side <= 2u; ++side) {
    if ((wanted & side) == 0) continue;
    V3 x = side == 1u ? a.tail + closest.on_a * a.along : b.tail + closest.on_b * b.along;
    Outline outline;
    if (side == 1u) {
      edge_outline(g.a, g.a_pose, i, x, n, outline);
    } else {
      edge_outline(g.b, g.b_pose, j, x, -n, outline);
    }
    const auto by_others = [&](V3 from, V3 to, V3 out) { return covers(side, from, to, out); };
    if (surroundings_covered(outline, x, around, by_others)) hidden |= side;
  }
  return hidden;
}

// Whether the part goes on beyond x along the unit direction `out` by more than `slack`.
PEGRASP_HD inline bool reaches_beyond(const PartView& part, const Frame& frame, V3 x, V3 out, double slack) {
  if (part.vertices == 0) {
    constexpr double level = 1e-6;
    const V3 n = rotate(frame, part.normal(0));
    if (!(dot(n, out) > 0.0) || norm(cross(n, out)) > level) return true;
    return part.off[0] + dot(n, frame.origin - x) > slack;
  }
  return support(part, unrotate(frame, out)).value + dot(out, frame.origin - x) > slack;
}

// How far (as a fraction) a part covers the segment from its fraction `reached` on, within `slack`: `reached` where it
// does not. Round parts, cylinders and smooth parts cover nothing: only their middle would.
PEGRASP_HD_LARGE double covered_up_to(const PartView& part, const Frame& frame, V3 from, V3 to, V3 out, double slack,
                                      double reached) {
  if (part.faces == 0 || is_cylinder(part) || is_smooth(part) || !reaches_beyond(part, frame, from, out, slack))
    return reached;
  const V3 x = untransform(frame, from);
  const V3 y = untransform(frame, to);
  Span span;
  for (int f = 0; f < part.faces; ++f) {
    const double off = part.off[f] + slack;
    span.cut(dot(part.normal(f), x) - off, dot(part.normal(f), y) - off);
    if (span.high < span.low) return reached;
  }
  return span.low <= reached && span.high > reached ? span.high : reached;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
