// SPDX-License-Identifier: Apache-2.0
// Projected Jacobi with relaxation (thesis eq. 2.47):  p+ = proj(p - lambda w / A_ii).
//
// Departure: with n rows on a body the method diverges unless lambda < 2 / n, so lambda is halved whenever the residual
// has grown fourfold over the best so far.
#pragma once

#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr Real smallest_relaxation = Real(1.0 / 256.0);

// In and out: s.p, s.v.
template <class Team>
PEGRASP_HD_APART SolveReport solve_jacobi(Team& team, SceneView& s, const StepOptions& options) {
  const int rows = s.tally->row_count;
  const Real tolerance = static_cast<Real>(options.tolerance);
  Real lambda = static_cast<Real>(options.jacobi_relaxation);
  Real residual = 0;
  Real best = Real(1e30);
  int iteration = 0;
  while (true) {
    residual = natural_residual(team, s, s.p, s.v, s.p_trial);
    if (residual <= tolerance || iteration >= options.max_iterations || !is_finite(static_cast<double>(residual))) {
      break;
    }
    ++iteration;
    if (residual < best) best = residual;
    if (residual > 4 * best && lambda > smallest_relaxation) {
      lambda *= Real(0.5);
      best = residual;
    }
    for_each(team, s.tally->block_count, [&](int k) {
      const Block& block = s.blocks[k];
      for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
        const Real w = block_velocity(s, block, i, s.v, s.p);
        s.p_trial[i] = s.rows[i].diagonal > 0 ? s.p[i] - lambda * w / s.rows[i].diagonal : s.p[i];
      }
      project(block, s.p_trial);
    });
    for_each(team, rows, [&](int i) { s.p[i] = s.p_trial[i]; });
    velocities(team, s, s.p, s.v);
  }
  return {iteration, residual};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
