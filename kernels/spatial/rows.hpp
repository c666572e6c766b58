// SPDX-License-Identifier: Apache-2.0
// The rows of contacts in 3D:
//   normal      (psi(q_L) - target) / h + G J_l(h w_L) (nu - nu_L) >= 0  _|_  p_n >= 0      nu_L = 0 at the start pose,
//               else nu; G is that at the start, or the mean of both ends, where kernels/planar/rows.hpp says so
//               with load sharing gap_to_close(psi(q_L) - target) / h  (contact/linearisation.hpp)
//   tangential  t_1, t_2 . slip(q_L) / h + J_t (nu - nu_L),  |p_t| <= mu p_n (kernels/planar/at_start.hpp)
//               + what lets friction act against the slip where the step begins (kernels/spatial/slip_turns.hpp)
//   torsion     e_n n . (relative angular velocity), where the pair has an arm e_n; with it |(p_t, p_n')| <= mu p_n;
//               + the same
//   rolling     e_t t_1, e_t t_2 . (the same), likewise: an ellipsoid in impulses and moments (Berard 3.82)
// The end pose is exp(h w) q0, so that its derivative by w has the left Jacobian J_l of exp in it: it belongs to the
// gap. Impulses act as forces do, by G^T: with J_l there they would not keep the angular momentum.
#pragma once

#include "kernels/contact/make_contacts.hpp"
#include "kernels/spatial/at_start.hpp"
#include "kernels/spatial/joint.hpp"
#include "kernels/spatial/slip_turns.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// j: gradient of the gap; g: of the impulse. If thin bodies turn far, the two may disagree. Then g serves for both,
// also in the bias of a row about the motion s.nu (it holds -j nu), and the next pass corrects the error.
PEGRASP_HD inline void set_row(const SceneView& s, Row& row, int body_a, const Wrench& ja, const Wrench& ga, int body_b,
                               const Wrench& jb, const Wrench& gb, double bias, bool about, double compliance = 0.0) {
  constexpr double least = 0.1;
  double j[2][dof], w[2][dof] = {};
  store3(ja.force, j[0]);
  store3(ja.torque, j[0] + 3);
  store3(jb.force, j[1]);
  store3(jb.torque, j[1] + 3);
  apply_impulse(s, body_a, ga.force, ga.torque, w[0]);
  apply_impulse(s, body_b, gb.force, gb.torque, w[1]);
  double diagonal = 0.0;
  double plain = 0.0;
  const double g[2][dof] = {{ga.force.x, ga.force.y, ga.force.z, ga.torque.x, ga.torque.y, ga.torque.z},
                            {gb.force.x, gb.force.y, gb.force.z, gb.torque.x, gb.torque.y, gb.torque.z}};
  for (int i = 0; i < dof; ++i) {
    diagonal += j[0][i] * w[0][i] + j[1][i] * w[1][i];
    plain += g[0][i] * w[0][i] + g[1][i] * w[1][i];
  }
  diagonal += compliance;
  if (diagonal < least * plain) {
    diagonal = plain + compliance;
    const double* nu[2] = {s.nu + dof * body_a, s.nu + dof * body_b};
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < dof; ++i) {
        if (about) bias += (j[side][i] - g[side][i]) * nu[side][i];
        j[side][i] = g[side][i];
      }
    }
  }
  for (int i = 0; i < dof; ++i) {
    row.ja[i] = static_cast<SolverReal>(j[0][i]);
    row.jb[i] = static_cast<SolverReal>(j[1][i]);
    row.wa[i] = static_cast<SolverReal>(w[0][i]);
    row.wb[i] = static_cast<SolverReal>(w[1][i]);
  }
  row.bias = static_cast<SolverReal>(bias);
  row.compliance = static_cast<SolverReal>(compliance);
  row.diagonal = static_cast<SolverReal>(diagonal);
  row.body_a = body_a;
  row.body_b = body_b;
}

// g^T J_l(phi). Beyond `most` the linearisation would overshoot; phi is shortened to it.
PEGRASP_HD inline V3 through_exponential(V3 g, V3 phi) {
  constexpr double most = 0.7;  // [rad]
  const double t2 = dot(phi, phi);
  if (t2 > most * most) return through_left_jacobian(g, (most / square_root(t2)) * phi, most * most);
  return through_left_jacobian(g, phi, t2);
}

PEGRASP_HD inline FrictionArms friction_arms(const SceneView& s, const NearPair& pair) {
  if (pair.slot < 0) return {0.0, 0.0};  // no pairs are listed: none has arms
  return {s.model->body_pair_arms[2 * pair.slot], s.model->body_pair_arms[2 * pair.slot + 1]};
}
// Rows of moments at a contact, by their arms. bias: along the axes, times the arms.
PEGRASP_HD inline void moment_rows(const SceneView& s, const Contact& c, const Block& block, const V3* t, V3 bias) {
  const FrictionArms arms = friction_arms(s, s.pairs[c.pair]);
  const V3 none{0.0, 0.0, 0.0};
  int row = block.first_row + 3;
  const auto add = [&](double arm, V3 axis) {
    const Wrench wa{none, -(arm * axis)};
    const Wrench wb{none, arm * axis};
    set_row(s, s.rows[row++], c.body_a, wa, wa, c.body_b, wb, wb, dot(axis, bias), false);
  };
  if (arms.torsion > 0.0) add(arms.torsion, c.push);
  for (int k = 0; arms.rolling > 0.0 && k < 2; ++k) add(arms.rolling, t[k]);
}

// Rows that share a contact's friction bound.
PEGRASP_HD inline int friction_rows(const SceneView& s, const NearPair& pair) {
  const FrictionArms arms = friction_arms(s, pair);
  return 2 + (arms.torsion > 0.0 ? 1 : 0) + (arms.rolling > 0.0 ? 2 : 0);
}

// How a contact acts: gradients of the gap (j) and of the impulse (g), the normal row's bias [m/s], where friction
// acts, and the arms to there.
struct ContactActs {
  Wrench ja, ga, jb, gb;
  double bias;
  ContactAtStart at;
  V3 fa, fb;
};
// The speed [m/s] at which its normal row may close the contact. All of the overlap counts that a shell has.
PEGRASP_HD inline double speed_to_close(const Contact& c, const StepOptions& options) {
  const double gap = c.gap - c.target;
  return closing_speed(c.shell == contact_soft ? gap : gap_to_close(options, gap), options);
}
PEGRASP_HD inline double along(const double* nu, const Contact& c, const Wrench& a, const Wrench& b) {
  return dot(a.force, linear(nu, c.body_a)) + dot(a.torque, angular(nu, c.body_a)) +
         dot(b.force, linear(nu, c.body_b)) + dot(b.torque, angular(nu, c.body_b));
}
PEGRASP_HD inline bool turns_far(const SceneView& s, const Contact& c, const StepOptions& options) {
  return options.h * norm(angular(s.nu, c.body_b) - angular(s.nu, c.body_a)) > far_turn;
}

// Of a contact that was closed at the start: the gap is that at the end pose, gradient and place those at the start.
PEGRASP_HD inline void act_as_at_start(const SceneView& s, const Contact& c, const ContactAtStart& before,
                                       const StepOptions& options, ContactActs& acts) {
  acts.at = before;
  acts.fa = before.p - position(s.pose, c.body_a);
  acts.fb = before.p - position(s.pose, c.body_b);
  acts.ja = acts.ga = {-before.n, -cross(acts.fa, before.n)};
  acts.jb = acts.gb = {before.n, cross(acts.fb, before.n)};
  acts.bias = speed_to_close(c, options) -
              dot(before.n, point_velocity(s.nu, c.body_b, acts.fb) - point_velocity(s.nu, c.body_a, acts.fa));
}

// Of a contact that closes within the step, and whose impulse along the gradient at the end would do work on the bodies
// (kernels/planar/rows.hpp): along the mean of both gradients it takes energy. acts: at the end.
PEGRASP_HD inline void act_in_passing(const SceneView& s, const Contact& c, const ContactAtStart& before,
                                      const StepOptions& options, ContactActs& acts) {
  const V3 fa = before.p - position(s.pose, c.body_a);
  const V3 fb = before.p - position(s.pose, c.body_b);
  const double share = 1.0 / max2(norm(before.n + c.n), 1e-9);
  const V3 n = share * (before.n + c.n);
  acts.ja = acts.ga = {-n, -(share * (cross(fa, before.n) + cross(acts.fa, c.n)))};
  acts.jb = acts.gb = {n, share * (cross(fb, before.n) + cross(acts.fb, c.n))};
  acts.bias = speed_to_close(c, options) - along(s.nu, c, acts.ga, acts.gb);
  acts.at = {0.5 * (before.p + c.p), n, before.gap};
  acts.fa = 0.5 * (fa + acts.fa);
  acts.fb = 0.5 * (fb + acts.fb);
}

PEGRASP_HD inline ContactActs acts_of(const SceneView& s, const Contact& c, bool about, const StepOptions& options) {
  const double h = options.h;
  const double* pose = about ? s.end_pose : s.pose;
  const V3 ra = c.p - position(pose, c.body_a);
  const V3 rb = c.p - position(pose, c.body_b);
  const Wrench ga{-c.n, -cross(ra, c.n)};
  const Wrench gb{c.n, cross(rb, c.n)};
  ContactActs acts{ga, ga, gb, gb, 0.0, {c.p, c.n, 0.0}, ra, rb};
  acts.bias = speed_to_close(c, options);
  if (!about) return acts;
  acts.ja.torque = through_exponential(ga.torque, h * angular(s.nu, c.body_a));
  acts.jb.torque = through_exponential(gb.torque, h * angular(s.nu, c.body_b));
  // J_l(h w) w = w
  acts.bias -= dot(c.n, point_velocity(s.nu, c.body_b, rb) - point_velocity(s.nu, c.body_a, ra));
  if (!linearises_anew(options)) return acts;
  const ContactAtStart before = at_start(s, c);
  // A round facet turns as bodies pass each other, and the mean of its normals is that of no place on the way.
  const bool between_rounds = contact_type(c) == mode_round;
  if (was_closed(before, options)) {
    const bool late = s.tally->pass >= passes_from_start;
    if (!late || (!between_rounds && along(s.nu, c, ga, gb) > 0.0 && turns_far(s, c, options))) {
      act_as_at_start(s, c, before, options, acts);
    }
  } else if (before.gap < 1e299 && !between_rounds) {
    const double parting = along(s.nu, c, ga, gb);
    const bool works = remembers_motion(*s.model) && parting + along(s.free_twist, c, ga, gb) > 0.0;
    if (works || (parting > 0.0 && turns_far(s, c, options))) {
      act_in_passing(s, c, before, options, acts);
    }
  }
  return acts;
}

PEGRASP_HD_LARGE void contact_rows(const SceneView& s, Contact& c, Block& block, const StepOptions& options) {
  const double h = options.h;
  const bool about = about_motion(s, s.pairs[c.pair]);
  const double* pose = about ? s.end_pose : s.pose;
  const ContactActs acts = acts_of(s, c, about, options);
  const ContactAtStart& at = acts.at;
  const V3 fa = acts.fa, fb = acts.fb;
  set_row(s, s.rows[block.first_row], c.body_a, acts.ja, acts.ga, c.body_b, acts.jb, acts.gb, acts.bias, about);
  for (int k = 0; k < c.alternative_count; ++k) {  // of peg-features, which linearises contacts once
    const Alternative& other = s.alternatives[c.first_alternative + k];
    const Wrench wa{-other.n, -cross(other.p - position(pose, c.body_a), other.n)};
    const Wrench wb{other.n, cross(other.p - position(pose, c.body_b), other.n)};
    set_row(s, s.rows[block.first_alternative + k], c.body_a, wa, wa, c.body_b, wb, wb,
            closing_speed(other.gap - c.target, options), false);
  }
  c.at = at.p;
  c.push = at.n;
  if (block.row_count == 1) return;
  const V3 t1 = any_across(at.n);
  const V3 t[2] = {t1, cross(at.n, t1)};
  V3 still{0.0, 0.0, 0.0};  // what of the slip velocity does not depend on the solution
  ContactSlip turn{};       // and what lets friction act against the slip where the step begins
  if (linearises_anew(options) && h > 0.0) {
    const V3 begin = core_at_start(s, c, about);
    const V3 slip = (1.0 / h) * slip_to_end(s, c, begin, about, h);
    const NearPair& pair = s.pairs[c.pair];
    // what deflects along the surface need not slip
    const bool springs = c.shell == contact_soft && pair_shell(*s.model, pair).tangential_stiffness > 0.0;
    if (!springs && goes_on(s, pair, options))
      turn = turn_at_contact(s, c, begin, slip, at.p, at.n, friction_arms(s, pair), h);
    still = turn.slide + slip - (point_velocity(s.nu, c.body_b, fb) - point_velocity(s.nu, c.body_a, fa));
  }
  for (int k = 0; k < 2; ++k) {
    const Wrench wa{-t[k], -cross(fa, t[k])};
    const Wrench wb{t[k], cross(fb, t[k])};
    set_row(s, s.rows[block.first_row + 1 + k], c.body_a, wa, wa, c.body_b, wb, wb, dot(t[k], still), false);
  }
  if (block.row_count > 3) moment_rows(s, c, block, t, turn.turn);
}

// Scenes in 3D have no support points: bodies stand on contacts.
PEGRASP_HD inline void support_rows(const SceneView&, int, const Block&, const StepOptions&) {}

// Coordinate of a motor that drives a body along a fixed axis; src/model/ refuses motors that would turn it.
PEGRASP_HD inline double body_coordinate(const SceneView& s, int k) {
  return dot(motor_axis(*s.model, k), position(s.pose, s.model->actuator_body[k]));
}
PEGRASP_HD inline void body_drive_row(const SceneView& s, int k, Row& row, double bias, double compliance) {
  const int body = s.model->actuator_body[k];
  const Wrench none{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const Wrench pull{motor_axis(*s.model, k), none.torque};
  set_row(s, row, body, pull, pull, body, none, none, bias, s.tally->pass > 0, compliance);
}

// Rows of a motor that pushes the centre of mass along d, and that turns the body about axis x, y or z of the world (0,
// 1, 2). bias [m/s | rad/s].
PEGRASP_HD inline void wrench_row(const SceneView& s, Row& row, int body, const Wrench& pull, double bias) {
  const Wrench none{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  set_row(s, row, body, pull, pull, body, none, none, bias, s.tally->pass > 0);
}
PEGRASP_HD inline void push_row(const SceneView& s, Row& row, int body, V3 d, double bias) {
  wrench_row(s, row, body, {d, {0.0, 0.0, 0.0}}, bias);
}
PEGRASP_HD inline void turn_row(const SceneView& s, Row& row, int body, int axis, double bias) {
  const V3 about{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
  wrench_row(s, row, body, {{0.0, 0.0, 0.0}, about}, bias);
}

PEGRASP_HD inline Wrench operator*(double factor, const Wrench& w) { return {factor * w.force, factor * w.torque}; }
PEGRASP_HD inline JointGradient operator*(double factor, const JointGradient& g) {
  return {factor * g.a, factor * g.b};
}

// Returns J with J_l(h w) applied, and subtracts J nu of the body's present velocity from the bias.
PEGRASP_HD inline Wrench through_turn(const SceneView& s, int body, Wrench j, double h, double& bias) {
  const V3 w = angular(s.nu, body);
  bias -= dot(j.force, linear(s.nu, body)) + dot(j.torque, w);  // J_l(h w) w = w
  j.torque = through_exponential(j.torque, h * w);
  return j;
}

// Row of a joint. j: gradient where the step is linearised; g: at its start. `bias`: at the end pose of the
// linearisation. h = 0: the row constrains the velocity alone in every pass.
PEGRASP_HD inline void set_joint_row(const SceneView& s, Row& row, int joint, JointGradient j, const JointGradient& g,
                                     double bias, double compliance, double h) {
  const int b = s.model->joint_body_b[joint];
  const int a = s.model->joint_body_a[joint];
  if (h > 0.0 && s.tally->pass > 0) {
    j.b = through_turn(s, b, j.b, h, bias);
    if (a >= 0) j.a = through_turn(s, a, j.a, h, bias);
  }
  if (a >= 0) {
    set_row(s, row, a, j.a, g.a, b, j.b, g.b, bias, s.tally->pass > 0, compliance);
    return;
  }
  const Wrench none{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  set_row(s, row, b, j.b, g.b, b, none, none, bias, s.tally->pass > 0, compliance);
}

// Stores the friction of a contact for the next solve, as vectors in the world, so that other tangents can use it.
PEGRASP_HD inline void tangent_of(const SceneView& s, const Block& block, const SolverReal* p, double* tangent) {
  V3 sum{0.0, 0.0, 0.0};
  V3 moment{0.0, 0.0, 0.0};
  const V3 n = s.contacts[block.owner].push;
  const V3 t1 = any_across(n);
  const V3 t2 = cross(n, t1);
  if (block.row_count > 1) sum = static_cast<double>(p[1]) * t1 + static_cast<double>(p[2]) * t2;
  // the rows of moments: torsion, rolling, or both
  if (block.row_count == 4 || block.row_count == 6) moment = static_cast<double>(p[3]) * n;
  if (block.row_count > 4) {
    const SolverReal* q = p + block.row_count - 2;
    moment = moment + static_cast<double>(q[0]) * t1 + static_cast<double>(q[1]) * t2;
  }
  store3(sum, tangent);
  store3(moment, tangent + 3);
}
PEGRASP_HD inline void tangent_to(const SceneView& s, const Block& block, const double* tangent, SolverReal* p) {
  if (block.row_count == 1) return;
  const V3 n = s.contacts[block.owner].push;
  const V3 t1 = any_across(n);
  const V3 t2 = cross(n, t1);
  const V3 moment = load3(tangent + 3);
  p[1] = static_cast<SolverReal>(dot(t1, load3(tangent)));
  p[2] = static_cast<SolverReal>(dot(t2, load3(tangent)));
  if (block.row_count == 4 || block.row_count == 6) p[3] = static_cast<SolverReal>(dot(n, moment));
  if (block.row_count <= 4) return;
  p[block.row_count - 2] = static_cast<SolverReal>(dot(t1, moment));
  p[block.row_count - 1] = static_cast<SolverReal>(dot(t2, moment));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
