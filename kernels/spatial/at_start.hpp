// SPDX-License-Identifier: Apache-2.0
// What a contact in 3D that is linearised at an end pose was at the start of the step, and how far it slips on the way:
// kernels/planar/at_start.hpp says why and how. A gap of 1e300 at the start is none that is known: the contact pushes
// along its normal at the end.
#pragma once

#include "kernels/contact/make_contacts.hpp"
#include "kernels/spatial/mode_type.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct ContactAtStart {
  V3 p, n;
  double gap;  // [m]
};

constexpr double closed_tolerances = 2.0;
constexpr int passes_from_start = 3;
constexpr double far_turn = 0.05;  // [rad] of a body within a step
PEGRASP_HD inline bool was_closed(const ContactAtStart& at, const StepOptions& options) {
  return at.gap <= closed_tolerances * options.penetration_tolerance;
}

struct ContactSides {
  int q, p;
  double side;
  V3 core;
};
PEGRASP_HD inline int contact_type(const Contact& c) { return mode_type(c.key) & 3; }
PEGRASP_HD inline ContactSides sides_of(const Contact& c) {
  const bool on_a = contact_type(c) == mode_face_b;
  const double side = on_a ? -1.0 : 1.0;
  return {on_a ? c.body_a : c.body_b, on_a ? c.body_b : c.body_a, side, c.p + (side * c.round) * c.n};
}

PEGRASP_HD inline V3 back_to_start(const SceneView& s, int body, V3 x) {
  return transform(start_frame(s, body), untransform(end_frame(s, body), x));
}
PEGRASP_HD inline V3 on_to_end(const SceneView& s, int body, V3 x) {
  return transform(end_frame(s, body), untransform(start_frame(s, body), x));
}

// Of two edges: where they cross, seen along the normal across both. Edges that are nearly parallel there touch along
// each other, and are left to push along the normal at the end.
PEGRASP_HD_LARGE ContactAtStart edges_at_start(const SceneView& s, const Contact& c) {
  constexpr double least = 0.5;  // sine
  ContactAtStart out{c.p, c.n, 1e300};
  const PairGeometry g = pair_geometry(s, s.pairs[c.pair], start_frame(s, c.body_a), start_frame(s, c.body_b));
  const Segment a = seen_segment(g.a, mode_i(c.key), g.a_pose);
  const Segment b = seen_segment(g.b, mode_j(c.key), g.b_pose);
  const V3 across = cross(a.along, b.along);
  const double size2 = dot(across, across);
  if (size2 < least * least * dot(a.along, a.along) * dot(b.along, b.along)) return out;
  out.n = ((dot(across, c.n) < 0.0 ? -1.0 : 1.0) / square_root(size2)) * across;
  const V3 d = b.tail - a.tail;
  out.gap = dot(out.n, d);
  out.p = b.tail - (dot(d, cross(a.along, across)) / dot(b.along, cross(a.along, across))) * b.along;
  return out;
}

// Of a smooth part: its nearest point there, which is another one.
PEGRASP_HD_RARE ContactAtStart smooth_at_start(const SceneView& s, const Contact& c) {
  const NearPair& pair = s.pairs[c.pair];
  const ContactPoint at =
      smooth_contact(pair_geometry(s, pair, start_frame(s, c.body_a), start_frame(s, c.body_b)), c.key);
  return {at.p, at.n, at.gap};
}

PEGRASP_HD_LARGE ContactAtStart at_start(const SceneView& s, const Contact& c) {
  if constexpr (smooth_parts) {
    const bool nearest = contact_type(c) == mode_round || mode_j(c.key) == 0;
    if (nearest && has_smooth(s, s.pairs[c.pair])) return smooth_at_start(s, c);
  }
  if (contact_type(c) == mode_edges) return edges_at_start(s, c);
  const ContactSides at = sides_of(c);
  const V3 core = back_to_start(s, at.q, at.core);
  ContactAtStart out{c.p, c.n, 1e300};
  if (contact_type(c) == mode_round) {
    const double apart = c.round + c.round_other;
    if (apart == 0.0) return out;  // of an edge and a rim
    const V3 d = core - back_to_start(s, at.p, at.core - (c.gap + apart) * c.n);
    const double length = norm(d);
    if (length > 0.0) out.n = (1.0 / length) * d;
    out.gap = length - apart;
  } else {
    const V3 facet = unrotate(end_frame(s, at.p), c.n);
    const V3 come = untransform(end_frame(s, at.p), at.core) - untransform(start_frame(s, at.p), core);
    out.n = rotate(start_frame(s, at.p), facet);
    out.gap = c.gap - at.side * dot(facet, come);
  }
  out.p = core - (at.side * c.round) * out.n;
  return out;
}

// The spin wq of q against p, seen with the turn that p comes to within h [s]. Spins are those in the middle of a step.
PEGRASP_HD inline V3 turn_against(V3 wq, V3 wp, double h) { return wq - wp + (0.5 * h) * cross(wp, wq - wp); }

// Where the core of a contact is at the start of the step. about: the contact is linearised at the end poses at hand.
PEGRASP_HD inline V3 core_at_start(const SceneView& s, const Contact& c, bool about) {
  const ContactSides at = sides_of(c);
  return about ? back_to_start(s, at.q, at.core) : at.core;
}

// The slip [m] of b against a. begin: core_at_start(). h: length of the step, at whose velocities s.nu the end poses at
// hand are reached [s].
PEGRASP_HD_LARGE V3 slip_to_end(const SceneView& s, const Contact& c, V3 begin, bool about, double h) {
  const ContactSides at = sides_of(c);
  const V3 end = about ? at.core : on_to_end(s, at.q, at.core);
  const V3 turn = h * turn_against(angular(s.nu, at.q), angular(s.nu, at.p), h);
  return at.side * (end - on_to_end(s, at.p, begin) + cross(turn, c.p - at.core));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
