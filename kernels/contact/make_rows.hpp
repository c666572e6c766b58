// SPDX-License-Identifier: Apache-2.0
// The constraint rows of a step: contacts with Coulomb friction, support points, motors, joints. The contents of rows
// depend on the dimension (kernels/planar/rows.hpp, kernels/spatial/rows.hpp); their numbering and the bounds that they
// share do not.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/rows.hpp"
#else
#include "kernels/planar/rows.hpp"
#include "kernels/planar/support.hpp"
#endif
#include "kernels/contact/shell_rows.hpp"
#include "kernels/joint/joint_rows.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Fills the rows of a block by its kind.
PEGRASP_HD inline void block_rows(const SceneView& s, Block& block, const StepOptions& options) {
  switch (block.kind) {
    case block_contact:
      contact_rows(s, s.contacts[block.owner], block, options);
      if (s.contacts[block.owner].shell == contact_soft) {
        Contact& c = s.contacts[block.owner];
        soften(s, c, block, about_motion(s, s.pairs[c.pair]), options);
      }
      break;
    case block_disc:
      support_rows(s, block.owner, block, options);
      break;
    case block_joint:
      joint_rows(s, block.owner, block, options);
      break;
    case block_limit:
      limit_row(s, block.owner, s.rows[block.first_row], options);
      break;
    case block_coupling:
      coupling_row(s, block.owner, s.rows[block.first_row], options);
      break;
    case block_clamp:
      actuator_rows(s, block.owner, s.rows + block.first_row, options.h);
      break;
  }
}

// Largest impulse [N s] that a support point gives where a (sub)step of h [s] begins, and that a servo gives.
PEGRASP_HD inline double support_bound(const SceneView& s, int point, double h) {
  const int at = s.model->at.support + ParameterLayout::support_stride * point;
  const double load = s.parameter(at + ParameterLayout::support_load);
  return kick_time(s, s.model->support_body[point], h) * s.parameter(at + ParameterLayout::support_friction) * load;
}
PEGRASP_HD inline double servo_bound(const SceneView& s, int k, double h) {
  const int at = s.model->at.actuator + ParameterLayout::actuator_stride * k;
  return servo_time(s, k, h) * s.parameter(at + ParameterLayout::actuator_limit);
}

PEGRASP_HD inline bool is_servo(const ModelView& m, int actuator) {
  return m.actuator_kind[actuator] != static_cast<int>(ActuatorKind::force);
}

// Whether a joint takes part in the attempt: both bodies are present and it belongs to the island at hand.
PEGRASP_HD inline bool takes_part(const SceneView& s, int joint) {
  return joint_present(s, joint) && joint_active(s, joint);
}

// Numbers blocks and rows in a fixed order: contacts pair by pair, support points, servos, joints, couplings; then the
// gap-only rows.
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
      // Contacts are packed so that the contact index is the block index; places that a pair did not use are closed.
      if (contacts != pair.first_contact + i) s.contacts[contacts] = s.contacts[pair.first_contact + i];
      add(block_contact, mu > 0.0 ? friction_rows(s, pair) + 1 : 1, contacts, mu);
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
    if (!actuator_active(s, k) || (m.actuator_joint[k] >= 0 && !takes_part(s, m.actuator_joint[k]))) continue;
    add(block_clamp, motor_rows_of(m, k), k, servo_bound(s, k, options.h));
  }
  for (int k = 0; k < m.joint_count; ++k) {
    if (!takes_part(s, k)) continue;
    add(block_joint, joint_rows_of(m.joint_kind[k]), k, 0.0);
    for (int freedom = 0; freedom < 2; ++freedom) {
      if (has_limit(m, k, freedom)) add(block_limit, 1, 2 * k + freedom, 0.0);
    }
  }
  for (int k = 0; k < m.coupling_count; ++k) {
    if (!takes_part(s, coupling_joint(m, k, 0)) || !takes_part(s, coupling_joint(m, k, 1))) continue;
    for (int half = 0; half < 2; ++half) add(block_coupling, 1, 2 * k + half, 0.0);
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

// Lists the rows of every body in row order: the impulses that change its velocity. Bodies that cannot move have none.
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

// The velocity that an impulse of 1 in row `by` gives row `of`.
PEGRASP_HD inline SolverReal response(const Row& of, const Row& by) {
  SolverReal sum = 0;
  for (int k = 0; k < dof; ++k) {
    if (of.body_a == by.body_a) sum += of.ja[k] * by.wa[k];
    if (of.body_a == by.body_b) sum += of.ja[k] * by.wb[k];
    if (of.body_b == by.body_a) sum += of.jb[k] * by.wa[k];
    if (of.body_b == by.body_b) sum += of.jb[k] * by.wb[k];
  }
  return sum;
}

// The same of one half of a coupling. Its impulse acts in both, so that D~ is the sum of both.
template <class Entries>
PEGRASP_HD inline void scale_coupling(const SceneView& s, const Block& half, const Entries& entries) {
  const Block& first = half.owner % 2 == 0 ? half : *(&half - 1);
  const Row* const row[2] = {s.rows + first.first_row, s.rows + (&first + 1)->first_row};
  SolverReal scale = 0;
  SolverReal diagonal = 0;
  for (int i = 0; i < 2; ++i) {
    SolverReal split_a = 0;
    SolverReal split_b = 0;
    for (int k = 0; k < dof; ++k) {
      split_a += row[i]->ja[k] * row[i]->wa[k];
      split_b += row[i]->jb[k] * row[i]->wb[k];
    }
    scale += static_cast<SolverReal>(entries(row[i]->body_a)) * split_a +
             static_cast<SolverReal>(entries(row[i]->body_b)) * split_b;
    diagonal += response(*row[i], *row[0]) + response(*row[i], *row[1]);
  }
  s.rows[half.first_row].scale = scale;
  s.rows[half.first_row].diagonal = diagonal;
}

// The mass-split diagonal D~ of a block. A body shared by n rows gives each an n-th of itself: D~ = sum over the row's
// bodies of n J M^-1 J^T, so that J M^-1 J^T <= diag(D~). Rows that share a bound (of a disc; the tangents of a contact
// in 3D) share the largest value, so that the projection leans towards no axis; their diagonal bounds the matrix of the
// block (by row sums). entries(body): number of rows on a body that can move, 0 for others.
template <class Entries>
PEGRASP_HD inline void scale_block(const SceneView& s, const Block& block, const Entries& entries) {
  if (block.kind == block_coupling && block.row_count > 0) {
    scale_coupling(s, block, entries);
    return;
  }
  SolverReal largest = 0;
  SolverReal row_sum = 0;
  const int end = block.first_row + block.row_count;
  const int first_bounded = first_bounded_row(block);
  const bool together = end - first_bounded > 1;
  for (int i = block.first_row; i < end; ++i) {
    Row& row = s.rows[i];
    SolverReal split_a = 0;
    SolverReal split_b = 0;
    for (int k = 0; k < dof; ++k) {
      split_a += row.ja[k] * row.wa[k];
      split_b += row.jb[k] * row.wb[k];
    }
    row.scale = static_cast<SolverReal>(entries(row.body_a)) * split_a +
                static_cast<SolverReal>(entries(row.body_b)) * split_b + row.compliance;
    if (!together || i < first_bounded) continue;
    largest = row.scale > largest ? row.scale : largest;
    SolverReal sum = row.compliance;
    for (int j = first_bounded; j < end; ++j) {
      SolverReal entry = 0;
      for (int k = 0; k < dof; ++k) entry += row.ja[k] * s.rows[j].wa[k] + row.jb[k] * s.rows[j].wb[k];
      sum += entry < 0 ? -entry : entry;
    }
    row_sum = sum > row_sum ? sum : row_sum;
  }
  for (int i = first_bounded; together && i < end; ++i) {
    s.rows[i].scale = largest;
    s.rows[i].diagonal = row_sum;
  }
}

// Carries the allowed overlap of a pair (kernels/solver/jammed.hpp) over to a contact: bodies that friction has jammed
// need not part by what the last solves allowed. The list of kept impulses is searched from `first` to `last`.
PEGRASP_HD inline void allow_overlap_as_before(const SceneView& s, Contact& c, int first, int last) {
  if (c.shell != contact_rigid) return;
  const NearPair& pair = s.pairs[c.pair];
  const WarmContact* list = s.warm[s.tally->warm_parity];
  double allowed_overlap = 0.0;
  for (int k = first; k < last; ++k) {
    if (list[k].part_a == pair.part_a && list[k].part_b == pair.part_b)
      allowed_overlap = max2(allowed_overlap, list[k].allowed_overlap);
  }
  c.allowed_overlap = max2(0.0, min2(allowed_overlap, -c.gap));
  c.target = min2(c.target, -c.allowed_overlap);
}

// Where the kept impulses at hand begin in their list. Those of an island come from the last step's list, then, pass by
// pass, from its own place in the list that the step will leave.
PEGRASP_HD inline int first_warm(const SceneView& s) { return has_islands ? s.tally->islands.warm_first : 0; }

// Makes contacts, blocks and rows of the pass at hand. In: modes and velocities. Out: s.contacts, s.blocks, s.rows,
// their counts in the tally, and the rows of every body.
template <class Team>
PEGRASP_HD_APART void make_rows(Team& team, SceneView& s, const StepOptions& options) {
  make_contacts(team, s, options);
  once(team, [&] { number_blocks(s, options); });
  if (s.tally->overlap_allowed != 0 && options.warm_start && s.tally->warm_h > 0.0) {
    const int last = s.tally->warm_count[s.tally->warm_parity];
    for_each(team, s.tally->contact_count,
             [&](int k) { allow_overlap_as_before(s, s.contacts[k], first_warm(s), last); });
  }
  if (s.model->shells == shells_deflect) {
    const int last = s.tally->warm_count[s.tally->warm_parity];
    for_each(team, s.tally->contact_count, [&](int k) { take_deflection(s, s.contacts[k], first_warm(s), last); });
  }
  for_each(team, s.tally->block_count, [&](int k) { block_rows(s, s.blocks[k], options); });
  once(team, [&] { number_adjacency(s); });
  const auto entries = [&s](int body) { return s.body_first_row[body + 1] - s.body_first_row[body]; };
  for_each(team, s.tally->block_count, [&](int k) { scale_block(s, s.blocks[k], entries); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
