// SPDX-License-Identifier: Apache-2.0
// Load sharing: chooses, among many solutions, the one that equal springs would give.
//
// A face that rests on four corners carries one load in many ways, and all of them are solutions. Where it slides, the
// distribution of the load decides how the face resists a turn. Which solution a solver ends with depends on where it
// starts and on its path, and with it the outcome of a grasp near the edge of success. So a solve begins at impulses
// that depend on no path, those of contacts that yield like springs,
//
//   p = proj_K(-(J v + bias) / C),   C = c m_i (1 / m_a + 1 / m_b),
//
// with the same c for all contacts of two bodies (m_i contacts at one place share one spring). Soft springs have one
// answer; stiff ones may have several, as friction may jam or yield under one load. So c goes down in stages, from a
// value where friction has no choice, and each stage begins at the answer of the one before. From the last stage the
// method of multipliers closes the gaps and leaves the balance of undetermined loads as it is. See
// docs/explanation/solvers.md; switched by StepOptions::load_sharing.
#pragma once

#include "kernels/solver/newton.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// 1 / c at the end; the accuracy of R, relative to the tolerance; and the penalties of motors, joints and limits, which
// are no springs: they start at their last impulses and are stiff from the first stage.
#if defined(PEGRASP_FAST_ARITHMETIC)
constexpr Real spring_stiffness = 100;
constexpr Real spring_closeness = 2;  // R is rounded to about the tolerance
constexpr Real drive_stiffness = largest_stiffness;
#else
constexpr Real spring_stiffness = 1000;
constexpr Real spring_closeness = Real(0.1);
constexpr Real drive_stiffness = 1e7;
#endif

// 1 / c of the first stage; its factors between stages and, if the first stage does not settle, for softer ones; its
// least value; and how close two stages may be.
constexpr Real first_spring_stiffness = 10;
constexpr Real spring_stiffening = 100;
constexpr Real spring_softening = Real(0.1);
constexpr Real least_spring_stiffness = Real(0.05);
constexpr Real least_spring_stiffening = Real(1.2);

// The number of contacts of the same pair at the place of contact k, itself included.
PEGRASP_HD inline int contacts_there(const SceneView& s, int k, double apart) {
  const Contact& own = s.contacts[k];
  const int end = s.tally->contact_count;
  int first = k;
  while (first > 0 && s.contacts[first - 1].pair == own.pair) --first;
  int count = 0;
  for (int i = first; i < end && s.contacts[i].pair == own.pair; ++i) {
    if (norm(s.contacts[i].p - own.p) <= apart) ++count;
  }
  return count;
}

// Penalties of the rows of contact k, 1 / C. The linear part of the normal row alone moves 1 / m_a + 1 / m_b.
PEGRASP_HD inline void set_spring(const SceneView& s, int k, Real stiffness, double apart) {
  constexpr int linear = dof == 6 ? 3 : 2;
  const Block& block = s.blocks[k];
  const Real each = stiffness / static_cast<Real>(contacts_there(s, k, apart));
  const Row& normal = s.rows[block.first_row];
  Real inverse_mass = 0;
  for (int c = 0; c < linear; ++c) inverse_mass += normal.ja[c] * normal.wa[c] + normal.jb[c] * normal.wb[c];
  const Real penalty = inverse_mass > 0 ? each / inverse_mass : Real(0);
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    const Real own = s.rows[i].compliance;  // of a shell, which is the spring
    s.row_penalty[i] = {Real(0), own > 0 ? 1 / own : penalty};
  }
}

// Springs, in the states of the impulses in p_bar.
template <class Team>
PEGRASP_HD void begin_springs(Team& team, const SceneView& s, const NewtonVectors& n, Real stiffness, double apart) {
  for_each(team, s.tally->row_count, [&](int i) {
    const bool joint = is_bilateral(s.blocks[s.row_block[i]]);  // not softened
    set_stiffness(s, i, joint ? stiffness : drive_stiffness);
    n.p[i] = n.p_bar[i];
  });
  for_each(team, s.tally->contact_count, [&](int k) { set_spring(s, k, stiffness, apart); });
  newton_unprojected(team, s, n);
  for_each(team, s.tally->block_count, [&](int k) {
    const Block& block = s.blocks[k];
    const Real* const p_bar = n.p_bar + block.first_row;
    const bool empty = pushes(block) && !(p_bar[0] > 0);
    s.block_state[k] = natural_state(block, empty ? n.y + block.first_row : p_bar, Real(0.999));
  });
}

struct SharedLoads {
  int steps;
  bool settled;
};

// The stiffness to try after `stiffness`, whether that settled or not; `reached` is the last that did, or 0. Returns 0
// if there is none.
PEGRASP_HD inline Real next_stiffness(Real stiffness, Real reached) {
  if (stiffness == reached) {
    const Real stiffer = spring_stiffening * stiffness;
    return stiffer < spring_stiffness ? stiffer : spring_stiffness;
  }
  if (!(reached > 0)) return stiffness > least_spring_stiffness ? spring_softening * stiffness : Real(0);
  const Real between = root(stiffness * reached);
  return between > least_spring_stiffening * reached ? between : Real(0);
}

// In: s.p, s.v, the last impulses. Out: those of the stiffest springs that settle within `steps`. If none do, s.p and
// s.v are unchanged.
template <class Team>
PEGRASP_HD_APART SharedLoads share_loads(Team& team, SceneView& s, const StepOptions& options, int steps) {
  constexpr int settling_steps = 16;  // per stage
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0) return {0, false};
  const Real close = spring_closeness * static_cast<Real>(options.tolerance);
  const NewtonVectors n{s.p_newton, s.p_other, s.p_trial, s.v_other};
  Real stiffness = first_spring_stiffness;
  Real reached = 0;
  take_start(team, s, n);
  begin_springs(team, s, n, stiffness, options.penetration_tolerance);
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
    if (changed == 0 && balance <= close) {
      reached = stiffness;
      for_each(team, s.tally->row_count, [&](int i) { s.p[i] = n.p_bar[i] = n.p[i]; });
      for_each_velocity(team, s, [&](int i) { s.v[i] = n.v[i]; });
      if (reached >= spring_stiffness) break;
    } else if (settling < settling_steps) {
      continue;
    } else {
      for_each_velocity(team, s, [&](int i) { n.v[i] = s.v[i]; });
    }
    stiffness = next_stiffness(stiffness, reached);
    if (!(stiffness > 0)) break;
    begin_springs(team, s, n, stiffness, options.penetration_tolerance);
    settling = 0;
    fewest = s.tally->block_count + 1;
    newton_balance(team, s, n);
  }
  if (!(reached > 0)) return {step, false};
  velocities(team, s, s.p, s.v);
  return {step, true};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
