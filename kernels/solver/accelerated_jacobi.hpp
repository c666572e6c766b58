// SPDX-License-Identifier: Apache-2.0
// AJ: accelerated, mass-split projected Jacobi.
//
//   p+ = proj_K(y - w(y) / D~),   y+ = p+ + beta (p+ - p)
// Nesterov's momentum with adaptive restart: momentum is dropped when the projected step opposes the progress, sum of
// D~ (y - p+) (p+ - p) > 0 (O'Donoghue and Candes, on the generalised gradient: the plain w . (p+ - p) fires at every
// iteration once friction cones bind). Since J M^-1 J^T <= diag(D~) the step needs no line search and no colouring;
// velocities extrapolate linearly with the impulses, so no matrix is formed and every row and every body can be worked
// on at once.
#pragma once

#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// All rows take part in the iteration. joint_tree.hpp solves some of them with the velocities instead.
struct EveryRow {
  template <class Team>
  PEGRASP_HD void velocities(Team& team, const SceneView& s, Real* p, Real* v) const {
    PEGRASP_ARITHMETIC::velocities(team, s, p, v);
  }
  PEGRASP_HD bool iterates(const SceneView&, int) const { return true; }
};

// In and out: s.p, s.v. Scratch: s.p_trial, s.p_other (= y), s.direction, s.v_trial, s.v_other (= velocities at y).
template <class Team, class Rows = EveryRow>
PEGRASP_HD_APART SolveReport solve_accelerated_jacobi(Team& team, SceneView& s, const StepOptions& options,
                                                      int max_iterations, const Rows& of = {}) {
  const int rows = s.tally->row_count;
  const int blocks = s.tally->block_count;
  const Real tolerance = static_cast<Real>(options.tolerance);
  Real* p = s.p;
  Real* q = s.p_trial;
  Real* y = s.p_other;
  Real* v = s.v;
  Real* vq = s.v_trial;
  Real* vy = s.v_other;
  for_each(team, rows, [&](int i) { y[i] = p[i]; });
  for_each_velocity(team, s, [&](int i) { vy[i] = v[i]; });

  Real theta = 1;
  Real residual = 0;
  int iteration = 0;
  while (iteration < max_iterations && !stopped_at(team, iteration)) {
    ++iteration;
    Real largest = 0;
    for (int k = team.rank(); k < blocks; k += team.size()) {
      if (of.iterates(s, k)) largest = max_or_nan(largest, block_step(s, s.blocks[k], y, vy, false, q));
    }
    residual = static_cast<Real>(team.max(static_cast<double>(largest)));
    team.sync();
    of.velocities(team, s, q, vq);
    if (!is_finite(static_cast<double>(residual))) break;
    if (residual <= tolerance) {
      residual = natural_residual(team, s, q, vq, s.direction);
      if (residual <= tolerance) break;
    }
    const Real climb = fixed_sum(rows, [&](int i) {
      return of.iterates(s, s.row_block[i]) ? s.rows[i].scale * (y[i] - q[i]) * (q[i] - p[i]) : Real(0);
    });
    Real beta = 0;
    if (climb > 0) {
      theta = 1;
    } else {
      const Real next = Real(0.5) * (1 + root(1 + 4 * theta * theta));
      beta = (theta - 1) / next;
      theta = next;
    }
    team.sync();
    for_each(team, rows, [&](int i) { y[i] = q[i] + beta * (q[i] - p[i]); });
    for_each_velocity(team, s, [&](int i) { vy[i] = vq[i] + beta * (vq[i] - v[i]); });
    Real* t = p;
    p = q;
    q = t;
    t = v;
    v = vq;
    vq = t;
  }
  // The last iterate is in q (loop left early) or, at the cap, already swapped to p.
  const bool capped = !(residual <= tolerance) && is_finite(static_cast<double>(residual));
  const Real* last_p = capped ? p : q;
  const Real* last_v = capped ? v : vq;
  if (capped) residual = natural_residual(team, s, last_p, last_v, y);
  if (last_p != s.p) for_each(team, rows, [&](int i) { s.p[i] = last_p[i]; });
  if (last_v != s.v) for_each_velocity(team, s, [&](int i) { s.v[i] = last_v[i]; });
  return {iteration, residual};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
