// SPDX-License-Identifier: Apache-2.0
// PGS: projected Gauss-Seidel (thesis, algorithm 2), and NNCG: nonsmooth nonlinear conjugate gradients over it
// (Silcowitz, Niebe and Erleben 2010). Sequential inside a scene: rank 0 sweeps the blocks in their stored order.
#pragma once

#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline void add_impulse(const Row& row, Real change, Real* v) {
  const int body_a = row.body_a;
  const int body_b = row.body_b;
  for (int k = 0; k < dof; ++k) v[dof * body_a + k] += row.wa[k] * change;
  if (body_b == body_a) return;
  for (int k = 0; k < dof; ++k) v[dof * body_b + k] += row.wb[k] * change;
}

// One sweep in place; returns the largest velocity that a row was found with [m/s]: its |change of p| times its own
// diagonal. By D~, which is larger by the number of rows on a body, sweeps would go on long after the natural map says
// that all is solved.
PEGRASP_HD inline Real sweep(const SceneView& s, Real* p, Real* v, Real* q) {
  Real largest = 0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    const bool coupling = block.kind == block_coupling;
    if (coupling && block.owner % 2 != 0) continue;  // with its first half
    const int end = block.first_row + (coupling ? 2 : block.row_count);
    // The normal row, then friction, which sees the new normal impulse; rows that share a bound at once, lest one axis
    // lead.
    for (int first = block.first_row; first < end;) {
      const int last = block.kind == block_contact && first == block.first_row ? first + 1 : end;
      for (int i = block.first_row; i < end; ++i) q[i] = p[i];
      for (int i = first; i < last; ++i) {
        q[i] = descend(p[i], block_velocity(s, block, i, v, p), s.rows[i].diagonal);
      }
      project(block, q);
      for (int i = block.first_row; i < end; ++i) {
        const Real change = q[i] - p[i];
        if (change == 0) continue;
        add_impulse(s.rows[i], change, v);
        p[i] = q[i];
        largest = max_or_nan(largest, absolute(change) * s.rows[i].diagonal);
      }
      first = last;
    }
  }
  return largest;
}

// Rank 0 sweeps; every rank learns how much changed.
template <class Team>
PEGRASP_HD Real sweep_by_one(Team& team, const SceneView& s) {
  Real change = 0;
  if (team.rank() == 0) change = sweep(s, s.p, s.v, s.p_trial);
  change = static_cast<Real>(team.max(static_cast<double>(change)));
  team.sync();
  return change;
}

// In and out: s.p, s.v. A sweep's own change only hints at convergence; the natural map decides.
template <class Team>
PEGRASP_HD_APART SolveReport solve_gauss_seidel(Team& team, SceneView& s, const StepOptions& options) {
  const Real tolerance = static_cast<Real>(options.tolerance);
  Real residual = 0;
  int iteration = 0;
  while (iteration < options.max_iterations && !stopped_at(team, iteration)) {
    ++iteration;
    const Real change = sweep_by_one(team, s);
    if (!is_finite(static_cast<double>(change))) return {iteration, change};
    const bool last = iteration == options.max_iterations;
    if (change > tolerance && !last) continue;
    // Velocities summed up sweep by sweep carry round-off; the answer's are rebuilt from its impulses.
    velocities(team, s, s.p, s.v);
    residual = natural_residual(team, s, s.p, s.v, s.p_trial);
    if (residual <= tolerance) break;
  }
  return {iteration, residual};
}

// NNCG: a sweep is taken as a (negative) gradient step; Fletcher-Reeves directions with restart.
template <class Team>
PEGRASP_HD_APART SolveReport solve_nncg(Team& team, SceneView& s, const StepOptions& options) {
  const int rows = s.tally->row_count;
  const Real tolerance = static_cast<Real>(options.tolerance);
  Real* old = s.p_other;          // impulses before the sweep
  Real* direction = s.direction;  // search direction
  for_each(team, rows, [&](int i) { direction[i] = 0; });
  Real previous = 0;  // squared length of the last gradient
  Real residual = 0;
  int iteration = 0;
  while (iteration < options.max_iterations && !stopped_at(team, iteration)) {
    ++iteration;
    for_each(team, rows, [&](int i) { old[i] = s.p[i]; });
    const Real change = sweep_by_one(team, s);
    if (!is_finite(static_cast<double>(change))) return {iteration, change};
    const bool last = iteration == options.max_iterations;
    if (change <= tolerance || last) {
      velocities(team, s, s.p, s.v);
      residual = natural_residual(team, s, s.p, s.v, s.p_trial);
      if (residual <= tolerance || last) break;
    }
    // gradient = old - p (thesis of the method: the sweep's fixed-point residual)
    const Real length2 = fixed_sum(rows, [&](int i) { return (s.p[i] - old[i]) * (s.p[i] - old[i]); });
    const Real beta = previous > 0 ? length2 / previous : Real(0);
    previous = length2;
    team.sync();
    const bool restart = !(beta <= 1);
    for_each(team, rows, [&](int i) {
      const Real step = s.p[i] - old[i];
      const Real along = restart ? Real(0) : beta * direction[i];
      s.p[i] += along;
      direction[i] = along + step;
    });
    velocities(team, s, s.p, s.v);
  }
  return {iteration, residual};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
