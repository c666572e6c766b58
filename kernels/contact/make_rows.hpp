// SPDX-License-Identifier: Apache-2.0
// The constraint rows of a step: contacts with Coulomb friction, support points, motors.
//
// Every row is w = J nu + bias + compliance p with nu = nu_free + sum M^-1 J^T p:
//   normal       (psi(q_L) - target) / h + G (nu - nu_L) >= 0  _|_  p_n >= 0      nu_L = 0 at the start pose, else nu
//   tangential   t . (relative velocity at the contact point),  |p_t| <= mu p_n
//   support      velocity of the support point (two rows),      |p| <= h mu_s N   (Berard 3.25: the quadratic law)
//   servo        speed - target speed,                          |p| <= h limit
//   PD servo     F = K (x* - x1) - D v at the end of the step:  v - K (x* - x) / (h K + D) + p / (h (h K + D))
// Jacobian rows are taken about the centre of mass; impulses on a jaw's other coordinates are lost in its M^-1.
#pragma once

#include "contact/make_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline void set_row(const SceneView& s, Row& row, int body_a, const double* ja, int body_b, const double* jb,
                               double bias, double compliance) {
  double wa[dof] = {0.0, 0.0, 0.0};
  double wb[dof] = {0.0, 0.0, 0.0};
  apply_impulse(s, body_a, ja[0], ja[1], ja[2], wa);
  apply_impulse(s, body_b, jb[0], jb[1], jb[2], wb);
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

// Row of the relative velocity of b against a at the world point x along the direction d. Arms from the pose at hand.
PEGRASP_HD inline void point_row(const SceneView& s, Row& row, int body_a, int body_b, V2 x, V2 d, double bias) {
  const double* pose = s.tally->pass == 0 ? s.pose : s.end_pose;
  const double ja[dof] = {-d.x, -d.y, -cross(x - position(pose, body_a), d)};
  const double jb[dof] = {d.x, d.y, cross(x - position(pose, body_b), d)};
  set_row(s, row, body_a, ja, body_b, jb, bias, 0.0);
}

// The normal row's bias: the part of the end gap that does not depend on the solution.
PEGRASP_HD inline double gap_bias(const SceneView& s, int body_a, int body_b, V2 x, V2 n, double gap, double target,
                                  double h) {
  double bias = (gap - target) / h;
  if (s.tally->pass > 0) {
    const V2 relative_velocity = point_velocity(s.nu, body_b, x - position(s.end_pose, body_b)) -
                                 point_velocity(s.nu, body_a, x - position(s.end_pose, body_a));
    bias -= dot(n, relative_velocity);
  }
  return bias;
}

PEGRASP_HD inline void contact_rows(const SceneView& s, const Contact& c, Block& block, double h) {
  const V2 x{c.px, c.py};
  const V2 n{c.nx, c.ny};
  point_row(s, s.rows[block.first_row], c.body_a, c.body_b, x, n,
            gap_bias(s, c.body_a, c.body_b, x, n, c.gap, c.target, h));
  if (block.row_count > 1) point_row(s, s.rows[block.first_row + 1], c.body_a, c.body_b, x, perp(n), 0.0);
  for (int k = 0; k < c.alternative_count; ++k) {
    const Alternative& a = s.alternatives[c.first_alternative + k];
    const V2 ax{a.px, a.py};
    const V2 an{a.nx, a.ny};
    point_row(s, s.rows[block.first_alternative + k], a.body_a, a.body_b, ax, an,
              gap_bias(s, a.body_a, a.body_b, ax, an, a.gap, c.target, h));
  }
}

PEGRASP_HD inline void support_rows(const SceneView& s, int point, const Block& block) {
  const int body = s.model->support_body[point];
  const int at = s.model->at_support + ParameterLayout::support_stride * point;
  const V2 r = rotate(start_frame(s, body), {s.parameter(at), s.parameter(at + 1)});
  const double none[dof] = {0.0, 0.0, 0.0};
  const double jx[dof] = {1.0, 0.0, -r.y};
  const double jy[dof] = {0.0, 1.0, r.x};
  set_row(s, s.rows[block.first_row], body, jx, body, none, 0.0, 0.0);
  set_row(s, s.rows[block.first_row + 1], body, jy, body, none, 0.0, 0.0);
}

PEGRASP_HD inline double actuator_coordinate(const SceneView& s, int k) {
  const ModelView& m = *s.model;
  const double* pose = s.pose + 3 * m.actuator_body[k];
  return m.actuator_rotary[k] ? pose[2] : m.actuator_axis[2 * k] * pose[0] + m.actuator_axis[2 * k + 1] * pose[1];
}

PEGRASP_HD inline void actuator_row(const SceneView& s, int k, Row& row, double h) {
  const ModelView& m = *s.model;
  const int body = m.actuator_body[k];
  const int at = m.at_actuator + ParameterLayout::actuator_stride * k;
  const double target = s.parameter(at);
  double bias = -target;
  double compliance = 0.0;
  if (m.actuator_kind[k] == static_cast<int>(ActuatorKind::position_servo)) {
    const double stiffness = s.parameter(at + 2);
    const double gain = h * stiffness + s.parameter(at + 3);
    bias = gain > 0.0 ? -stiffness * (target - actuator_coordinate(s, k)) / gain : 0.0;
    compliance = gain > 0.0 ? 1.0 / (h * gain) : 1e30;
  }
  const double none[dof] = {0.0, 0.0, 0.0};
  const bool rotary = m.actuator_rotary[k] != 0;
  const double j[dof] = {rotary ? 0.0 : m.actuator_axis[2 * k], rotary ? 0.0 : m.actuator_axis[2 * k + 1],
                         rotary ? 1.0 : 0.0};
  set_row(s, row, body, j, body, none, bias, compliance);
}

PEGRASP_HD inline void block_rows(const SceneView& s, Block& block, double h) {
  switch (block.kind) {
    case block_contact:
      contact_rows(s, s.contacts[block.owner], block, h);
      break;
    case block_disc:
      support_rows(s, block.owner, block);
      break;
    default:
      actuator_row(s, block.owner, s.rows[block.first_row], h);
      break;
  }
}

// Largest impulse that a support point gives in h, and a servo.
PEGRASP_HD inline double support_bound(const SceneView& s, int point, double h) {
  const int at = s.model->at_support + ParameterLayout::support_stride * point;
  return h * s.parameter(at + 3) * s.parameter(at + 2);
}
PEGRASP_HD inline double servo_bound(const SceneView& s, int k, double h) {
  return h * s.parameter(s.model->at_actuator + ParameterLayout::actuator_stride * k + 1);
}

PEGRASP_HD inline bool is_servo(const ModelView& m, int actuator) {
  return m.actuator_kind[actuator] != static_cast<int>(ActuatorKind::force);
}

// Numbers blocks and rows in a fixed order: contacts pair by pair, support points, servos; then the gap-only rows.
PEGRASP_HD inline void number_blocks(const SceneView& s, const StepOptions& options) {
  const ModelView& m = *s.model;
  SceneTally& t = *s.tally;
  int blocks = 0;
  int rows = 0;
  int contacts = 0;
  const auto add = [&](int kind, int count, int owner, double bound) {
    s.blocks[blocks++] = {kind, rows, count, owner, 0, 0, static_cast<SolverReal>(bound)};
    for (int i = 0; i < count; ++i) s.row_block[rows + i] = blocks - 1;
    rows += count;
  };
  for (int k = 0; k < t.pair_count; ++k) {
    const NearPair& pair = s.pairs[k];
    for (int i = 0; i < pair.contact_count; ++i) {
      const double mu = s.contacts[pair.first_contact + i].mu;
      // Contacts are packed so that contact index = block index; room that a pair did not use is closed.
      if (contacts != pair.first_contact + i) s.contacts[contacts] = s.contacts[pair.first_contact + i];
      add(block_contact, mu > 0.0 ? 2 : 1, contacts, mu);
      ++contacts;
    }
    s.pairs[k].first_contact = contacts - pair.contact_count;
  }
  t.contact_count = contacts;
  for (int point = 0; point < m.support_count; ++point) {
    if (!s.present[m.support_body[point]]) continue;
    add(block_disc, 2, point, support_bound(s, point, options.h));
  }
  for (int k = 0; k < m.actuator_count; ++k) {
    if (!is_servo(m, k) || !s.present[m.actuator_body[k]]) continue;
    add(block_clamp, 1, k, servo_bound(s, k, options.h));
  }
  t.row_count = rows;
  t.block_count = blocks;
  for (int i = 0; i < contacts; ++i) {
    s.blocks[i].first_alternative = rows;
    s.blocks[i].alternative_count = s.contacts[i].alternative_count;
    rows += s.contacts[i].alternative_count;
  }
  t.alternative_count = rows - t.row_count;
}

// Rows by body, in row order: who sums which impulses. Bodies that cannot move have none.
PEGRASP_HD inline void number_adjacency(const SceneView& s) {
  const int nb = s.model->body_count;
  int* first = s.body_first_row;
  for (int b = 0; b <= nb; ++b) first[b] = 0;
  const int rows = s.tally->row_count;
  for (int i = 0; i < rows; ++i) {
    const Row& row = s.rows[i];
    if (is_dynamic(s, row.body_a)) ++first[row.body_a + 1];
    if (row.body_b != row.body_a && is_dynamic(s, row.body_b)) ++first[row.body_b + 1];
  }
  for (int b = 0; b < nb; ++b) first[b + 1] += first[b];
  for (int i = 0; i < rows; ++i) {
    const Row& row = s.rows[i];
    if (is_dynamic(s, row.body_a)) s.body_row[first[row.body_a]++] = 2 * i;
    if (row.body_b != row.body_a && is_dynamic(s, row.body_b)) s.body_row[first[row.body_b]++] = 2 * i + 1;
  }
  for (int b = nb; b > 0; --b) first[b] = first[b - 1];
  first[0] = 0;
}

// Mass splitting: a body shared by n rows gives each a n-th of itself, D~ = sum over the row's bodies of n J M^-1 J^T, so
// that J M^-1 J^T <= diag(D~). Rows of a disc share the largest, lest the projection lean towards an axis; the diagonal
// of such a block bounds its own matrix (row sums).
// entries(body): rows on a body that can move, 0 for others.
template <class Entries>
PEGRASP_HD inline void scale_block(const SceneView& s, const Block& block, const Entries& entries) {
  SolverReal largest = 0;
  SolverReal row_sum = 0;
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    Row& row = s.rows[i];
    SolverReal split_a = 0;
    SolverReal split_b = 0;
    for (int k = 0; k < dof; ++k) {
      split_a += row.ja[k] * row.wa[k];
      split_b += row.jb[k] * row.wb[k];
    }
    row.scale = static_cast<SolverReal>(entries(row.body_a)) * split_a +
                static_cast<SolverReal>(entries(row.body_b)) * split_b + row.compliance;
    largest = row.scale > largest ? row.scale : largest;
    if (block.kind != block_disc) continue;
    SolverReal sum = 0;
    for (int j = block.first_row; j < block.first_row + block.row_count; ++j) {
      SolverReal entry = 0;
      for (int k = 0; k < dof; ++k) entry += row.ja[k] * s.rows[j].wa[k];
      sum += entry < 0 ? -entry : entry;
    }
    row_sum = sum > row_sum ? sum : row_sum;
  }
  for (int i = block.first_row; block.kind == block_disc && i < block.first_row + block.row_count; ++i) {
    s.rows[i].scale = largest;
    s.rows[i].diagonal = row_sum;
  }
}

template <class Team>
PEGRASP_HD void make_rows(Team& team, SceneView& s, const StepOptions& options) {
  make_contacts(team, s, options);
  once(team, [&] { number_blocks(s, options); });
  for_each(team, s.tally->block_count, [&](int k) { block_rows(s, s.blocks[k], options.h); });
  once(team, [&] { number_adjacency(s); });
  const auto entries = [&s](int body) { return s.body_first_row[body + 1] - s.body_first_row[body]; };
  for_each(team, s.tally->block_count, [&](int k) { scale_block(s, s.blocks[k], entries); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
