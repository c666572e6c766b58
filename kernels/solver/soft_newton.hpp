// SPDX-License-Identifier: Apache-2.0
// Newton's method of newton.hpp for steps with friction.
//
// Where a contact hardly slips its direction swings with every change of the velocities, in 2D to and fro, in 3D to any
// side: stiff penalties magnify that into states that never settle. So penalties stay soft, the multipliers do the
// work, and
//   - they follow as soon as the states stand and R is within what the last multipliers left: no step is spent on
//     digits that the
//     next multipliers change anyway (an inexact method of multipliers, Rockafellar 1976);
//   - penalties double each time;
//   - an answer within the tolerance gets one more update, with stiff penalties: near the answer they serve, and win
//     digits that soft
//     ones would leave to add up along a stack; where two steps do not do it, the answer stands;
//   - where the states do not settle in a few steps, the penalties fall to a tenth and Newton starts again from the
//     last
//     multipliers, which keep what was won. A penalty soft enough always settles: it is a step of a proximal method.
#pragma once

#include "kernels/solver/newton.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Penalties as in newton.hpp: where they start, how they change, and below which they are not softened any more.
constexpr Real soft_stiffness = 100;
constexpr Real soft_growth = 2;
constexpr Real last_growth = 1000;  // of the last update
constexpr Real softening = Real(0.1);
constexpr Real least_stiffness = Real(0.1);

// Whether a contact has friction; the same on every rank.
PEGRASP_HD inline bool has_friction(const SceneView& s) {
  for (int k = 0; k < s.tally->block_count; ++k) {
    if (s.blocks[k].kind == block_contact && s.blocks[k].row_count > 1) return true;
  }
  return false;
}

// In and out, and what is refused: as solve_newton. left: natural residual at the start, by the last multipliers [m/s].
template <class Team>
PEGRASP_HD_APART SolveReport solve_soft_newton(Team& team, SceneView& s, const StepOptions& options, int steps,
                                               Real left) {
  constexpr Real refused = Real(1e30);
  constexpr int settling_steps = 8;  // fewer soften too soon, more waste steps on circles
  constexpr int last_steps = 2;
  const int rows = s.tally->row_count;
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0) return {0, refused};
  const Real tolerance = static_cast<Real>(options.tolerance);
  const Real polished = Real(0.1) * tolerance;
  const NewtonVectors n{s.p_newton, s.p_other, s.p_trial, s.v_other};
  Real stiffness = soft_stiffness;
  Real best = tolerance;
  bool solved = false;
  begin_newton(team, s, n, stiffness);
  newton_balance(team, s, n);
  int fewest = s.tally->block_count + 1;
  int patience = 0;
  int settling = 0;
  int step = 0;
  while (step < steps && !stopped_at(team, step)) {
    ++step;
    ++settling;
    if (!newton_step(team, s, n, stiffness)) break;
    newton_unprojected_after(team, s, n);
    const int changed = change_states(team, s, n, fewest, patience);
    const Real balance = newton_residuals(team, s, n);
    if (!is_finite(static_cast<double>(balance))) break;
    if (changed > 0 || balance > max2(polished, left)) {
      if (solved && settling >= last_steps) return {step, best};
      if (settling < settling_steps || !(stiffness > least_stiffness)) continue;
      stiffness *= softening;
      velocities(team, s, n.p_bar, n.v);
      begin_states(team, s, n, stiffness);
    } else {
      for_each(team, rows, [&](int i) { n.p_bar[i] = n.p[i]; });
      velocities(team, s, n.p_bar, s.v_trial);
      left = natural_residual(team, s, n.p_bar, s.v_trial, n.y);
      if (left <= best) {
        for_each(team, rows, [&](int i) { s.p[i] = n.p_bar[i]; });
        for_each_velocity(team, s, [&](int i) { s.v[i] = s.v_trial[i]; });
        best = left;
        if (left <= polished || solved) return {step, best};
        solved = true;
      } else if (solved) {
        return {step, best};
      }
      stiffness = stiffness < largest_stiffness ? (solved ? last_growth : soft_growth) * stiffness : stiffness;
      for_each(team, rows, [&](int i) { set_stiffness(s, i, stiffness); });
      newton_unprojected(team, s, n);
    }
    settling = 0;
    fewest = s.tally->block_count + 1;
    newton_balance(team, s, n);  // in the states of the last multipliers
  }
  return {step, solved ? best : refused};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
