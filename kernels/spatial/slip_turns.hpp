// SPDX-License-Identifier: Apache-2.0
// The bias of the rows of a contact in 3D whose slip turns (kernels/contact/turn_of_slip.hpp).
//
// Slips are those of slip_to_end(): seen by p, with its turn where the (sub)step ends. That of the last one, s_, has
// p's turn of now, where friction acts; that of this one, s+, has turned on with p, w_p being its spin. Seen with the
// turn of now the mean is s_ + s+ - h w_p x s+, so that h w_p x s+ is taken off s_.
//
// Where the contact has arms, moments share the bound of friction: then the slip has them beside it, as the rows do.
#pragma once

#include "kernels/contact/turn_of_slip.hpp"
#include "kernels/spatial/at_start.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// [m/s]
struct ContactSlip {
  V3 slide;  // across the normal
  V3 turn;   // of b against a, times the arms
};
PEGRASP_HD inline double dot(const ContactSlip& a, const ContactSlip& b) {
  return dot(a.slide, b.slide) + dot(a.turn, b.turn);
}
PEGRASP_HD inline double norm(const ContactSlip& a) { return square_root(dot(a, a)); }
PEGRASP_HD inline ContactSlip operator*(double f, const ContactSlip& a) { return {f * a.slide, f * a.turn}; }
PEGRASP_HD inline ContactSlip operator-(const ContactSlip& a, const ContactSlip& b) {
  return {a.slide - b.slide, a.turn - b.turn};
}

// Arms [m] of torsional and rolling friction.
struct FrictionArms {
  double torsion, rolling;
};

PEGRASP_HD inline ContactSlip contact_slip(V3 slide, V3 spin, V3 n, const FrictionArms& arms) {
  const double about = dot(spin, n);
  return {slide - dot(slide, n) * n, (arms.torsion * about) * n + arms.rolling * (spin - about * n)};
}

PEGRASP_HD inline V3 last_spin(const SceneView& s, int body) { return load3(s.last_spin + 3 * body); }

// The length [s] of the last (sub)step of the bodies, the shorter one; 0 where one of them has made none. Fixed bodies
// do not count.
PEGRASP_HD inline double last_of_both(const SceneView& s, int a, int b) {
  const auto moves = [&s](int body) { return s.model->body_kind[body] != static_cast<int>(BodyKind::fixed); };
  if (!moves(a)) return s.last_h[b];
  return moves(b) ? min2(s.last_h[a], s.last_h[b]) : s.last_h[a];
}

// The mean slip [m/s] of b against a in the last (sub)step, of `last` [s]. begin: where the core is now; n: normal.
PEGRASP_HD_LARGE V3 slip_before(const SceneView& s, const Contact& c, const ContactSides& at, V3 begin, V3 n,
                                double last) {
  const V3 wq = last_spin(s, at.q), wp = last_spin(s, at.p);
  // how the core came on p's centre, and what is left of that as seen by p
  const V3 came =
      last * (linear(s.twist, at.q) - linear(s.twist, at.p)) - swing((-last) * wq, begin - position(s.pose, at.q));
  const V3 slid = came - swing(last * wp, begin - position(s.pose, at.p) - came);
  return (at.side / last) * slid - c.round * cross(turn_against(wq, wp, last), n);
}

// What the velocity of a body will be beyond s.nu, as far as it is known before the first solve: if the body is
// accelerated as in the last (sub)step.
PEGRASP_HD inline V3 unseen_velocity(const SceneView& s, int body, double h) {
  if (!is_dynamic(s, body)) return {0.0, 0.0, 0.0};
  const V3 a = load3(s.acceleration + dof * body);
  return linear(s.twist, body) + kick_time(s, body, h) * a - linear(s.nu, body);
}
PEGRASP_HD inline V3 unseen_spin(const SceneView& s, int body, double h) {
  if (!is_dynamic(s, body)) return {0.0, 0.0, 0.0};
  const V3 a = load3(s.acceleration + dof * body + 3);
  return last_spin(s, body) + kick_time(s, body, h) * a - angular(s.nu, body);
}

// By how much a point of a body is moved on its arc beyond what the rates say, to second order [m/s]: if it turns by
// `more` beyond s.nu. Without it what sticks to a body that turns ever faster would seem to slip.
PEGRASP_HD inline V3 beyond_rate(const SceneView& s, int body, V3 x, V3 more, double h) {
  const V3 arm = x - position(s.pose, body);
  const V3 spin = angular(s.nu, body);
  return (0.5 * h) * (cross(spin, cross(more, arm)) + cross(more, cross(spin + more, arm)));
}

// Whether a pair may get the bias: it touches where the step begins, and not so many passes have failed that the motion
// tells nothing of that of the last step, as of jammed bodies.
PEGRASP_HD inline bool goes_on(const SceneView& s, const NearPair& pair, const StepOptions& options) {
  return s.tally->pass < passes_from_start && pair.s0_max <= closed_tolerances * options.penetration_tolerance;
}

// The bias. slip: that of the motion s.nu [m/s]; at, n: where friction acts, and the normal there.
PEGRASP_HD_LARGE ContactSlip turn_at_contact(const SceneView& s, const Contact& c, V3 begin, V3 slip, V3 at, V3 n,
                                             const FrictionArms& arms, double h) {
  const double last = last_of_both(s, c.body_a, c.body_b);
  if (!(last > 0.0)) return ContactSlip{};
  const ContactSides sides = sides_of(c);
  V3 spin = angular(s.nu, c.body_b) - angular(s.nu, c.body_a);
  V3 arcs{0.0, 0.0, 0.0};
  if (s.tally->pass == 0) {
    const V3 wa = unseen_spin(s, c.body_a, h), wb = unseen_spin(s, c.body_b, h);
    arcs = beyond_rate(s, c.body_b, begin, wb, h) - beyond_rate(s, c.body_a, begin, wa, h);
    slip = slip + arcs + (unseen_velocity(s, c.body_b, h) + cross(wb, at - position(s.pose, c.body_b))) -
           (unseen_velocity(s, c.body_a, h) + cross(wa, at - position(s.pose, c.body_a)));
    spin = spin + (wb - wa);
  }
  const V3 before = slip_before(s, c, sides, begin, n, last) - h * cross(angular(s.nu, sides.p), slip);
  const V3 spin_before = last_spin(s, c.body_b) - last_spin(s, c.body_a);
  ContactSlip bias = turn_of_slip(contact_slip(before, spin_before, n, arms), contact_slip(slip, spin, n, arms));
  bias.slide = bias.slide + arcs;
  return bias;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
