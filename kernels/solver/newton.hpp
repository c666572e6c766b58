// SPDX-License-Identifier: Apache-2.0
// Augmented Lagrangian with semismooth Newton, in the velocities of the bodies.
//
// For multipliers p_bar and penalties S (a large multiple of 1 / (J M^-1 J^T), row by row) the impulses follow from the
// velocities,
//   p(v) = proj_K(y(v)),   y_i = (p_bar_i - S_i (J_i v + bias_i)) / (1 + S_i C_i),
// and v is found from   R(v) = v - v_free - M^-1 J^T p(v) = 0   by Newton's method with the generalised Jacobian
//   I + M^-1 J^T P S J,   P in the derivative of proj_K (a slipping contact: dp_t = mu y_t / |y_t| dp_n).
// Then p_bar = p(v), until the natural map says solved. Redundant contacts (a jam, a stack) leave the Jacobian regular, and
// the number of unknowns is that of the bodies' freedoms, however many rows there are: small, stiff scenes converge in a
// handful of steps where first-order methods take thousands. Newton's method is not globalised: it is tried where a warm
// start or some iterations of AJ have all but found who sticks, slips and parts (solve.hpp).
#pragma once

#include "solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Penalties as multiples of 1 / (J M^-1 J^T): where they start, how they grow when the multipliers alone move (a scene at
// the brink of jamming answers to its multipliers ever more slowly), where round-off ends it.
#if defined(PEGRASP_FAST_ARITHMETIC)
constexpr Real first_stiffness = 30;
constexpr Real stiffness_growth = 8;
constexpr Real largest_stiffness = 2000;
#else
constexpr Real first_stiffness = 1e3;
constexpr Real stiffness_growth = 30;
constexpr Real largest_stiffness = 1e9;
#endif

// The block's impulses at velocities v, written to q.
PEGRASP_HD inline void lagrangian_impulses(const SceneView& s, const Block& block, Real stiffness, const Real* p_bar,
                                           const Real* v, Real* q) {
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    const Row& row = s.rows[i];
    q[i] = row.diagonal > 0 ? (row.diagonal * p_bar[i] - stiffness * row_velocity(row, v)) /
                                  (row.diagonal + stiffness * row.compliance)
                            : p_bar[i];
  }
}

constexpr Real held_residual = Real(1e6);

// What Newton's method makes of a block, beside the plain projection:
//   held_start  the first evaluation: a block whose multipliers lie inside their bounds (it stuck, and carried force) is
//               taken to do so still; the penalty would magnify the warm start's small velocities into slip.
//   held_swing  a friction or motor impulse that jumps from its bound to the opposite bound has passed the solution, which
//               lies between (an S-shaped law makes plain Newton swing for ever): for one step it is taken off its bound.
// Held impulses are not projected, and the residual is not yet a true one.
enum Hold : int { held_none = 0, held_start, held_swing };

// Unknowns of a body: its dof velocity components, or, where a joint leaves one translation, the speed along that.
PEGRASP_HD inline int unknown_count(const ModelView& m, int body) {
  return m.body_unknown[body] < 0 ? 0 : (m.body_slides[body] ? 1 : dof);
}
// A covector (Jacobian row) or a velocity of the body, in its unknowns.
PEGRASP_HD inline void to_unknowns(const ModelView& m, int body, const Real* x, Real* out) {
  if (m.body_slides[body]) {
    out[0] = static_cast<Real>(m.body_axis[2 * body]) * x[0] + static_cast<Real>(m.body_axis[2 * body + 1]) * x[1];
    return;
  }
  for (int i = 0; i < dof; ++i) out[i] = x[i];
}

// R(v) of one body in its unknowns: v - v_free - M^-1 J^T p.
PEGRASP_HD inline void newton_residual(const SceneView& s, int body, const Real* p, const Real* v, Real* r) {
  Real balance[dof];
  for (int i = 0; i < dof; ++i) balance[i] = v[dof * body + i] - static_cast<Real>(s.free_twist[dof * body + i]);
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int row = s.body_row[k] >> 1;
    const Real* w = (s.body_row[k] & 1) ? s.rows[row].wb : s.rows[row].wa;
    for (int i = 0; i < dof; ++i) balance[i] -= w[i] * p[row];
  }
  to_unknowns(*s.model, body, balance, r + dof * body);
}

// Row i of P S J for a block whose unprojected impulses are y: what multiplies the Jacobians of the block's rows, in
// `factor` (row_count). False when all are zero.
PEGRASP_HD inline bool projection_row(const SceneView& s, const Block& block, int held, Real stiffness, const Real* y,
                                      int i, Real* factor) {
  const Real* x = y + block.first_row;
  const int n = block.row_count;
  for (int k = 0; k < n; ++k) factor[k] = 0;
  int first = 0;
  Real radius = block.bound;
  if (block.kind == block_contact) {
    if (!(x[0] > 0) && held != held_start) return false;
    if (i == 0) factor[0] = 1;
    radius = block.bound * x[0];
    first = 1;
  }
  if (i >= first) {
    Real length2 = 0;
    for (int k = first; k < n; ++k) length2 += x[k] * x[k];
    if (held != held_none || !(length2 > radius * radius)) {
      factor[i] = 1;
    } else {
      const Real inverse = 1 / root(length2);
      const Real along = x[i] * inverse;
      if (first == 1) factor[0] = block.bound * along;
      if (n - first == 1 && first == 0) return false;
      for (int k = first; n - first > 1 && k < n; ++k) {
        factor[k] = (radius * inverse) * ((k == i ? Real(1) : Real(0)) - along * (x[k] * inverse));
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    const Row& row = s.rows[block.first_row + k];
    factor[k] *= stiffness / (row.diagonal + stiffness * row.compliance);
  }
  return true;
}

PEGRASP_HD inline void row_gradient(const SceneView& s, int row, Real stiffness, const Real* y, RowGradient& g) {
  constexpr int most_rows = 3;
  Real factor[most_rows];
  const int k = s.row_block[row];
  const Block& block = s.blocks[k];
  g.active = projection_row(s, block, s.block_held[k], stiffness, y, row - block.first_row, factor) ? 1 : 0;
  if (g.active == 0) return;
  Real ja[dof] = {0, 0, 0};
  Real jb[dof] = {0, 0, 0};
  for (int c = 0; c < block.row_count; ++c) {
    if (factor[c] == 0) continue;
    const Row& other = s.rows[block.first_row + c];
    for (int i = 0; i < dof; ++i) {
      ja[i] += factor[c] * other.ja[i];
      jb[i] += factor[c] * other.jb[i];
    }
  }
  to_unknowns(*s.model, s.rows[row].body_a, ja, g.a);
  to_unknowns(*s.model, s.rows[row].body_b, jb, g.b);
}

// Rows of the matrix that belong to `body`, the residual as last column.
PEGRASP_HD inline void newton_rows(const SceneView& s, int body, const RowGradient* gradient, const Real* r,
                                   Real* matrix, int n) {
  const ModelView& m = *s.model;
  const int first = m.body_unknown[body];
  const int count = unknown_count(m, body);
  const int width = n + 1;
  Real* out = matrix + first * width;
  for (int i = 0; i < count * width; ++i) out[i] = 0;
  for (int i = 0; i < count; ++i) {
    out[i * width + first + i] = 1;
    out[i * width + n] = r[dof * body + i];
  }
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int index = s.body_row[k] >> 1;
    const RowGradient& g = gradient[index];
    if (g.active == 0) continue;
    const Row& row = s.rows[index];
    Real w[dof];
    to_unknowns(m, body, (s.body_row[k] & 1) ? row.wb : row.wa, w);
    const int at_a = m.body_unknown[row.body_a];
    const int at_b = m.body_unknown[row.body_b];
    const int count_a = unknown_count(m, row.body_a);
    const int count_b = row.body_b == row.body_a ? 0 : unknown_count(m, row.body_b);
    for (int i = 0; i < count; ++i) {
      Real* line = out + i * width;
      for (int j = 0; j < count_a; ++j) line[at_a + j] += w[i] * g.a[j];
      for (int j = 0; j < count_b; ++j) line[at_b + j] += w[i] * g.b[j];
    }
  }
}

// Solves matrix x = last column by Gaussian elimination with partial pivoting; x replaces the last column (in the order of
// the unknowns). False when a pivot vanishes.
template <class Team>
PEGRASP_HD bool eliminate(Team& team, Real* matrix, int n) {
  const int width = n + 1;
  for (int c = 0; c < n; ++c) {
    // Every rank finds the same pivot.
    int pivot = c;
    Real largest = absolute(matrix[c * width + c]);
    for (int i = c + 1; i < n; ++i) {
      const Real size = absolute(matrix[i * width + c]);
      if (size > largest) {
        largest = size;
        pivot = i;
      }
    }
    team.sync();
    if (!(largest > 0) || !is_finite(static_cast<double>(largest))) return false;
    if (pivot != c) {
      for_each(team, width - c, [&](int k) {
        const Real t = matrix[c * width + c + k];
        matrix[c * width + c + k] = matrix[pivot * width + c + k];
        matrix[pivot * width + c + k] = t;
      });
    }
    for_each(team, n - c - 1, [&](int k) {
      Real* line = matrix + (c + 1 + k) * width;
      if (line[c] == 0) return;
      const Real f = line[c] / matrix[c * width + c];
      for (int j = c + 1; j < width; ++j) line[j] -= f * matrix[c * width + j];
    });
  }
  once(team, [&] {
    for (int i = n - 1; i >= 0; --i) {
      Real sum = matrix[i * width + n];
      for (int j = i + 1; j < n; ++j) sum -= matrix[i * width + j] * matrix[j * width + n];
      matrix[i * width + n] = sum / matrix[i * width + i];
    }
  });
  return true;
}

PEGRASP_HD inline int first_bounded_row(const Block& block) {
  return block.first_row + (block.kind == block_contact ? 1 : 0);
}

// Whether the block's impulses lie strictly inside their bounds.
PEGRASP_HD inline bool inside_bounds(const Block& block, const Real* p) {
  Real radius = block.bound;
  if (block.kind == block_contact) {
    if (!(p[block.first_row] > 0)) return false;
    radius = block.bound * p[block.first_row];
  }
  Real length2 = 0;
  for (int i = first_bounded_row(block); i < block.first_row + block.row_count; ++i) length2 += p[i] * p[i];
  constexpr Real inside = Real(0.998);
  return block.row_count == 1 && block.kind == block_contact ? true : length2 < inside * radius * radius;
}

// Impulses of one block at v: y unprojected; p in: those of the last evaluation, out: projected, or y where held.
PEGRASP_HD inline void project_or_hold(const SceneView& s, int k, Real stiffness, const Real* p_bar, const Real* v,
                                       Real* y, Real* p) {
  const Block& block = s.blocks[k];
  const int first = first_bounded_row(block);
  const int end = block.first_row + block.row_count;
  lagrangian_impulses(s, block, stiffness, p_bar, v, y);
  const int before = s.block_held[k];
  if (before == held_start) {
    for (int i = block.first_row; i < end; ++i) p[i] = y[i];
    return;
  }
  Real turn = 0;
  for (int i = first; i < end; ++i) turn += p[i] * y[i];
  for (int i = block.first_row; i < end; ++i) p[i] = y[i];
  project(block, p);
  s.block_held[k] = held_none;
  if (!(turn < 0) || before != held_none || (block.kind == block_contact && !(p[block.first_row] > 0))) return;
  bool bound = false;
  for (int i = first; i < end; ++i) bound = bound || p[i] != y[i];
  if (!bound) return;
  s.block_held[k] = held_swing;
  for (int i = first; i < end; ++i) p[i] = y[i];
}

// p(v) and R(v); returns the largest |R|, huge while a block is held. y: unprojected
// impulses; p: in the last evaluation's impulses, out projected.
template <class Team>
PEGRASP_HD Real newton_evaluate(Team& team, const SceneView& s, Real stiffness, const Real* p_bar, const Real* v,
                                Real* y, Real* p, Real* r) {
  for_each(team, s.tally->block_count, [&](int k) { project_or_hold(s, k, stiffness, p_bar, v, y, p); });
  Real largest = 0;
  for (int body = team.rank(); body < s.model->body_count; body += team.size()) {
    if (s.model->body_unknown[body] < 0) continue;
    newton_residual(s, body, p, v, r);
    for (int i = 0; i < unknown_count(*s.model, body); ++i) {
      largest = max_or_nan(largest, absolute(r[dof * body + i]));
    }
  }
  for (int k = team.rank(); k < s.tally->block_count; k += team.size()) {
    if (s.block_held[k] == held_swing && largest < held_residual) largest = held_residual;
  }
  const Real all = static_cast<Real>(team.max(static_cast<double>(largest)));
  team.sync();
  return all;
}

// Ends the first evaluation's holds: from here on a block sticks only if its impulses say so.
template <class Team>
PEGRASP_HD void release_start(Team& team, const SceneView& s, const Real* p_bar, Real* p) {
  for_each(team, s.tally->block_count, [&](int k) {
    if (s.block_held[k] != held_start) return;
    s.block_held[k] = held_none;
    const Block& block = s.blocks[k];
    for (int i = block.first_row; i < block.first_row + block.row_count; ++i) p[i] = p_bar[i];
  });
}

// In and out: s.p (start: multipliers; end: impulses), s.v. Takes at most `steps` Newton steps; when they do not bring the
// residual down to the tolerance, s.p and s.v are as they were and the report's residual is huge. Contacts with
// alternatives (max rule) and scenes without room for the matrix are refused at once.
template <class Team>
PEGRASP_HD SolveReport solve_newton(Team& team, SceneView& s, const StepOptions& options, int steps) {
  constexpr Real refused = Real(1e30);
  const ModelView& m = *s.model;
  const int n = m.unknown_count;
  const int rows = s.tally->row_count;
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0) return {0, refused};
  const Real tolerance = static_cast<Real>(options.tolerance);
  const Real balanced = Real(0.1) * tolerance;
  Real* v = s.v_trial;
  Real* r = s.v_other;
  Real* p_bar = s.p_newton;
  Real* p = s.p_trial;
  Real* y = s.p_other;
  for_each(team, rows, [&](int i) { p_bar[i] = p[i] = s.p[i]; });
  for_each(team, s.tally->block_count,
           [&](int k) { s.block_held[k] = inside_bounds(s.blocks[k], p_bar) ? held_start : held_none; });
  for_each(team, dof * m.body_count, [&](int i) { v[i] = s.v[i]; });
  // Later linearisations start next to their solution and can bear stiffer penalties, which leave smaller gaps.
  Real stiffness = s.tally->pass == 0 ? first_stiffness : stiffness_growth * first_stiffness;
  Real balance = newton_evaluate(team, s, stiffness, p_bar, v, y, p, r);
  // An answer that only just meets the tolerance is given one more update of the multipliers, which wins two digits or
  // more: errors that are within the tolerance row by row add up along a stack.
  const Real polished = Real(0.1) * tolerance;
  Real best = tolerance;
  bool solved = false;
  int step = 0;
  while (step < steps) {
    ++step;
    for_each(team, rows, [&](int i) { row_gradient(s, i, stiffness, y, s.row_gradient[i]); });
    for_each(team, m.body_count, [&](int body) {
      if (m.body_unknown[body] >= 0) newton_rows(s, body, s.row_gradient, r, s.newton_matrix, n);
    });
    if (!eliminate(team, s.newton_matrix, n)) break;
    if (step == 1) release_start(team, s, p_bar, p);
    for_each(team, m.body_count, [&](int body) {
      const int first = m.body_unknown[body];
      if (first < 0) return;
      const Real* change = s.newton_matrix + first * (n + 1) + n;  // one a line
      if (m.body_slides[body]) {
        v[dof * body] -= static_cast<Real>(m.body_axis[2 * body]) * change[0];
        v[dof * body + 1] -= static_cast<Real>(m.body_axis[2 * body + 1]) * change[0];
        return;
      }
      for (int i = 0; i < dof; ++i) v[dof * body + i] -= change[i * (n + 1)];
    });
    balance = newton_evaluate(team, s, stiffness, p_bar, v, y, p, r);
    if (!is_finite(static_cast<double>(balance))) break;
    if (balance > balanced) continue;
    // The multipliers follow; the velocities that belong to them are judged.
    for_each(team, rows, [&](int i) { p_bar[i] = p[i]; });
    velocities(team, s, p_bar, v);
    const Real residual = natural_residual(team, s, p_bar, v, y);
    if (residual <= best) {
      for_each(team, rows, [&](int i) { s.p[i] = p_bar[i]; });
      for_each(team, dof * m.body_count, [&](int i) { s.v[i] = v[i]; });
      best = residual;
      if (residual <= polished || solved) return {step, best};
      solved = true;
    } else if (solved) {
      return {step, best};
    }
    stiffness = stiffness < largest_stiffness ? stiffness_growth * stiffness : stiffness;
    balance = newton_evaluate(team, s, stiffness, p_bar, v, y, p, r);
  }
  return {step, solved ? best : refused};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
