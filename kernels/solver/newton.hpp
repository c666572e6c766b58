// SPDX-License-Identifier: Apache-2.0
// Augmented Lagrangian with semismooth Newton, in the velocities of the bodies.
//
// For multipliers p_bar and penalties S (a large multiple of 1 / (J M^-1 J^T), row by row) the impulses follow from the
// velocities,
//   p(v) = proj_K(y(v)),   y_i = (p_bar_i - S_i (J_i v + bias_i)) / (1 + S_i C_i),
// and v is found from   R(v) = v - v_free - M^-1 J^T p(v) = 0   by Newton's method with the generalised Jacobian
//   I + M^-1 J^T P S J,   P in the derivative of proj_K (a slipping contact: dp_t = mu y_t / |y_t| dp_n).
// Then p_bar = p(v), until the natural map is solved. Redundant contacts (a jam, a stack) leave the Jacobian regular,
// and the matrix has one block row a body, however many contacts there are, and a block where two bodies touch: small,
// stiff scenes converge in a handful of steps where first-order methods take thousands.
//
// The projection is seen as a choice of states: each block is open, sticks, is at a bound, slips; given the states,
// p(v) is smooth (linear but for slipping discs) and one Newton step all but solves it. Then the states that y asks for
// are taken. Where that cycles, only one block at a time changes (block principal pivoting, Judice and Pires
// 1994).
#pragma once

#include "kernels/solver/elimination.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Penalties as multiples of 1 / (J M^-1 J^T): at the start (stiff next to a solution; from rest a soft start
// succeeds more often); their growth when only the multipliers move (near jamming a scene responds to its
// multipliers ever more slowly); and the limit that round-off sets. Joints have no states to settle, and a light
// body between heavy ones responds by the ratio of their inertias: their penalties are stiffer by a factor, within
// bounds.
#if defined(PEGRASP_FAST_ARITHMETIC)
constexpr Real warm_stiffness = 100;
constexpr Real cold_stiffness = 10;
constexpr Real stiffness_growth = 8;
constexpr Real largest_stiffness = 2000;
constexpr Real least_joint_stiffness = 2000;
constexpr Real joint_stiffness = 10;
constexpr Real largest_joint_stiffness = 1e4;
#else
constexpr Real warm_stiffness = 1e4;
constexpr Real cold_stiffness = 10;
constexpr Real stiffness_growth = 30;
constexpr Real largest_stiffness = 1e9;
constexpr Real least_joint_stiffness = 1e10;
constexpr Real joint_stiffness = 1e6;
constexpr Real largest_joint_stiffness = 1e13;
#endif

enum BlockState : int {
  state_open = 0,  // no impulse
  state_stick,     // unbounded: p = y
  state_plus,      // one bounded row, at its upper bound
  state_minus,     // at its lower bound
  state_slip,      // several bounded rows, at their bound along y
};

PEGRASP_HD inline Real stiffness_of_joints(Real stiffness) {
  const Real own = joint_stiffness * stiffness;
  if (own < least_joint_stiffness) return least_joint_stiffness;
  return own < largest_joint_stiffness ? own : largest_joint_stiffness;
}

PEGRASP_HD inline void set_stiffness(const SceneView& s, int i, Real stiffness) {
  const Row& row = s.rows[i];
  if (is_bilateral(s.blocks[s.row_block[i]])) stiffness = stiffness_of_joints(stiffness);
  const bool moves = row.diagonal > 0;  // a row that nothing can move keeps its impulse
  const Real inverse = moves ? 1 / (row.diagonal + stiffness * row.compliance) : Real(0);
  s.row_penalty[i] = {moves ? row.diagonal * inverse : Real(1), stiffness * inverse};
}

// w: velocity of row i.
PEGRASP_HD inline Real unprojected_impulse(const SceneView& s, int i, Real p_bar, Real w) {
  return s.row_penalty[i].keep * p_bar - s.row_penalty[i].penalty * w;
}

// --- states ----------------------------------------------------------------------------------------------------------

// x: a number for each row of the block, as y, p and p_bar below. free: free_rows(block).
PEGRASP_HD inline Real bound_at(const Block& block, const Real* x) {
  return block.kind == block_contact ? block.bound * x[0] : block.bound;
}

// Of the bounded rows, of which there is at least one.
PEGRASP_HD inline Real bounded_product(const Block& block, int free, const Real* x, const Real* y) {
  Real sum = x[free] * y[free];
  for_few(free + 1, block.row_count, [&](int i) { sum += x[i] * y[i]; });
  return sum;
}

// The state in which the block's law is the projection of y. `inside`: fraction of the bound that counts as within.
PEGRASP_HD inline int natural_state(const Block& block, const Real* y, Real inside) {
  if (pushes(block) && !(y[0] > 0)) return state_open;
  const int free = free_rows(block);
  const int bounded = block.row_count - free;
  if (bounded <= 0) return state_stick;
  const Real radius = inside * bound_at(block, y);
  if (bounded == 1) return y[free] > radius ? state_plus : (y[free] < -radius ? state_minus : state_stick);
  return bounded_product(block, free, y, y) > radius * radius ? state_slip : state_stick;
}

// Blocks whose multipliers lie inside their bounds (they stuck and carried force) start in the state "stick": the
// penalty would magnify the small velocities of a warm start into slip.
PEGRASP_HD inline int first_state(const Block& block, const Real* p_bar, const Real* y) {
  constexpr Real inside = Real(0.999);
  const bool empty = pushes(block) && !(p_bar[0] > 0);
  return !empty && natural_state(block, p_bar, inside) == state_stick ? static_cast<int>(state_stick)
                                                                      : natural_state(block, y, 1);
}

// The state to take after `state`, given the impulses p that it led to and the present y. A friction or motor impulse
// that changes from one bound to the opposite one has passed the solution between them (an S-shaped law makes Newton's
// method swing for ever): it is first taken off its bound.
PEGRASP_HD inline int next_state(const Block& block, int state, const Real* p, const Real* y) {
  const int natural = natural_state(block, y, 1);
  if (natural < state_plus || state < state_plus) return natural;
  return bounded_product(block, free_rows(block), p, y) < 0 ? static_cast<int>(state_stick) : natural;
}

// The block's impulses in its state.
PEGRASP_HD inline void state_impulses(const Block& block, int state, const Real* y, Real* p) {
  if (state == state_open) {
    for_few(0, block.row_count, [&](int i) { p[i] = 0 * y[i]; });
    return;
  }
  const int free = free_rows(block);
  for_few(0, free, [&](int i) { p[i] = y[i]; });
  Real factor = 1;
  if (state == state_plus || state == state_minus) {
    p[free] = state == state_plus ? bound_at(block, y) : -bound_at(block, y);
    return;
  }
  if (state == state_slip) {
    const Real length2 = bounded_product(block, free, y, y);
    factor = length2 > 0 ? bound_at(block, y) / root(length2) : Real(0);
  }
  for_few(free, block.row_count, [&](int i) { p[i] = factor * y[i]; });
}

// --- the Newton step -------------------------------------------------------------------------------------------------

PEGRASP_HD inline void add_scaled(const Row& row, Real factor, RowGradient& g) {
  for (int k = 0; k < dof; ++k) {
    g.a[k] += factor * row.ja[k];
    g.b[k] += factor * row.jb[k];
  }
}
PEGRASP_HD inline void set_scaled(const Row& row, Real factor, RowGradient& g) {
  for (int k = 0; k < dof; ++k) {
    g.a[k] = factor * row.ja[k];
    g.b[k] = factor * row.jb[k];
  }
}

// Rows of P S J of a block with several rows that slip at the bound which they share. rows, penalty, y, g: of the
// block.
PEGRASP_HD inline void slip_gradient(const Block& block, int free, const Row* rows, const RowPenalty* penalty,
                                     const Real* y, RowGradient* g) {
  const Real length2 = bounded_product(block, free, y, y);
  const Real inverse = length2 > 0 ? 1 / root(length2) : Real(0);
  const Real at_bound = bound_at(block, y) * inverse;
  for_few(free, block.row_count, [&](int i) {
    const Real along = y[i] * inverse;
    const auto factor_of = [&](int c) {
      const Real across = ((c == i ? Real(1) : Real(0)) - along * (y[c] * inverse)) * at_bound;
      return across * penalty[c].penalty;
    };
    g[i].active = 1;
    set_scaled(rows[0], free > 0 ? block.bound * along * penalty[0].penalty : factor_of(0), g[i]);
    for_few(1, block.row_count, [&](int c) { add_scaled(rows[c], factor_of(c), g[i]); });
  });
}

// Rows of P S J that belong to a block, to s.row_gradient. Of rows that are not active it leaves what was there.
PEGRASP_HD inline void block_gradient(const SceneView& s, int k, const Real* y) {
  const Block& block = s.blocks[k];
  const int state = s.block_state[k];
  const Row* const rows = s.rows + block.first_row;
  const RowPenalty* const penalty = s.row_penalty + block.first_row;
  RowGradient* const g = s.row_gradient + block.first_row;
  const int free = state >= state_plus ? free_rows(block) : block.row_count;
  for_few(0, free, [&](int i) {
    g[i].active = state != state_open ? 1 : 0;
    if (state != state_open) set_scaled(rows[i], penalty[i].penalty, g[i]);
  });
  if (state == state_slip) {
    slip_gradient(block, free, rows, penalty, y + block.first_row, g);
  } else if (state >= state_plus) {  // one row at its bound, which depends on the normal row alone
    g[free].active = free;
    const Real along = state == state_plus ? Real(1) : Real(-1);
    if (free > 0) set_scaled(rows[0], block.bound * along * penalty[0].penalty, g[free]);
  }
}

// R of one body: v - v_free - M^-1 J^T p. Returns the largest component's size.
PEGRASP_HD inline Real newton_residual(const SceneView& s, int body, const Real* p, const Real* v, Real* r) {
  Real balance[dof];
  for (int i = 0; i < dof; ++i) balance[i] = v[dof * body + i] - static_cast<Real>(s.free_twist[dof * body + i]);
  PEGRASP_ROLLED
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int index = s.body_row[k] >> 1;
    const Real* w = (s.body_row[k] & 1) ? s.rows[index].wb : s.rows[index].wa;
    for (int i = 0; i < dof; ++i) balance[i] -= w[i] * p[index];
  }
  Real largest = 0;
  Real sum = 0;  // NaN when any is
  for (int i = 0; i < dof; ++i) {
    r[i] = balance[i];
    const Real size = absolute(balance[i]);
    largest = size > largest ? size : largest;
    sum += size;
  }
  return sum == sum ? largest : sum;  // NOLINT(misc-redundant-expression): a NaN is not equal to itself
}

// One row's share in the block row of a body: M^-1 J^T of the row there, and the row of P S J on that body and on the
// other.
struct RowShare {
  const Real* w;
  const Real* mine;
  const Real* theirs;
};

PEGRASP_HD inline RowShare row_share(const SceneView& s, int entry) {
  const int index = entry >> 1;
  const Row& row = s.rows[index];
  const RowGradient& g = s.row_gradient[index];
  return (entry & 1) != 0 ? RowShare{row.wb, g.b, g.a} : RowShare{row.wa, g.a, g.b};
}

// out += w gradient^T, row by row. Several at once touch the matrix only once; the order of the sums is the same.
template <int count>
PEGRASP_HD inline void add_shares(const Real* const* w, const Real* const* gradient, Real* out) {
  Real g[count][dof];  // a copy, which `out` cannot be part of
  for (int k = 0; k < count; ++k) {
    for (int j = 0; j < dof; ++j) g[k][j] = gradient[k][j];
  }
  for (int i = 0; i < dof; ++i) {
    Real sum[dof];
    for (int j = 0; j < dof; ++j) sum[j] = out[dof * i + j];
    for (int k = 0; k < count; ++k) {
      const Real factor = w[k][i];
      for (int j = 0; j < dof; ++j) sum[j] += factor * g[k][j];
    }
    for (int j = 0; j < dof; ++j) out[dof * i + j] = sum[j];
  }
}

// The `count` rows from entry k of body_row on, which have the other body in common.
template <int count>
PEGRASP_HD inline void add_rows(const SceneView& s, int k, int node, Real* own) {
  const Real* w[count];
  const Real* mine[count];
  const Real* theirs[count];
  for (int i = 0; i < count; ++i) {
    const RowShare share = row_share(s, s.body_row[k + i]);
    w[i] = share.w;
    mine[i] = share.mine;
    theirs[i] = share.theirs;
  }
  add_shares<count>(w, mine, own);
  const Row& row = s.rows[s.body_row[k] >> 1];
  const int other = s.model->body_node[(s.body_row[k] & 1) != 0 ? row.body_a : row.body_b];
  if (other < 0 || other == node) return;
  add_shares<count>(w, theirs, matrix_block(s, node, other));
}

// Adds to the matrix what row i, half of a coupling, has at a body from the velocities of the other half's two bodies.
PEGRASP_HD inline void add_other_half(const SceneView& s, int entry, const Block& half, int node) {
  const int mate = (entry >> 1) + to_mate(half);
  const Row& row = s.rows[mate];
  const RowGradient& g = s.row_gradient[mate];
  const Real* const w = row_share(s, entry).w;
  const int nodes[2] = {s.model->body_node[row.body_a], s.model->body_node[row.body_b]};
  const Real* const gradient[2] = {g.a, g.b};
  for (int side = 0; side < 2; ++side) {
    if (nodes[side] >= 0) add_shares<1>(&w, gradient + side, matrix_block(s, node, nodes[side]));
  }
}

// Block row of the matrix that belongs to `body`, with zeros where elimination will fill.
PEGRASP_HD inline void newton_rows(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  const int node = m.body_node[body];
  for (std::uint64_t left = s.node_links[node]; left != 0; left &= left - 1) {
    Real* out = matrix_block(s, node, lowest_bit(left));
    for (int i = 0; i < dof * dof; ++i) out[i] = 0;
  }
  Real* const out = matrix_block(s, node, node);
  Real own[dof * dof];
  PEGRASP_UNROLLED
  for (int i = 0; i < dof * dof; ++i) own[i] = i % (dof + 1) == 0 ? Real(1) : Real(0);
  const bool couplings = m.coupling_count > 0;
  const int end = s.body_first_row[body + 1];
  for (int k = s.body_first_row[body]; k < end;) {
    const int index = s.body_row[k] >> 1;
    if (s.row_gradient[index].active == 0) {
      ++k;
      continue;
    }
    const auto block = [&]() -> const Block& { return s.blocks[s.row_block[index]]; };
    // A contact's rows follow each other: all of them act on both bodies.
    const bool whole = contact_rows_most == 3 && block().row_count == 3 && index == block().first_row &&
                       s.row_gradient[index + 1].active != 0 && s.row_gradient[index + 2].active != 0;
    if (whole) {
      add_rows<3>(s, k, node, own);
      k += 3;
      continue;
    }
    add_rows<1>(s, k, node, own);
    if (couplings && block().kind == block_coupling) {
      for (int i = 0; i < dof * dof; ++i) out[i] = own[i];
      add_other_half(s, s.body_row[k], block(), node);
      for (int i = 0; i < dof * dof; ++i) own[i] = out[i];
    }
    ++k;
  }
  PEGRASP_UNROLLED
  for (int i = 0; i < dof * dof; ++i) out[i] = own[i];
}

// --- the iteration ---------------------------------------------------------------------------------------------------

// Pointers into the scene's scratch, by what they hold here.
struct NewtonVectors {
  Real* p_bar;  // (rows) multipliers
  Real* y;      // (rows) unprojected impulses
  Real* p;      // (rows) impulses in the blocks' states
  Real* v;      // (bodies, dof)
};

// The number of blocks that ask for another state, and the last of them.
struct StateChanges {
  int count;
  int last;
};

PEGRASP_HD inline StateChanges wanted_changes(const SceneView& s) {
  StateChanges changes{0, -1};
  PEGRASP_ROLLED
  for (int k = 0; k < s.tally->block_count; ++k) {
    if (s.block_wanted[k] == s.block_state[k]) continue;
    ++changes.count;
    changes.last = k;
  }
  return changes;
}

PEGRASP_HD inline void take_state_impulses(const SceneView& s, int k, const NewtonVectors& n) {
  const Block& block = s.blocks[k];
  state_impulses(block, s.block_state[k], n.y + block.first_row, n.p + block.first_row);
}

// R(v) with the impulses in n.p; returns the largest |R|.
template <class Team>
PEGRASP_HD Real newton_residuals(Team& team, const SceneView& s, const NewtonVectors& n) {
  Real largest = 0;
  PEGRASP_ROLLED
  for (int i = team.rank(); i < active_count(s); i += team.size()) {
    const int body = active_body(s, i);
    const int node = s.model->body_node[body];
    if (node < 0) continue;
    largest = max_or_nan(largest, newton_residual(s, body, n.p, n.v, s.newton_residual + dof * node));
  }
  const Real all = static_cast<Real>(team.max(static_cast<double>(largest)));
  team.sync();
  return all;
}

// The same with the impulses in the blocks' states.
template <class Team>
PEGRASP_HD Real newton_balance(Team& team, const SceneView& s, const NewtonVectors& n) {
  for_each(team, s.tally->block_count, [&](int k) { take_state_impulses(s, k, n); });
  return newton_residuals(team, s, n);
}

// J x of a row, where x is the Newton step, which is subtracted from the velocities.
PEGRASP_HD inline Real row_change(const SceneView& s, const Row& row) {
  const int a = s.model->body_node[row.body_a];
  const int b = s.model->body_node[row.body_b];
  Real sum = 0;
  for (int i = 0; a >= 0 && i < dof; ++i) sum += row.ja[i] * s.newton_residual[dof * a + i];
  for (int i = 0; b >= 0 && i < dof; ++i) sum += row.jb[i] * s.newton_residual[dof * b + i];
  return sum;
}

template <class Team>
PEGRASP_HD void newton_unprojected(Team& team, const SceneView& s, const NewtonVectors& n) {
  const bool couplings = s.model->coupling_count > 0;
  for_each(team, s.tally->row_count, [&](int i) {
    const Block* const half = couplings ? coupling_of_row(s, i) : nullptr;
    const Real w = half != nullptr ? coupling_velocity(s, *half, n.v) : row_velocity(s.rows[i], n.v);
    n.y[i] = unprojected_impulse(s, i, n.p_bar[i], w);
  });
}

// The same after a Newton step, whose change of velocities is in s.newton_residual. Penalties of joints that hold light
// bodies between heavy ones magnify the rounding errors of v; those of the change shrink with it.
template <class Team>
PEGRASP_HD void newton_unprojected_after(Team& team, const SceneView& s, const NewtonVectors& n) {
  if (!has_joints(s)) {
    newton_unprojected(team, s, n);
    return;
  }
  for_each(team, s.tally->row_count, [&](int i) {
    const Block* const half = coupling_of_row(s, i);
    const Row* const rows = s.rows + (half != nullptr ? first_half(*half) : i);
    const Real change = row_change(s, rows[0]) + (half != nullptr ? row_change(s, rows[1]) : Real(0));
    n.y[i] += s.row_penalty[i].penalty * change;
  });
}

// One step of Newton's method in the present states. False when the matrix is singular.
template <class Team>
PEGRASP_HD_APART bool newton_step(Team& team, const SceneView& s, const NewtonVectors& n, Real stiffness) {
  const ModelView& m = *s.model;
  for_each(team, s.tally->block_count, [&](int k) { block_gradient(s, k, n.y); });
  for_each_active(team, s, [&](int body) {
    if (m.body_node[body] >= 0) newton_rows(s, body);
  });
  if (!eliminate(team, s, stiffness)) return false;
  for_each_active(team, s, [&](int body) {
    const int node = m.body_node[body];
    for (int i = 0; node >= 0 && i < dof; ++i) n.v[dof * body + i] -= s.newton_residual[dof * node + i];
  });
  return true;
}

// Takes the states that y asks for: all of them while fewer and fewer ask, else the last alone; and the impulses in
// them. Returns the number that asked.
template <class Team>
PEGRASP_HD int change_states(Team& team, const SceneView& s, const NewtonVectors& n, int& fewest, int& patience) {
  constexpr int tries = 3;
  StateChanges changes{0, -1};
  for_each(team, s.tally->block_count, [&](int k) {
    const Block& block = s.blocks[k];
    const int state = s.block_state[k];
    const int wanted = next_state(block, state, n.p + block.first_row, n.y + block.first_row);
    s.block_wanted[k] = wanted;
    if (wanted != state) changes = {changes.count + 1, k};
  });
  if (team.size() > 1) {
    changes = wanted_changes(s);
    team.sync();  // all ranks have counted
  }
  if (changes.count < fewest) {
    fewest = changes.count;
    patience = tries;
  } else {
    --patience;
  }
  const bool all = patience >= 0;
  for_each(team, s.tally->block_count, [&](int k) {
    if (all || k == changes.last) s.block_state[k] = s.block_wanted[k];
    take_state_impulses(s, k, n);
  });
  return changes.count;
}

// Penalties, and the states that they and the multipliers ask for at n.v.
template <class Team>
PEGRASP_HD void begin_states(Team& team, const SceneView& s, const NewtonVectors& n, Real stiffness) {
  for_each(team, s.tally->row_count, [&](int i) {
    set_stiffness(s, i, stiffness);
    n.p[i] = n.p_bar[i];
  });
  newton_unprojected(team, s, n);
  for_each(team, s.tally->block_count, [&](int k) {
    const Block& block = s.blocks[k];
    s.block_state[k] = first_state(block, n.p_bar + block.first_row, n.y + block.first_row);
  });
}

// A team may eliminate in a way of its own (kernels/launch/cpu/island_newton.hpp).
template <class Team>
PEGRASP_HD inline void order_nodes(Team& team, const SceneView& s) {
  once(team, [&] { order_nodes(s); });
}

// The order of elimination, multipliers and velocities.
template <class Team>
PEGRASP_HD void take_start(Team& team, const SceneView& s, const NewtonVectors& n) {
  order_nodes(team, s);
  for_each(team, s.tally->row_count, [&](int i) { n.p_bar[i] = s.p[i]; });
  for_each_velocity(team, s, [&](int i) { n.v[i] = s.v[i]; });
}

template <class Team>
PEGRASP_HD void begin_newton(Team& team, const SceneView& s, const NewtonVectors& n, Real stiffness) {
  take_start(team, s, n);
  begin_states(team, s, n, stiffness);
}

// In and out: s.p (start: multipliers; end: impulses), s.v. Takes at most `steps` Newton steps, with penalties that
// begin at `stiffness`; when they do not bring the residual down to the tolerance, s.p and s.v are as they were and the
// report's residual is huge. Contacts with alternatives (max rule) and scenes without capacity for the matrix are
// refused at once.
template <class Team>
PEGRASP_HD_APART SolveReport solve_newton(Team& team, SceneView& s, const StepOptions& options, int steps,
                                          Real stiffness) {
  constexpr Real refused = Real(1e30);
  const int rows = s.tally->row_count;
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0) return {0, refused};
  const Real tolerance = static_cast<Real>(options.tolerance);
  const Real balanced = Real(0.1) * tolerance;
  const NewtonVectors n{s.p_newton, s.p_other, s.p_trial, s.v_other};
  begin_newton(team, s, n, stiffness);
  newton_balance(team, s, n);
  // An answer that only just meets the tolerance gets one more update of the multipliers, which gains two digits or
  // more: errors within the tolerance of each row add up along a stack.
  const Real polished = Real(0.1) * tolerance;
  Real best = tolerance;
  bool solved = false;
  int fewest = s.tally->block_count + 1;
  int patience = 0;
  int step = 0;
  while (step < steps && !stopped_at(team, step)) {
    ++step;
    if (!newton_step(team, s, n, stiffness)) break;
    newton_unprojected_after(team, s, n);
    const int changed = change_states(team, s, n, fewest, patience);
    const Real balance = newton_residuals(team, s, n);
    if (!is_finite(static_cast<double>(balance))) break;
    if (changed > 0 || balance > balanced) continue;
    // The multipliers take these impulses; the residual is that of the velocities that belong to them.
    for_each(team, rows, [&](int i) { n.p_bar[i] = n.p[i]; });
    velocities(team, s, n.p_bar, s.v_trial);
    const Real residual = natural_residual(team, s, n.p_bar, s.v_trial, n.y);
    if (residual <= best) {
      for_each(team, rows, [&](int i) { s.p[i] = n.p_bar[i]; });
      for_each_velocity(team, s, [&](int i) { s.v[i] = s.v_trial[i]; });
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
    newton_balance(team, s, n);  // in the states of the last multipliers
  }
  return {step, solved ? best : refused};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
