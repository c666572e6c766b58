// SPDX-License-Identifier: Apache-2.0
// Augmented Lagrangian with semismooth Newton, in the freedoms of the bodies.
//
// For multipliers p_bar and penalties S (a large multiple of 1 / (J M^-1 J^T), row by row) the impulses follow from the
// velocities,
//   p(v) = proj_K(y(v)),   y_i = (p_bar_i - S_i (J_i v + bias_i)) / (1 + S_i C_i),
// and v is found from   R(v) = v - v_free - M^-1 J^T p(v) = 0   by Newton's method with the generalised Jacobian
//   I + M^-1 J^T P S J,   P in the derivative of proj_K (a slipping contact: dp_t = mu y_t / |y_t| dp_n).
// Then p_bar = p(v), until the natural map says solved. Redundant contacts (a jam, a stack) leave the Jacobian regular, and
// the number of unknowns is that of the bodies' freedoms, however many rows there are: small, stiff scenes converge in a
// handful of steps where first-order methods take thousands.
//
// The projection is seen as a choice of states: each block is open, sticks, is at a bound, slips; given the states, p(v) is
// smooth (linear but for slipping discs) and one Newton step all but solves it. Then the states that y asks for are taken.
// Where that goes in circles only one block at a time changes (block principal pivoting, Judice and Pires 1994).
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

enum BlockState : int {
  state_open = 0,  // no impulse
  state_stick,     // unbounded: p = y
  state_plus,      // one bounded row, at its upper bound
  state_minus,     // at its lower bound
  state_slip,      // several bounded rows, at their bound along y
};

// --- unknowns --------------------------------------------------------------------------------------------------------

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

// A row in unknowns. What bodies without unknowns do to it is constant and joins the bias.
PEGRASP_HD inline void newton_row(const SceneView& s, int i) {
  const ModelView& m = *s.model;
  const Row& row = s.rows[i];
  NewtonRow& out = s.newton_row[i];
  out.at_a = m.body_unknown[row.body_a];
  out.at_b = m.body_unknown[row.body_b];
  out.count_a = unknown_count(m, row.body_a);
  out.count_b = row.body_b == row.body_a ? 0 : unknown_count(m, row.body_b);
  out.bias = row.bias;
  if (out.count_a > 0) {
    to_unknowns(m, row.body_a, row.ja, out.ja);
    to_unknowns(m, row.body_a, row.wa, out.wa);
  } else {
    for (int k = 0; k < dof; ++k) out.bias += row.ja[k] * s.v[dof * row.body_a + k];
  }
  if (out.count_b > 0) {
    to_unknowns(m, row.body_b, row.jb, out.jb);
    to_unknowns(m, row.body_b, row.wb, out.wb);
  } else if (row.body_b != row.body_a) {
    for (int k = 0; k < dof; ++k) out.bias += row.jb[k] * s.v[dof * row.body_b + k];
  }
}

PEGRASP_HD inline void set_stiffness(const SceneView& s, int i, Real stiffness) {
  const Row& row = s.rows[i];
  NewtonRow& out = s.newton_row[i];
  const bool moves = row.diagonal > 0;  // a row that nothing can move keeps its impulse
  const Real inverse = moves ? 1 / (row.diagonal + stiffness * row.compliance) : Real(0);
  out.keep = moves ? row.diagonal * inverse : Real(1);
  out.penalty = stiffness * inverse;
}

// dot over `count` (1 or dof) entries
PEGRASP_HD inline Real dot_unknowns(const Real* j, const Real* u, int count) {
  if (count == dof) {
    Real sum = j[0] * u[0];
    for (int i = 1; i < dof; ++i) sum += j[i] * u[i];
    return sum;
  }
  return count == 1 ? j[0] * u[0] : Real(0);
}

PEGRASP_HD inline Real unprojected_impulse(const NewtonRow& row, Real p_bar, const Real* u) {
  const Real w =
      row.bias + dot_unknowns(row.ja, u + row.at_a, row.count_a) + dot_unknowns(row.jb, u + row.at_b, row.count_b);
  return row.keep * p_bar - row.penalty * w;
}

// --- states ----------------------------------------------------------------------------------------------------------

PEGRASP_HD inline int first_bounded_row(const Block& block) {
  return block.first_row + (block.kind == block_contact ? 1 : 0);
}

PEGRASP_HD inline Real bound_at(const Block& block, const Real* y) {
  return block.kind == block_contact ? block.bound * y[block.first_row] : block.bound;
}

PEGRASP_HD inline Real bounded_length2(const Block& block, const Real* y) {
  Real length2 = 0;
  for (int i = first_bounded_row(block); i < block.first_row + block.row_count; ++i) length2 += y[i] * y[i];
  return length2;
}

// The state in which the block's law is the projection of y. `inside`: fraction of the bound that counts as within.
PEGRASP_HD inline int natural_state(const Block& block, const Real* y, Real inside) {
  if (block.kind == block_contact && !(y[block.first_row] > 0)) return state_open;
  const int first = first_bounded_row(block);
  const int bounded = block.first_row + block.row_count - first;
  const Real radius = inside * bound_at(block, y);
  if (bounded == 0) return state_stick;
  if (bounded == 1) return y[first] > radius ? state_plus : (y[first] < -radius ? state_minus : state_stick);
  return bounded_length2(block, y) > radius * radius ? state_slip : state_stick;
}

// Blocks whose multipliers lie inside their bounds (they stuck, and carried force) are taken to do so still: the penalty would
// magnify a warm start's small velocities into slip.
PEGRASP_HD inline int first_state(const Block& block, const Real* p_bar, const Real* y) {
  constexpr Real inside = Real(0.999);
  const bool empty = block.kind == block_contact && !(p_bar[block.first_row] > 0);
  return !empty && natural_state(block, p_bar, inside) == state_stick ? static_cast<int>(state_stick)
                                                                      : natural_state(block, y, 1);
}

// The state to take after `state`, given the impulses p that it led to before and the y it led to now. A friction or motor
// impulse that turns from its bound to the opposite one has passed the solution, which lies between (an S-shaped law makes
// Newton's method swing for ever): it is taken off its bound first.
PEGRASP_HD inline int next_state(const Block& block, int state, const Real* p, const Real* y) {
  const int natural = natural_state(block, y, 1);
  if (natural < state_plus || state < state_plus) return natural;
  Real turn = 0;
  for (int i = first_bounded_row(block); i < block.first_row + block.row_count; ++i) turn += p[i] * y[i];
  return turn < 0 ? static_cast<int>(state_stick) : natural;
}

// The block's impulses in its state.
PEGRASP_HD inline void state_impulses(const Block& block, int state, const Real* y, Real* p) {
  const int first = first_bounded_row(block);
  const int end = block.first_row + block.row_count;
  Real factor = state == state_open ? Real(0) : Real(1);
  for (int i = block.first_row; i < first; ++i) p[i] = factor * y[i];
  if (state == state_plus || state == state_minus) {
    p[first] = state == state_plus ? bound_at(block, y) : -bound_at(block, y);
    return;
  }
  if (state == state_slip) {
    const Real length2 = bounded_length2(block, y);
    factor = length2 > 0 ? bound_at(block, y) / root(length2) : Real(0);
  }
  for (int i = first; i < end; ++i) p[i] = factor * y[i];
}

// --- the Newton step -------------------------------------------------------------------------------------------------

PEGRASP_HD inline void add_scaled(const NewtonRow& row, Real factor, RowGradient& g) {
  for (int k = 0; k < row.count_a; ++k) g.a[k] += factor * row.ja[k];
  for (int k = 0; k < row.count_b; ++k) g.b[k] += factor * row.jb[k];
}

// Rows of P S J that belong to a block, to s.row_gradient.
PEGRASP_HD inline void block_gradient(const SceneView& s, int k, const Real* y) {
  const Block& block = s.blocks[k];
  const int state = s.block_state[k];
  const int first = first_bounded_row(block);
  const int end = block.first_row + block.row_count;
  const bool at_bound = state >= state_plus;
  for (int i = block.first_row; i < end; ++i) {
    RowGradient& g = s.row_gradient[i];
    // a bounded row at its bound answers to the normal row alone, or, where several share the bound, to each other
    g.active =
        state != state_open && (i < first || !at_bound || state == state_slip || first > block.first_row) ? 1 : 0;
    for (int c = 0; c < dof; ++c) g.a[c] = g.b[c] = 0;
    if (g.active && (i < first || !at_bound)) add_scaled(s.newton_row[i], s.newton_row[i].penalty, g);
  }
  if (!at_bound) return;
  const Real length2 = state == state_slip ? bounded_length2(block, y) : Real(1);
  const Real inverse = length2 > 0 ? 1 / root(length2) : Real(0);
  for (int i = first; i < end; ++i) {
    RowGradient& g = s.row_gradient[i];
    const Real along = state == state_slip ? y[i] * inverse : (state == state_plus ? Real(1) : Real(-1));
    if (first > block.first_row) {
      add_scaled(s.newton_row[block.first_row], block.bound * along * s.newton_row[block.first_row].penalty, g);
    }
    for (int c = first; state == state_slip && c < end; ++c) {
      const Real across = ((c == i ? Real(1) : Real(0)) - along * (y[c] * inverse)) * (bound_at(block, y) * inverse);
      add_scaled(s.newton_row[c], across * s.newton_row[c].penalty, g);
    }
  }
}

// R of one body in its unknowns: u - u_free - M^-1 J^T p. Returns the largest component's size.
PEGRASP_HD inline Real newton_residual(const SceneView& s, int body, const Real* p, const Real* u, const Real* u_free,
                                       Real* r) {
  const int first = s.model->body_unknown[body];
  const int count = unknown_count(*s.model, body);
  Real balance[dof];
  for (int i = 0; i < count; ++i) balance[i] = u[first + i] - u_free[first + i];
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int index = s.body_row[k] >> 1;
    const NewtonRow& row = s.newton_row[index];
    const Real* w = (s.body_row[k] & 1) ? row.wb : row.wa;
    for (int i = 0; i < count; ++i) balance[i] -= w[i] * p[index];
  }
  Real largest = 0;
  for (int i = 0; i < count; ++i) {
    r[first + i] = balance[i];
    largest = max_or_nan(largest, absolute(balance[i]));
  }
  return largest;
}

// line[at ...] += w * g, `count` (1 or dof) entries
PEGRASP_HD inline void add_entries(Real* line, Real w, const Real* g, int count) {
  if (count == dof) {
    for (int j = 0; j < dof; ++j) line[j] += w * g[j];
  } else if (count == 1) {
    line[0] += w * g[0];
  }
}

// Rows of the matrix that belong to `body`, the residual as last column.
PEGRASP_HD inline void newton_rows(const SceneView& s, int body, const Real* r, Real* matrix, int n) {
  const ModelView& m = *s.model;
  const int first = m.body_unknown[body];
  const int count = unknown_count(m, body);
  const int width = n + 1;
  Real* out = matrix + first * width;
  for (int i = 0; i < count * width; ++i) out[i] = 0;
  for (int i = 0; i < count; ++i) {
    out[i * width + first + i] = 1;
    out[i * width + n] = r[first + i];
  }
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int index = s.body_row[k] >> 1;
    const RowGradient& g = s.row_gradient[index];
    if (g.active == 0) continue;
    const NewtonRow& row = s.newton_row[index];
    const Real* w = (s.body_row[k] & 1) ? row.wb : row.wa;
    for (int i = 0; i < count; ++i) {
      Real* line = out + i * width;
      add_entries(line + row.at_a, w[i], g.a, row.count_a);
      add_entries(line + row.at_b, w[i], g.b, row.count_b);
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

// --- the iteration ---------------------------------------------------------------------------------------------------

// Pointers into the scene's scratch, by what they hold here.
struct NewtonVectors {
  Real* p_bar;   // (rows) multipliers
  Real* y;       // (rows) unprojected impulses
  Real* p;       // (rows) impulses in the blocks' states
  Real* u;       // (unknowns)
  Real* u_free;  // (unknowns)
  Real* r;       // (unknowns) R
};

// How many blocks ask for another state, and which comes last.
struct StateChanges {
  int count;
  int last;
};

PEGRASP_HD inline StateChanges wanted_changes(const SceneView& s) {
  StateChanges changes{0, -1};
  for (int k = 0; k < s.tally->block_count; ++k) {
    if (s.block_wanted[k] == s.block_state[k]) continue;
    ++changes.count;
    changes.last = k;
  }
  return changes;
}

// Impulses and R(u) in the blocks' states; returns the largest |R|.
template <class Team>
PEGRASP_HD Real newton_balance(Team& team, const SceneView& s, const NewtonVectors& n) {
  for_each(team, s.tally->block_count, [&](int k) { state_impulses(s.blocks[k], s.block_state[k], n.y, n.p); });
  Real largest = 0;
  for (int body = team.rank(); body < s.model->body_count; body += team.size()) {
    if (s.model->body_unknown[body] < 0) continue;
    largest = max_or_nan(largest, newton_residual(s, body, n.p, n.u, n.u_free, n.r));
  }
  const Real all = static_cast<Real>(team.max(static_cast<double>(largest)));
  team.sync();
  return all;
}

template <class Team>
PEGRASP_HD void newton_unprojected(Team& team, const SceneView& s, const NewtonVectors& n) {
  for_each(team, s.tally->row_count, [&](int i) { n.y[i] = unprojected_impulse(s.newton_row[i], n.p_bar[i], n.u); });
}

// One step of Newton's method in the present states. False when the matrix is singular.
template <class Team>
PEGRASP_HD bool newton_step(Team& team, const SceneView& s, const NewtonVectors& v, int n) {
  for_each(team, s.tally->block_count, [&](int k) { block_gradient(s, k, v.y); });
  for_each(team, s.model->body_count, [&](int body) {
    if (s.model->body_unknown[body] >= 0) newton_rows(s, body, v.r, s.newton_matrix, n);
  });
  if (!eliminate(team, s.newton_matrix, n)) return false;
  for_each(team, n, [&](int i) { v.u[i] -= s.newton_matrix[i * (n + 1) + n]; });
  return true;
}

// Takes the states that y asks for: all of them while that helps, else the last alone. Returns how many asked.
template <class Team>
PEGRASP_HD int change_states(Team& team, const SceneView& s, const NewtonVectors& n, int& fewest, int& patience) {
  constexpr int tries = 3;
  for_each(team, s.tally->block_count,
           [&](int k) { s.block_wanted[k] = next_state(s.blocks[k], s.block_state[k], n.p, n.y); });
  const StateChanges changes = wanted_changes(s);
  team.sync();  // all ranks have counted
  if (changes.count < fewest) {
    fewest = changes.count;
    patience = tries;
  } else {
    --patience;
  }
  const bool all = patience >= 0;
  for_each(team, s.tally->block_count, [&](int k) {
    if (all || k == changes.last) s.block_state[k] = s.block_wanted[k];
  });
  return changes.count;
}

PEGRASP_HD inline NewtonVectors newton_vectors(const SceneView& s) {
  return {s.p_newton,
          s.p_other,
          s.p_trial,
          s.newton_u,
          s.newton_u + s.model->unknown_count,
          s.newton_u + 2 * s.model->unknown_count};
}

template <class Team>
PEGRASP_HD void begin_newton(Team& team, const SceneView& s, const NewtonVectors& n, Real stiffness) {
  for_each(team, s.tally->row_count, [&](int i) {
    newton_row(s, i);
    set_stiffness(s, i, stiffness);
    n.p_bar[i] = n.p[i] = s.p[i];
  });
  for_each(team, s.model->body_count, [&](int body) {
    const int first = s.model->body_unknown[body];
    if (first < 0) return;
    Real free[dof];
    for (int i = 0; i < dof; ++i) free[i] = static_cast<Real>(s.free_twist[dof * body + i]);
    to_unknowns(*s.model, body, s.v + dof * body, n.u + first);
    to_unknowns(*s.model, body, free, n.u_free + first);
  });
  newton_unprojected(team, s, n);
  for_each(team, s.tally->block_count, [&](int k) { s.block_state[k] = first_state(s.blocks[k], n.p_bar, n.y); });
}

// In and out: s.p (start: multipliers; end: impulses), s.v. Takes at most `steps` Newton steps; when they do not bring the
// residual down to the tolerance, s.p and s.v are as they were and the report's residual is huge. Contacts with
// alternatives (max rule) and scenes without room for the matrix are refused at once.
template <class Team>
PEGRASP_HD SolveReport solve_newton(Team& team, SceneView& s, const StepOptions& options, int steps) {
  constexpr Real refused = Real(1e30);
  const ModelView& m = *s.model;
  const int unknowns = m.unknown_count;
  const int rows = s.tally->row_count;
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0) return {0, refused};
  const Real tolerance = static_cast<Real>(options.tolerance);
  const Real balanced = Real(0.1) * tolerance;
  const NewtonVectors n = newton_vectors(s);
  // Later linearisations start next to their solution and can bear stiffer penalties, which leave smaller gaps.
  Real stiffness = s.tally->pass == 0 ? first_stiffness : stiffness_growth * first_stiffness;
  begin_newton(team, s, n, stiffness);
  newton_balance(team, s, n);
  // An answer that only just meets the tolerance is given one more update of the multipliers, which wins two digits or
  // more: errors that are within the tolerance row by row add up along a stack.
  const Real polished = Real(0.1) * tolerance;
  Real best = tolerance;
  bool solved = false;
  int fewest = s.tally->block_count + 1;
  int patience = 0;
  int step = 0;
  while (step < steps) {
    ++step;
    if (!newton_step(team, s, n, unknowns)) break;
    newton_unprojected(team, s, n);
    const int changed = change_states(team, s, n, fewest, patience);
    const Real balance = newton_balance(team, s, n);
    if (!is_finite(static_cast<double>(balance))) break;
    if (changed > 0 || balance > balanced) continue;
    // The multipliers follow; the velocities that belong to them are judged.
    for_each(team, rows, [&](int i) { n.p_bar[i] = n.p[i]; });
    velocities(team, s, n.p_bar, s.v_trial);
    const Real residual = natural_residual(team, s, n.p_bar, s.v_trial, n.y);
    if (residual <= best) {
      for_each(team, rows, [&](int i) { s.p[i] = n.p_bar[i]; });
      for_each(team, dof * m.body_count, [&](int i) { s.v[i] = s.v_trial[i]; });
      best = residual;
      if (residual <= polished || solved) return {step, best};
      solved = true;
    } else if (solved) {
      return {step, best};
    }
    stiffness = stiffness < largest_stiffness ? stiffness_growth * stiffness : stiffness;
    for_each(team, rows, [&](int i) { set_stiffness(s, i, stiffness); });
    newton_unprojected(team, s, n);
    fewest = s.tally->block_count + 1;
    change_states(team, s, n, fewest, patience);
    newton_balance(team, s, n);
  }
  return {step, solved ? best : refused};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
