// SPDX-License-Identifier: Apache-2.0
// The rows of planar contacts and support points, and what joint/joint_rows.hpp needs to make others.
//
// Every row is w = J nu + bias + compliance p with nu = nu_free + sum M^-1 J^T p:
//   normal       (psi(q_L) - target) / h + G (nu - nu_L) >= 0  _|_  p_n >= 0      nu_L = 0 at the start pose, else nu;
//                G is that at the start where the contact is closed there, and the mean of both ends where it closes
//                within the step and that at the end would do work on the bodies
//   tangential   t . slip(q_L) / h + J_t (nu - nu_L),  |p_t| <= mu p_n; slip: from the start to the pose q_L that nu_L
//                leads to, in the first pass that of the free motion (kernels/planar/at_start.hpp)
//   support      slip of the support point (two rows, kernels/planar/support.hpp),
//                                                               |p| <= k mu_s N   (Berard 3.25: the quadratic law)
// Jacobian rows are taken about the centre of mass; impulses on a jaw's other coordinates are lost in its M^-1.
#pragma once

#include "kernels/contact/make_contacts.hpp"
#include "kernels/planar/at_start.hpp"
#include "kernels/planar/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Writes a row between two bodies. j: gradients of the velocity; g: directions of the impulse; bias [m/s]; compliance
// [m/s per N s].
PEGRASP_HD inline void set_row(const SceneView& s, Row& row, int body_a, const double* ja, const double* ga, int body_b,
                               const double* jb, const double* gb, double bias, double compliance) {
  double wa[dof] = {0.0, 0.0, 0.0};
  double wb[dof] = {0.0, 0.0, 0.0};
  apply_impulse(s, body_a, ga[0], ga[1], ga[2], wa);
  apply_impulse(s, body_b, gb[0], gb[1], gb[2], wb);
  double diagonal = compliance;
  for (int i = 0; i < dof; ++i) diagonal += ja[i] * wa[i] + jb[i] * wb[i];
  for (int i = 0; i < dof; ++i) {
    row.ja[i] = static_cast<SolverReal>(ja[i]);
    row.jb[i] = static_cast<SolverReal>(jb[i]);
    row.wa[i] = static_cast<SolverReal>(wa[i]);
    row.wb[i] = static_cast<SolverReal>(wb[i]);
  }
  row.bias = static_cast<SolverReal>(bias);
  row.compliance = static_cast<SolverReal>(compliance);
  row.diagonal = static_cast<SolverReal>(diagonal);
  row.body_a = body_a;
  row.body_b = body_b;
}

PEGRASP_HD inline void set_row(const SceneView& s, Row& row, int body_a, const double* ja, int body_b, const double* jb,
                               double bias, double compliance) {
  set_row(s, row, body_a, ja, ja, body_b, jb, jb, bias, compliance);
}

// Row of the relative velocity of b against a at the world point x along the direction d. Arms from the pose at hand.
PEGRASP_HD inline void point_row(const SceneView& s, Row& row, int body_a, int body_b, V2 x, V2 d, double bias) {
  const double* pose = s.tally->contacts_later == 0 ? s.pose : s.end_pose;
  const double ja[dof] = {-d.x, -d.y, -cross(x - position(pose, body_a), d)};
  const double jb[dof] = {d.x, d.y, cross(x - position(pose, body_b), d)};
  set_row(s, row, body_a, ja, body_b, jb, bias, 0.0);
}

// The normal row's bias: the part of the end gap that does not depend on the solution. gap: less its target.
PEGRASP_HD inline double gap_bias(const SceneView& s, int body_a, int body_b, V2 x, V2 n, double gap,
                                  const StepOptions& options) {
  double bias = closing_speed(gap, options);
  if (s.tally->contacts_later != 0) {
    const V2 relative_velocity = point_velocity(s.nu, body_b, x - position(s.end_pose, body_b)) -
                                 point_velocity(s.nu, body_a, x - position(s.end_pose, body_a));
    bias -= dot(n, relative_velocity);
  }
  return bias;
}

// Rows that share a contact's friction bound.
PEGRASP_HD inline int friction_rows(const SceneView&, const NearPair&) { return contact_rows_most - 1; }

// The gradient of the velocity of b against a at the world point x along d; arms from these poses.
struct PointGradient {
  double a[dof], b[dof];
};
PEGRASP_HD inline PointGradient point_gradient(const double* pose, const Contact& c, V2 x, V2 d) {
  return {{-d.x, -d.y, -cross(x - position(pose, c.body_a), d)}, {d.x, d.y, cross(x - position(pose, c.body_b), d)}};
}
PEGRASP_HD inline double along(const double* nu, const Contact& c, const PointGradient& j) {
  double sum = 0.0;
  for (int i = 0; i < dof; ++i) sum += j.a[i] * nu[dof * c.body_a + i] + j.b[i] * nu[dof * c.body_b + i];
  return sum;
}
PEGRASP_HD inline double along(const SceneView& s, const Contact& c, const PointGradient& j) {
  return along(s.nu, c, j);
}

// The normal row of a contact that is linearised at an end pose and was closed at the start: the gap is that at the end
// pose, the gradient that at the start, so that what a pass gets wrong the next one sees in the gap.
PEGRASP_HD inline void closed_row(const SceneView& s, Row& row, const Contact& c, const ContactAtStart& at,
                                  const StepOptions& options) {
  const PointGradient g = point_gradient(s.pose, c, at.p, at.n);
  const double bias = closing_speed(c.gap - c.target, options) - along(s, c, g);
  set_row(s, row, c.body_a, g.a, c.body_b, g.b, bias, 0.0);
}

// The row of friction along t at the contact point x; pose: where x is taken.
PEGRASP_HD inline void friction_row(const SceneView& s, Row& row, const Contact& c, V2 x, V2 t, const double* pose,
                                    const StepOptions& options) {
  const PointGradient j = point_gradient(pose, c, x, t);
  double bias = 0.0;
  if (linearises_anew(options) && options.h > 0.0) {
    bias = dot(t, slip_to_end(s, c, s.tally->contacts_later != 0)) / options.h - along(s, c, j);
  }
  set_row(s, row, c.body_a, j.a, c.body_b, j.b, bias, 0.0);
}

// Whether an impulse along the gradient at the end pose would do work on the bodies of a contact that closes within the
// step, as at a corner that a body rolls over; or may do so, where the body turns far.
PEGRASP_HD inline bool would_do_work(const SceneView& s, const Contact& c, double parting, const PointGradient& at_end,
                                     const StepOptions& options) {
  if (!remembers_motion(*s.model)) return false;
  return parting + along(s.free_twist, c, at_end) > 0.0 || (parting > 0.0 && turns_far(s, c, options));
}

// Rows of such a contact. Along the mean of the gradients at the start and at the end an impulse takes energy, as the
// mean tells by how much the gap changes.
PEGRASP_HD inline PointGradient mean_of(const PointGradient& x, const PointGradient& y) {
  PointGradient out;
  for (int i = 0; i < dof; ++i) {
    out.a[i] = 0.5 * (x.a[i] + y.a[i]);
    out.b[i] = 0.5 * (x.b[i] + y.b[i]);
  }
  return out;
}
PEGRASP_HD inline void passing_rows(const SceneView& s, Contact& c, const Block& block, const ContactAtStart& before,
                                    const StepOptions& options) {
  const PointGradient g =
      mean_of(point_gradient(s.pose, c, before.p, before.n), point_gradient(s.end_pose, c, c.p, c.n));
  const double bias = closing_speed(c.gap - c.target, options) - along(s, c, g);
  set_row(s, s.rows[block.first_row], c.body_a, g.a, c.body_b, g.b, bias, 0.0);
  c.at = 0.5 * (before.p + c.p);
  c.push = (1.0 / max2(norm(before.n + c.n), 1e-9)) * (before.n + c.n);
  if (block.row_count == 1) return;
  const V2 t = 0.5 * (perp(before.n) + perp(c.n));
  const PointGradient j =
      mean_of(point_gradient(s.pose, c, before.p, perp(before.n)), point_gradient(s.end_pose, c, c.p, perp(c.n)));
  const double slip = dot(t, slip_to_end(s, c, true)) / options.h - along(s, c, j);
  set_row(s, s.rows[block.first_row + 1], c.body_a, j.a, c.body_b, j.b, slip, 0.0);
}

// Whether an impulse along the gradient at the start moves the contact much as one along that at the end does. If not,
// the nearest point of a flat smooth part has moved along it too far, and the directions of the end are taken.
PEGRASP_HD inline bool acts_alike(const SceneView& s, const Contact& c, const PointGradient& at_start,
                                  const PointGradient& at_end) {
  if (!moves_along_part(s, c)) return true;
  double own[2 * dof] = {};
  double both[2 * dof] = {};
  apply_impulse(s, c.body_a, at_start.a[0], at_start.a[1], at_start.a[2], own);
  apply_impulse(s, c.body_b, at_start.b[0], at_start.b[1], at_start.b[2], own + dof);
  apply_impulse(s, c.body_a, at_end.a[0], at_end.a[1], at_end.a[2], both);
  apply_impulse(s, c.body_b, at_end.b[0], at_end.b[1], at_end.b[2], both + dof);
  double cross_term = 0.0;
  double start_term = 0.0;
  double end_term = 0.0;
  for (int i = 0; i < dof; ++i) {
    cross_term += at_end.a[i] * own[i] + at_end.b[i] * own[dof + i];
    start_term += at_start.a[i] * own[i] + at_start.b[i] * own[dof + i];
    end_term += at_end.a[i] * both[i] + at_end.b[i] * both[dof + i];
  }
  constexpr double alike = 0.8;
  return cross_term >= alike * max2(start_term, end_term);
}

PEGRASP_HD inline void contact_rows(const SceneView& s, Contact& c, Block& block, const StepOptions& options) {
  const bool about = s.tally->contacts_later != 0;
  Row& normal = s.rows[block.first_row];
  ContactAtStart at{c.p, c.n, 0.0};
  bool start = false;
  if (about) {
    const ContactAtStart before = at_start(s, c);
    const bool closed = was_closed(before, options);
    const PointGradient at_end = point_gradient(s.end_pose, c, c.p, c.n);
    const double parting = along(s, c, at_end);
    if (!closed && would_do_work(s, c, parting, at_end, options) && linearises_anew(options)) {
      passing_rows(s, c, block, before, options);
      return;
    }
    start = closed && (s.tally->pass < passes_from_start || (parting > 0.0 && turns_far(s, c, options))) &&
            acts_alike(s, c, point_gradient(s.pose, c, before.p, before.n), at_end);
    if (start) at = before;
  }
  if (start) {
    closed_row(s, normal, c, at, options);
  } else {
    point_row(s, normal, c.body_a, c.body_b, c.p, c.n,
              gap_bias(s, c.body_a, c.body_b, c.p, c.n, c.gap - c.target, options));
  }
  c.at = at.p;
  c.push = at.n;
  if (block.row_count > 1) {
    friction_row(s, s.rows[block.first_row + 1], c, at.p, perp(at.n), about && !start ? s.end_pose : s.pose, options);
  }
  for (int k = 0; k < c.alternative_count; ++k) {
    const Alternative& a = s.alternatives[c.first_alternative + k];
    point_row(s, s.rows[block.first_alternative + k], a.body_a, a.body_b, a.p, a.n,
              gap_bias(s, a.body_a, a.body_b, a.p, a.n, a.gap - c.target, options));
  }
}

// Coordinate of a motor that drives a body along a fixed axis.
PEGRASP_HD inline double body_coordinate(const SceneView& s, int k) {
  const ModelView& m = *s.model;
  const double* pose = s.pose + 3 * m.actuator_body[k];
  return m.actuator_rotary[k] ? pose[2] : m.actuator_axis[2 * k] * pose[0] + m.actuator_axis[2 * k + 1] * pose[1];
}

PEGRASP_HD inline void body_drive_row(const SceneView& s, int k, Row& row, double bias, double compliance) {
  const ModelView& m = *s.model;
  const int body = m.actuator_body[k];
  const double none[dof] = {0.0, 0.0, 0.0};
  const bool rotary = m.actuator_rotary[k] != 0;
  const double j[dof] = {rotary ? 0.0 : m.actuator_axis[2 * k], rotary ? 0.0 : m.actuator_axis[2 * k + 1],
                         rotary ? 1.0 : 0.0};
  set_row(s, row, body, j, body, none, bias, compliance);
}

// Rows of a motor that pushes the centre of mass along d, and that turns the body. bias [m/s | rad/s].
PEGRASP_HD inline void push_row(const SceneView& s, Row& row, int body, V2 d, double bias) {
  const double none[dof] = {0.0, 0.0, 0.0};
  const double j[dof] = {d.x, d.y, 0.0};
  set_row(s, row, body, j, body, none, bias, 0.0);
}
PEGRASP_HD inline void turn_row(const SceneView& s, Row& row, int body, int, double bias) {
  const double none[dof] = {0.0, 0.0, 0.0};
  const double j[dof] = {0.0, 0.0, 1.0};
  set_row(s, row, body, j, body, none, bias, 0.0);
}

PEGRASP_HD inline JointGradient operator*(double factor, JointGradient g) {
  for (int i = 0; i < dof; ++i) {
    g.a[i] *= factor;
    g.b[i] *= factor;
  }
  return g;
}

// Row of a joint. j: gradient where the step is linearised; g: at its start. `bias`: at the end pose of the
// linearisation. h = 0: the row constrains the velocity alone in every pass.
PEGRASP_HD inline void set_joint_row(const SceneView& s, Row& row, int joint, const JointGradient& j,
                                     const JointGradient& g, double bias, double compliance, double h) {
  const int b = s.model->joint_body_b[joint];
  const int a = s.model->joint_body_a[joint];
  if (h > 0.0 && s.tally->pass > 0) {
    for (int i = 0; i < dof; ++i) bias -= j.b[i] * s.nu[dof * b + i];
    for (int i = 0; a >= 0 && i < dof; ++i) bias -= j.a[i] * s.nu[dof * a + i];
  }
  if (a >= 0) {
    set_row(s, row, a, j.a, g.a, b, j.b, g.b, bias, compliance);
    return;
  }
  const double none[dof] = {0.0, 0.0, 0.0};
  set_row(s, row, b, j.b, g.b, b, none, none, bias, compliance);
}

// Stores the friction of a contact for the next solve.
PEGRASP_HD inline void tangent_of(const SceneView&, const Block& block, const SolverReal* p, double* tangent) {
  tangent[0] = block.row_count > 1 ? static_cast<double>(p[1]) : 0.0;
}
PEGRASP_HD inline void tangent_to(const SceneView&, const Block& block, const double* tangent, SolverReal* p) {
  if (block.row_count > 1) p[1] = static_cast<SolverReal>(tangent[0]);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
