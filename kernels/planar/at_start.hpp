// SPDX-License-Identifier: Apache-2.0
// What a contact in 2D that is linearised at an end pose was at the start of the step, and how far it slips on the way.
//
// The two bodies of a contact are q, whose vertex or centre of a round feature (the core) is at it, and p, whose facet
// or other round feature is. The core goes with q and the facet with p, so that both are known at the start as well.
//
// Slip. The rows of friction ask for no slip over the step rather than for no velocity of slip at one of its poses: two
// bodies that turn together would creep, since velocities at the start or at the end point past each other. It is
//   (where the core ends) - (where p takes the place at which it began) + (turn of q against p) x (contact - core),
// which vanishes for bodies that move as one, and for wheels that roll.
//
// Directions. A contact that is closed where the step begins pushes along its normal there: so, as in
// joints, what it does on the whole way round a corner cancels to second order. One that closes within the step pushes
// along its normal at the end, or along the mean of both where that would do work on the bodies (rows.hpp).
#pragma once

#include "kernels/contact/make_contacts.hpp"
#include "kernels/planar/mode_type.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct ContactAtStart {
  V2 p, n;
  double gap;  // [m]
};

// Gaps up to this many penetration tolerances are closed: what solves leave of contacts that carry force is less. With
// directions of the start passes come nearer by a factor each, with those of the end by squares: a step that so many
// passes have not ended is no longer about the order of its error. But a body that turns far over a corner would gain
// energy by those of the end.
constexpr double closed_tolerances = 2.0;
constexpr int passes_from_start = 3;
PEGRASP_HD inline bool was_closed(const ContactAtStart& at, const StepOptions& options) {
  return at.gap <= closed_tolerances * options.penetration_tolerance;
}
PEGRASP_HD inline bool turns_far(const SceneView& s, const Contact& c, const StepOptions& options) {
  constexpr double far = 0.05;  // [rad]
  return options.h * relative_turn_rate(s.nu, c.body_a, c.body_b) > far;
}

// Bodies q and p, the side of q (1 for b, -1 for a) and the core, where the contact is linearised.
struct ContactSides {
  int q, p;
  double side;
  V2 core;
};
PEGRASP_HD inline ContactSides sides_of(const Contact& c) {
  const bool on_a = mode_type(c.key) == mode_edge_b;
  const double side = on_a ? -1.0 : 1.0;
  return {on_a ? c.body_a : c.body_b, on_a ? c.body_b : c.body_a, side, c.p + (side * c.round) * c.n};
}

// Where a point of a body that is at x at the end pose was at the start, and the other way round.
PEGRASP_HD inline V2 back_to_start(const SceneView& s, int body, V2 x) {
  return transform(start_frame(s, body), untransform(end_frame(s, body), x));
}
PEGRASP_HD inline V2 on_to_end(const SceneView& s, int body, V2 x) {
  return transform(end_frame(s, body), untransform(start_frame(s, body), x));
}

// Whether a contact is that of a smooth part's nearest point, which is another one at the start of the step.
PEGRASP_HD inline bool moves_along_part(const SceneView& s, const Contact& c) {
  if (!is_smooth(*s.model, s.pairs[c.pair])) return false;
  return mode_type(c.key) == mode_arcs || mode_j(c.key) == 0;
}
PEGRASP_HD inline ContactAtStart smooth_at_start(const SceneView& s, const Contact& c) {
  const NearPair& pair = s.pairs[c.pair];
  const PairGeometry g = pair_geometry(s, pair, start_frame(s, pair.body_a), start_frame(s, pair.body_b));
  const ContactPoint at = mode_point(g, pair.mode);
  return {at.p, at.n, at.gap};
}

PEGRASP_HD inline ContactAtStart at_start(const SceneView& s, const Contact& c) {
  if (moves_along_part(s, c)) return smooth_at_start(s, c);
  const ContactSides at = sides_of(c);
  const V2 core = back_to_start(s, at.q, at.core);
  ContactAtStart out;
  if (mode_type(c.key) == mode_arcs) {
    const double apart = c.round + c.round_other;
    const V2 d = core - back_to_start(s, at.p, at.core - (c.gap + apart) * c.n);
    const double length = norm(d);
    out.n = length > 0.0 ? (1.0 / length) * d : c.n;
    out.gap = length - apart;
  } else {
    const V2 facet = unrotate(end_frame(s, at.p), c.n);
    const V2 come = untransform(end_frame(s, at.p), at.core) - untransform(start_frame(s, at.p), core);
    out.n = rotate(start_frame(s, at.p), facet);
    out.gap = c.gap - at.side * dot(facet, come);
  }
  out.p = core - (at.side * c.round) * out.n;
  return out;
}

// The slip [m] of b against a from the start of the step to the end poses at hand. about: the contact is linearised at
// the end poses; else at the start.
PEGRASP_HD inline V2 slip_to_end(const SceneView& s, const Contact& c, bool about) {
  const ContactSides at = sides_of(c);
  const V2 begin = about ? back_to_start(s, at.q, at.core) : at.core;
  const V2 end = about ? at.core : on_to_end(s, at.q, at.core);
  const auto turn = [&s](int body) { return s.end_pose[3 * body + 2] - s.pose[3 * body + 2]; };
  const V2 arm = c.p - at.core;
  return at.side * (end - on_to_end(s, at.p, begin) + (turn(at.q) - turn(at.p)) * perp(arm));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
