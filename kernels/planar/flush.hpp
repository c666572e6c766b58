// SPDX-License-Identifier: Apache-2.0
// The planar part of kernels/contact/flush.hpp: where a facet touches either of its two parts, and how much of that
// another part covers.
#pragma once

#include "kernels/contact/open_scan.hpp"
#include "kernels/planar/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The piece of a part's surface (world) that a facet touches, or a single point, and the outward normal there.
struct Touch {
  V2 from, to, out;
};

struct EdgeTouch {
  Touch on_p, on_q;
  bool over;  // q lies over the edge, not beside it
};

// Facet: edge e of side.p. A piece reaches farther by `around` on both sides, as far as its edge goes.
PEGRASP_HD inline EdgeTouch edge_touch(const EdgeSide& side, int e, double around) {
  constexpr double flat_sine = 0.05;
  const PartView& p = side.p;
  const PartView& q = side.q;
  const V2 n = rotate(side.p_pose, p.normal(e));
  const V2 t = perp(n);
  const V2 d = unrotate(side.q_pose, -n);
  const int corner = support(q, d).corner;
  const V2 x = q.curve() != nullptr ? transform(side.q_pose, smooth_point(q, d))
                                    : transform(side.q_pose, q.centre(corner)) - q.cr[corner] * n;
  const bool bounded = p.corners > 0;
  const double p_low = bounded ? dot(t, edge_tail(p, side.p_pose, e)) : -1e300;
  const double p_high = bounded ? dot(t, edge_head(p, side.p_pose, e)) : 1e300;
  double low = dot(t, x);
  double high = low;
  EdgeTouch touch{{}, {x, x, -n}, low >= p_low && low <= p_high};
  if (q.edges > 0) {
    const int before = q.previous(corner);
    const double facing_before = q.use[before] == edge_hidden ? -1.0 : dot(q.normal(before), d);
    const double facing_after = q.use[corner] == edge_hidden ? -1.0 : dot(q.normal(corner), d);
    const int flat = facing_before > facing_after ? before : corner;
    if (max2(facing_before, facing_after) > 0.0 && abs1(cross(q.normal(flat), d)) < flat_sine) {
      const V2 head = edge_head(q, side.q_pose, flat);
      const V2 tail = edge_tail(q, side.q_pose, flat);
      low = dot(t, head);
      high = dot(t, tail);
      double first = max2(low, p_low);
      double last = min2(high, p_high);
      touch.over = first < last;
      if (!touch.over) first = last = high <= p_low ? high : low;  // beside each other: the nearer end
      const V2 along = (1.0 / (high - low)) * (tail - head);
      touch.on_q = {head + (max2(first - around, low) - low) * along, head + (min2(last + around, high) - low) * along,
                    rotate(side.q_pose, q.normal(flat))};
    }
  }
  const V2 foot = (dot(n, side.p_pose.origin) + p.off[e]) * n;
  touch.on_p = {foot + clamp(low - around, p_low, p_high) * t, foot + clamp(high + around, p_low, p_high) * t, n};
  return touch;
}

// Whether part b lies over the facet of part a that a mode names, or the other way round, and not beside it.
PEGRASP_HD inline bool lies_over(const PairGeometry& g, int mode) {
  if (mode_type(mode) == mode_arcs) return true;
  return edge_touch(edge_side(g, mode_type(mode)), mode_i(mode), 0.0).over;
}

// Sides of a pair on which others hide what the facet touches: bit 0 for a, bit 1 for b. covers(side, from, to, out)
// tells whether others cover a segment of the surface of the part that the bit `side` names. wanted: bits to ask for.
template <class Covers>
PEGRASP_HD inline unsigned hidden_sides(const PairGeometry& g, int mode, double around, unsigned wanted,
                                        const Covers& covers) {
  Touch on_a, on_b;
  if (mode_type(mode) == mode_arcs && (g.a.curve() != nullptr || g.b.curve() != nullptr)) {
    const ContactPoint at = mode_point(g, mode);
    const V2 at_a = at.p - at.gap * at.n;
    on_a = {at_a, at_a, at.n};
    on_b = {at.p, at.p, -at.n};
  } else if (mode_type(mode) == mode_arcs) {
    const V2 a = transform(g.a_pose, g.a.centre(mode_i(mode)));
    const V2 b = transform(g.b_pose, g.b.centre(mode_j(mode)));
    const double length = norm(b - a);
    const V2 n = length > 0.0 ? (1.0 / length) * (b - a) : V2{1.0, 0.0};
    const V2 at_a = a + g.a.cr[mode_i(mode)] * n;
    const V2 at_b = b - g.b.cr[mode_j(mode)] * n;
    on_a = {at_a, at_a, n};
    on_b = {at_b, at_b, -n};
  } else {
    const EdgeTouch touch = edge_touch(edge_side(g, mode_type(mode)), mode_i(mode), around);
    const bool a_has_edge = mode_type(mode) == mode_edge_a;
    on_a = a_has_edge ? touch.on_p : touch.on_q;
    on_b = a_has_edge ? touch.on_q : touch.on_p;
  }
  unsigned hidden = 0;
  if ((wanted & 1u) != 0 && covers(1u, on_a.from, on_a.to, on_a.out)) hidden |= 1u;
  if ((wanted & 2u) != 0 && covers(2u, on_b.from, on_b.to, on_b.out)) hidden |= 2u;
  return hidden;
}

// Whether the part goes on beyond x along the unit direction `out` by more than `slack`.
PEGRASP_HD inline bool reaches_beyond(const PartView& part, const Frame& frame, V2 x, V2 out, double slack) {
  if (part.corners == 0) {
    constexpr double level = 1e-6;
    const V2 n = rotate(frame, part.normal(0));
    if (!(dot(n, out) > 0.0) || abs1(cross(n, out)) > level) return true;
    return part.off[0] + dot(n, frame.origin - x) > slack;
  }
  return support(part, unrotate(frame, out)).value + dot(out, frame.origin - x) > slack;
}

// How far (as a fraction) a part covers the segment from its fraction `reached` on, within `slack`: `reached` where it
// does not. Of a rounded corner only what lies within its chord counts.
PEGRASP_HD inline double covered_up_to(const PartView& part, const Frame& frame, V2 from, V2 to, V2 out, double slack,
                                       double reached) {
  if (part.edges == 0 || !reaches_beyond(part, frame, from, out, slack)) return reached;
  const V2 x = untransform(frame, from);
  const V2 y = untransform(frame, to);
  Span span;
  for (int e = 0; e < part.edges; ++e) {
    const double off = part.off[e] + slack;
    span.cut(dot(part.normal(e), x) - off, dot(part.normal(e), y) - off);
    if (span.high < span.low) return reached;
  }
  for (int i = 0; i < part.corners; ++i) {
    if (part.cr[i] == 0.0) continue;
    const V2 m = part.normal(part.previous(i)) + part.normal(i);
    const double off = dot(m, part.centre(i)) + part.cr[i] * dot(m, part.normal(i)) + slack;
    span.cut(dot(m, x) - off, dot(m, y) - off);
  }
  return span.low <= reached && span.high > reached ? span.high : reached;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
