// SPDX-License-Identifier: Apache-2.0
// The step problem that every solver solves, seen as blocks of rows over bodies. Nothing here depends on the dimension.
//
//   v = v_free + M^-1 J^T p,   w = J v + bias + C p,   p_block in K_block,   w complementary to p on K
//
// The natural map r = p - proj_K(p - w / D~) vanishes at a solution. All solvers stop by max |r| D~ [m/s], the
// residual, which is stored. D~ is the mass-split diagonal (make_rows.hpp).
#pragma once

#include <cmath>

#include "kernels/scene/active.hpp"
#include "kernels/scene/vector.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

using Real = SolverReal;

PEGRASP_HD inline Real absolute(Real a) {
#if defined(PEGRASP_FAST_ARITHMETIC)
  return fabsf(a);
#else
  return fabs(a);
#endif
}
PEGRASP_HD inline Real root(Real a) {
#if defined(PEGRASP_FAST_ARITHMETIC)
  return sqrtf(a);
#else
  return sqrt(a);
#endif
}

PEGRASP_HD inline Real row_velocity(const Row& row, const Real* v) {
  const Real* va = v + dof * row.body_a;
  const Real* vb = v + dof * row.body_b;
  Real a = row.ja[0] * va[0];
  Real b = row.jb[0] * vb[0];
  for (int i = 1; i < dof; ++i) {
    a += row.ja[i] * va[i];
    b += row.jb[i] * vb[i];
  }
  return a + b + row.bias;
}

// Rows of the two halves of a coupling follow each other: the first of them, given either block.
PEGRASP_HD inline int first_half(const Block& half) { return half.first_row - half.owner % 2; }
// The velocity of a coupling: that of its halves together.
PEGRASP_HD inline Real coupling_velocity(const SceneView& s, const Block& half, const Real* v) {
  const Row* const row = s.rows + first_half(half);
  return row_velocity(row[0], v) + row_velocity(row[1], v);
}
// The block of row i where that is half of a coupling, else null. Scenes without couplings do not look for it.
PEGRASP_HD inline const Block* coupling_of_row(const SceneView& s, int i) {
  if (s.model->coupling_count == 0) return nullptr;
  const Block& block = s.blocks[s.row_block[i]];
  return block.kind == block_coupling ? &block : nullptr;
}

// The velocity w of row i of a block at velocities v and impulses p. The first row of a contact with alternatives
// follows the max rule.
PEGRASP_HD inline Real block_velocity(const SceneView& s, const Block& block, int i, const Real* v, const Real* p) {
  if (block.kind == block_coupling) return coupling_velocity(s, block, v);
  const Row& row = s.rows[i];
  Real w = row_velocity(row, v) + row.compliance * p[i];
  if (block.alternative_count == 0 || i != block.first_row) return w;
  for (int k = 0; k < block.alternative_count; ++k) {
    const Real other = row_velocity(s.rows[block.first_alternative + k], v);
    w = other > w ? other : w;
  }
  return w;
}

// Projects the rows q[first_row ...] of a block on its set (a contact's cone, a support point's disc, a servo's limit).
PEGRASP_HD inline void project(const Block& block, Real* q) {
  if (is_bilateral(block)) return;
  Real* x = q + block.first_row;
  int first = 0;
  Real radius = block.bound;
  if (pushes(block)) {
    x[0] = x[0] > 0 ? x[0] : Real(0);
    radius = block.bound * x[0];
    first = 1;
  }
  const int count = block.row_count - first;
  if (count <= 0) return;
  if (count == 1) {
    x[first] = x[first] > radius ? radius : (x[first] < -radius ? -radius : x[first]);
    return;
  }
  Real length2 = 0;
  for_few(first, block.row_count, [&](int i) { length2 += x[i] * x[i]; });
  if (!(length2 > radius * radius)) return;
  const Real factor = radius / root(length2);
  for_few(first, block.row_count, [&](int i) { x[i] = factor * x[i]; });
}

// A step of a projected gradient along one row with the given diagonal. A row that nothing can move keeps its impulse.
PEGRASP_HD inline Real descend(Real p, Real w, Real diagonal) { return diagonal > 0 ? p - w / diagonal : p; }

// v_body = v_free + sum of M^-1 J^T p over the body's rows, in row order.
PEGRASP_HD inline void body_velocity(const SceneView& s, int body, const Real* p, Real* v) {
  Real sum[dof];
  for (int i = 0; i < dof; ++i) sum[i] = static_cast<Real>(s.free_twist[dof * body + i]);
  PEGRASP_ROLLED
  for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
    const int row = s.body_row[k] >> 1;
    const Real* w = (s.body_row[k] & 1) ? s.rows[row].wb : s.rows[row].wa;
    for (int i = 0; i < dof; ++i) sum[i] += w[i] * p[row];
  }
  for (int i = 0; i < dof; ++i) v[dof * body + i] = sum[i];
}

template <class Team>
PEGRASP_HD void velocities(Team& team, const SceneView& s, const Real* p, Real* v) {
  for_each_active(team, s, [&](int body) { body_velocity(s, body, p, v); });
}

// One projected gradient step of a block from (p, v), with `diagonal` 0: mass-split scale, 1: the row's own diagonal.
// Writes the new impulses to q; returns the largest |q - p| D~ [m/s].
PEGRASP_HD inline Real block_step(const SceneView& s, const Block& block, const Real* p, const Real* v,
                                  bool own_diagonal, Real* q) {
  const int end = block.first_row + block.row_count;
  for_few(block.first_row, end, [&](int i) {
    const Real velocity = block_velocity(s, block, i, v, p);
    q[i] = descend(p[i], velocity, own_diagonal ? s.rows[i].diagonal : s.rows[i].scale);
  });
  project(block, q);
  Real largest = 0;
  for_few(block.first_row, end, [&](int i) { largest = max_or_nan(largest, absolute(q[i] - p[i]) * s.rows[i].scale); });
  return largest;
}

// Largest component of the natural map at (p, v) [m/s]; NaN when anything is NaN. Uses q as scratch.
template <class Team>
PEGRASP_HD Real natural_residual(Team& team, const SceneView& s, const Real* p, const Real* v, Real* q) {
  Real largest = 0;
  for (int k = team.rank(); k < s.tally->block_count; k += team.size()) {
    largest = max_or_nan(largest, block_step(s, s.blocks[k], p, v, false, q));
  }
  const double all = team.max(static_cast<double>(largest));
  team.sync();
  return static_cast<Real>(all);
}

// Sum over i < n of f(i) in a fixed order: four interleaved partial sums, then ((0 + 1) + (2 + 3)). Every rank sums
// all.
template <class F>
PEGRASP_HD inline Real fixed_sum(int n, const F& f) {
  Real part[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) part[k] += f(i + k);
  }
  for (int k = 0; i + k < n; ++k) part[k] += f(i + k);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

struct SolveReport {
  int iterations;
  Real residual;            // [m/s]
  bool infeasible = false;  // a proof shows that there is no solution
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
