// SPDX-License-Identifier: Apache-2.0
// Joints solved directly, along their tree, in time that is linear in the joints.
//
// A joint of the tree hangs a body c on another body a. From the leaves to the roots, body after body,
//
//   v_c = F_c + N_c^-1 W_c p,   A = G_c N_c^-1 W_c,   p = -A^-1 (G_c F_c + b + G_a v_a)
//   N_a += W_a A^-1 G_a,        N_a F_a = f_a - sum of W_a A^-1 (G_c F_c + b)
//
// with N = I and f the free velocity plus what other impulses do, G the gradient of the joint's rows, W = M^-1 G^T (of
// the start of the step). Then velocities and the impulses p of the joints follow from the roots to the leaves. Nothing
// fills in (Featherstone's articulated bodies, in all coordinates of the bodies). Contacts, motors and limits are left
// to the method of accelerated_jacobi.hpp, whose every iteration then moves bodies that the tree holds together.
#pragma once

#include "kernels/solver/accelerated_jacobi.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A = L U in place, n <= loop_rows_most, with the largest pivots of each column; row k of L U is row order[k] of A.
// False when a pivot vanishes.
PEGRASP_HD_APART bool factor_small(int n, Real* a, int* order) {
  for (int i = 0; i < n; ++i) order[i] = i;
  for (int c = 0; c < n; ++c) {
    int best = c;
    for (int i = c + 1; i < n; ++i) {
      if (absolute(a[n * i + c]) > absolute(a[n * best + c])) best = i;
    }
    const Real pivot = a[n * best + c];
    if (!(absolute(pivot) > 0) || !is_finite(static_cast<double>(pivot))) return false;
    for (int j = 0; best != c && j < n; ++j) {
      const Real swapped = a[n * c + j];
      a[n * c + j] = a[n * best + j];
      a[n * best + j] = swapped;
    }
    const int row = order[c];
    order[c] = order[best];
    order[best] = row;
    for (int i = c + 1; i < n; ++i) {
      const Real f = a[n * i + c] / pivot;
      a[n * i + c] = f;
      for (int j = c + 1; j < n; ++j) a[n * i + j] -= f * a[n * c + j];
    }
  }
  return true;
}

// A x = right, by these factors; x may be `right`.
PEGRASP_HD inline void solve_small(int n, const Real* a, const int* order, const Real* right, Real* x) {
  Real y[loop_rows_most] = {};
  for (int i = 0; i < n; ++i) {
    y[i] = right[order[i]];
    for (int k = 0; k < i; ++k) y[i] -= a[n * i + k] * y[k];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) y[i] -= a[n * i + k] * y[k];
    y[i] /= a[n * i + i];
  }
  for (int i = 0; i < n; ++i) x[i] = y[i];
}

// A joint of the tree in the solve at hand: its rows, and its two bodies. parent -1: the child hangs on what does not
// answer; `carrier` is that body, or -1.
struct TreeJoint {
  int joint, first_row, rows;
  int child, parent, carrier;
};
PEGRASP_HD inline TreeJoint tree_joint(const SceneView& s, int joint) {
  const Block& block = s.blocks[s.joint_block[joint]];
  const int child = s.model->joint_child[joint];
  const Row& row = s.rows[block.first_row];
  const int other = row.body_a == child ? row.body_b : row.body_a;
  const bool none = other == child;
  const bool answers = !none && is_dynamic(s, other);
  return {joint, block.first_row, block.row_count, child, answers ? other : -1, none || answers ? -1 : other};
}
PEGRASP_HD inline const Real* gradient_of(const Row& row, int body) { return row.body_a == body ? row.ja : row.jb; }
PEGRASP_HD inline const Real* response_of(const Row& row, int body) { return row.body_a == body ? row.wa : row.wb; }
PEGRASP_HD inline Real product(const Real* a, const Real* b) {
  Real sum = a[0] * b[0];
  for (int i = 1; i < dof; ++i) sum += a[i] * b[i];
  return sum;
}

// Calls f(joint) for the joints of the tree that take part in the solve, from the leaves or from the roots.
template <class F>
PEGRASP_HD inline void for_tree(const SceneView& s, bool from_leaves, const F& f) {
  const int n = s.model->joint_count;
  for (int k = 0; k < n; ++k) {
    const int joint = s.model->joint_order[from_leaves ? k : n - 1 - k];
    if (s.model->joint_child[joint] >= 0 && s.joint_block[joint] >= 0) f(tree_joint(s, joint));
  }
}

// Whether block k belongs to a joint of the tree.
PEGRASP_HD inline bool in_tree(const SceneView& s, int k) {
  const Block& block = s.blocks[k];
  return block.kind == block_joint && s.model->joint_child[block.owner] >= 0;
}

// Factors of all bodies and joints. False when one is singular.
PEGRASP_HD_APART bool factor_tree(const SceneView& s) {
  const int n = s.model->joint_count;
  for (int k = 0; k < n; ++k) s.joint_block[k] = -1;
  for (int k = 0; k < s.tally->block_count; ++k) {
    if (s.blocks[k].kind == block_joint && s.blocks[k].row_count > 0) s.joint_block[s.blocks[k].owner] = k;
  }
  for (int i = 0; i < active_count(s); ++i) {
    Real* out = s.tree_body + dof * dof * active_body(s, i);
    for (int j = 0; j < dof * dof; ++j) out[j] = j % (dof + 1) == 0 ? Real(1) : Real(0);
    s.tree_hung[active_body(s, i)] = 0;
  }
  bool regular = true;
  for_tree(s, true, [&](const TreeJoint& t) {
    Real* body = s.tree_body + dof * dof * t.child;
    int* body_order = s.tree_body_pivot + dof * t.child;
    regular = regular && factor_small(dof, body, body_order);
    Real* own = s.tree_joint + joint_rows_most * joint_rows_most * t.joint;
    int* order = s.tree_joint_pivot + joint_rows_most * t.joint;
    s.tree_hung[t.child] = 1;
    for (int c = 0; regular && c < t.rows; ++c) {
      Real answer[dof] = {};
      solve_small(dof, body, body_order, response_of(s.rows[t.first_row + c], t.child), answer);
      for (int i = 0; i < t.rows; ++i) {
        own[t.rows * i + c] = product(gradient_of(s.rows[t.first_row + i], t.child), answer);
      }
    }
    regular = regular && factor_small(t.rows, own, order);
    if (!regular || t.parent < 0) return;
    Real* above = s.tree_body + dof * dof * t.parent;
    for (int c = 0; c < dof; ++c) {  // column c of W_a A^-1 G_a
      Real column[joint_rows_most] = {};
      for (int i = 0; i < t.rows; ++i) column[i] = gradient_of(s.rows[t.first_row + i], t.parent)[c];
      solve_small(t.rows, own, order, column, column);
      for (int i = 0; i < t.rows; ++i) {
        const Real* w = response_of(s.rows[t.first_row + i], t.parent);
        for (int r = 0; r < dof; ++r) above[dof * r + c] += w[r] * column[i];
      }
    }
  });
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (!regular || s.tree_hung[body] != 0) continue;
    regular = factor_small(dof, s.tree_body + dof * dof * body, s.tree_body_pivot + dof * body);
  }
  return regular;
}

// In: v, velocities without the tree's joints. Out: velocities with them, and their impulses in p. takes(body): whether
// the body is wanted; joints couple only bodies that are wanted alike.
template <class Takes>
PEGRASP_HD void hang_tree(const SceneView& s, Real* p, Real* v, const Takes& takes) {
  for_tree(s, true, [&](const TreeJoint& t) {
    if (!takes(t.child)) return;
    Real* below = v + dof * t.child;
    solve_small(dof, s.tree_body + dof * dof * t.child, s.tree_body_pivot + dof * t.child, below, below);
    Real* carried = s.tree_carried + joint_rows_most * t.joint;
    for (int i = 0; i < t.rows; ++i) {
      const Row& row = s.rows[t.first_row + i];
      carried[i] = product(gradient_of(row, t.child), below) + row.bias;
      if (t.carrier >= 0) carried[i] += product(gradient_of(row, t.carrier), v + dof * t.carrier);
    }
    if (t.parent < 0) return;
    Real asked[joint_rows_most] = {};
    solve_small(t.rows, s.tree_joint + joint_rows_most * joint_rows_most * t.joint,
                s.tree_joint_pivot + joint_rows_most * t.joint, carried, asked);
    for (int i = 0; i < t.rows; ++i) {
      const Real* w = response_of(s.rows[t.first_row + i], t.parent);
      for (int r = 0; r < dof; ++r) v[dof * t.parent + r] -= w[r] * asked[i];
    }
  });
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (s.tree_hung[body] != 0 || !takes(body)) continue;
    solve_small(dof, s.tree_body + dof * dof * body, s.tree_body_pivot + dof * body, v + dof * body, v + dof * body);
  }
  for_tree(s, false, [&](const TreeJoint& t) {
    if (!takes(t.child)) return;
    const Real* carried = s.tree_carried + joint_rows_most * t.joint;
    Real asked[joint_rows_most] = {};
    for (int i = 0; i < t.rows; ++i) {
      asked[i] = -carried[i];
      if (t.parent >= 0) asked[i] -= product(gradient_of(s.rows[t.first_row + i], t.parent), v + dof * t.parent);
    }
    solve_small(t.rows, s.tree_joint + joint_rows_most * joint_rows_most * t.joint,
                s.tree_joint_pivot + joint_rows_most * t.joint, asked, asked);
    Real pull[dof] = {};
    for (int i = 0; i < t.rows; ++i) {
      p[t.first_row + i] = asked[i];
      const Real* w = response_of(s.rows[t.first_row + i], t.child);
      for (int r = 0; r < dof; ++r) pull[r] += w[r] * asked[i];
    }
    solve_small(dof, s.tree_body + dof * dof * t.child, s.tree_body_pivot + dof * t.child, pull, pull);
    for (int r = 0; r < dof; ++r) v[dof * t.child + r] += pull[r];
  });
}

// Velocities of all bodies, and the impulses of the tree's joints, for the other impulses in p.
PEGRASP_HD_APART void solve_tree(const SceneView& s, Real* p, Real* v) {
  for (int k = 0; k < s.tally->block_count; ++k) {
    if (!in_tree(s, k)) continue;
    for (int i = 0; i < s.blocks[k].row_count; ++i) p[s.blocks[k].first_row + i] = 0;
  }
  for (int i = 0; i < active_count(s); ++i) body_velocity(s, active_body(s, i), p, v);
  hang_tree(s, p, v, [](int) { return true; });
}

// --- loops -----------------------------------------------------------------------------------------------------------

// Loops with so many rows are closed directly, too: S p = -w, with w the velocities of their rows without them and S
// what they answer by, which a solve of the tree for each row finds. More are left to the iteration. Couplings, of one
// row each, are closed with them.

PEGRASP_HD inline Real loop_velocity(const SceneView& s, int row, const Real* v) {
  const Block* const half = coupling_of_row(s, row);
  return half != nullptr ? coupling_velocity(s, *half, v) : row_velocity(s.rows[row], v);
}
PEGRASP_HD inline void set_loop_impulse(const SceneView& s, int row, Real impulse, Real* p) {
  p[row] = impulse;
  if (coupling_of_row(s, row) != nullptr) p[row + 1] = impulse;
}

// Lists the rows of couplings and of joints that close loops, and factors S. Uses p and v as scratch.
PEGRASP_HD_APART void factor_loops(const SceneView& s, Real* p, Real* v) {
  int count = 0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    const bool second_half = block.kind == block_coupling && block.owner % 2 != 0;
    if (!is_bilateral(block) || second_half || in_tree(s, k)) continue;
    for (int i = 0; i < block.row_count; ++i, ++count) {
      if (count < loop_rows_most) s.loop_row[count] = block.first_row + i;
    }
  }
  s.tally->loop_rows = 0;
  if (count == 0 || count > loop_rows_most) return;
  for (int i = 0; i < s.tally->row_count; ++i) p[i] = 0;
  solve_tree(s, p, v);
  for (int i = 0; i < count; ++i) s.loop_pull[i] = loop_velocity(s, s.loop_row[i], v);
  for (int c = 0; c < count; ++c) {
    const Real diagonal = s.rows[s.loop_row[c]].diagonal;
    const Real unit = diagonal > 0 ? 1 / diagonal : Real(1);
    set_loop_impulse(s, s.loop_row[c], unit, p);
    solve_tree(s, p, v);
    set_loop_impulse(s, s.loop_row[c], Real(0), p);
    for (int i = 0; i < count; ++i) {
      s.loop_answer[count * i + c] = (loop_velocity(s, s.loop_row[i], v) - s.loop_pull[i]) / unit;
    }
  }
  if (factor_small(count, s.loop_answer, s.loop_pivot)) s.tally->loop_rows = count;
}

// The same as solve_tree with loops closed.
PEGRASP_HD_APART void solve_tree_and_loops(const SceneView& s, Real* p, Real* v) {
  const int count = s.tally->loop_rows;
  for (int i = 0; i < count; ++i) set_loop_impulse(s, s.loop_row[i], Real(0), p);
  solve_tree(s, p, v);
  if (count == 0) return;
  for (int i = 0; i < count; ++i) s.loop_pull[i] = -loop_velocity(s, s.loop_row[i], v);
  solve_small(count, s.loop_answer, s.loop_pivot, s.loop_pull, s.loop_pull);
  for (int i = 0; i < count; ++i) set_loop_impulse(s, s.loop_row[i], s.loop_pull[i], p);
  solve_tree(s, p, v);
}

// The tree in the place of its rows in AJ.
struct TreeRows {
  template <class Team>
  PEGRASP_HD void velocities(Team& team, const SceneView& s, Real* p, Real* v) const {
    once(team, [&] { solve_tree_and_loops(s, p, v); });
  }
  PEGRASP_HD bool iterates(const SceneView& s, int block) const {
    return !is_bilateral(s.blocks[block]) || (s.tally->loop_rows == 0 && !in_tree(s, block));
  }
};

// In and out: s.p, s.v. Refuses at once scenes that have memory for Newton's matrix, and those whose tree is singular.
template <class Team>
PEGRASP_HD_APART SolveReport solve_over_tree(Team& team, SceneView& s, const StepOptions& options, int iterations) {
  constexpr Real refused = Real(1e30);
  if (s.newton_matrix != nullptr || !has_joints(s) || s.tally->alternative_count > 0) return {0, refused};
  double singular = 0.0;
  if (team.rank() == 0 && !factor_tree(s)) singular = 1.0;
  singular = team.max(singular);
  team.sync();
  if (singular > 0.0) return {0, refused};
  once(team, [&] { factor_loops(s, s.p_trial, s.v_trial); });
  const TreeRows tree;
  tree.velocities(team, s, s.p, s.v);
  SolveReport report = solve_accelerated_jacobi(team, s, options, iterations, tree);
  velocities(team, s, s.p, s.v);
  report.residual = natural_residual(team, s, s.p, s.v, s.p_trial);
  return report;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
