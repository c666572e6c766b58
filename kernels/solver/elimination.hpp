// SPDX-License-Identifier: Apache-2.0
// Newton's matrix, with a dof x dof block for every two bodies that touch, and its elimination. The next body is always
// one with the fewest neighbours left; pivots stay inside a body's block. Blocks are inverted, or in scenes with joints
// factored.
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline Real* matrix_block(const SceneView& s, int row, int column) {
  return s.newton_matrix + dof * dof * (row * s.model->node_count + column);
}

PEGRASP_HD inline std::uint64_t node_bit(int node) { return std::uint64_t{1} << node; }

// Links the bodies of a coupling: its first row, and the one behind it.
PEGRASP_HD inline void link_halves(const SceneView& s, const Row* row) {
  std::uint64_t all = 0;
  for (int half = 0; half < 2; ++half) {
    const int a = s.model->body_node[row[half].body_a];
    const int b = s.model->body_node[row[half].body_b];
    if (a >= 0) all |= node_bit(a);
    if (b >= 0) all |= node_bit(b);
  }
  for (std::uint64_t some = all; some != 0; some &= some - 1) s.node_links[lowest_bit(some)] |= all;
}

// Which bodies touch, and an order of elimination with little fill: always a body with the fewest neighbours left
// (minimum degree), the first of equals.
PEGRASP_HD inline void order_nodes(const SceneView& s) {
  const ModelView& m = *s.model;
  const int n = active_nodes(s);
  std::uint64_t left = 0;
  for (int i = 0; i < active_count(s); ++i) {
    const int node = m.body_node[active_body(s, i)];
    if (node < 0) continue;
    s.node_links[node] = node_bit(node);
    left |= node_bit(node);
  }
  for (int i = 0; i < s.tally->row_count; ++i) {
    const int a = m.body_node[s.rows[i].body_a];
    const int b = m.body_node[s.rows[i].body_b];
    if (a < 0 || b < 0) continue;
    s.node_links[a] |= node_bit(b);
    s.node_links[b] |= node_bit(a);
  }
  for (int k = 0; s.model->coupling_count > 0 && k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    if (block.kind == block_coupling && block.owner % 2 == 0) link_halves(s, s.rows + block.first_row);
  }
  for (int k = 0; k < n; ++k) {
    int next = -1;
    int fewest = n + 2;  // more than any has, and more than the two that end the search
    for (std::uint64_t some = left; some != 0 && fewest > 2; some &= some - 1) {  // itself and one other: no fill
      const int node = lowest_bit(some);
      const int degree = count_bits(s.node_links[node] & left);
      if (degree >= fewest) continue;
      fewest = degree;
      next = node;
    }
    left &= ~node_bit(next);
    const std::uint64_t later = s.node_links[next] & left;
    s.node_order[k] = next;
    s.node_later[next] = later;
    for (std::uint64_t some = later; some != 0; some &= some - 1) s.node_links[lowest_bit(some)] |= later;
  }
}

// Inverse of a dof x dof matrix in place, by elimination with row pivoting; false when a pivot vanishes. A finished
// column holds one of the inverse; swapped rows are swapped back as its columns. All indices are known at compile time
// once unrolled, so that a GPU keeps the matrix in registers.
PEGRASP_HD inline bool invert(Real* block) {
  Real a[dof][dof];
  bool swapped[dof][dof];
  PEGRASP_UNROLLED
  for (int i = 0; i < dof; ++i) {
    for (int j = 0; j < dof; ++j) a[i][j] = block[dof * i + j];
  }
  PEGRASP_UNROLLED
  for (int c = 0; c < dof; ++c) {
    PEGRASP_UNROLLED
    for (int i = c + 1; i < dof; ++i) {
      swapped[c][i] = absolute(a[i][c]) > absolute(a[c][c]);
      if (!swapped[c][i]) continue;
      for (int j = 0; j < dof; ++j) {
        const Real t = a[c][j];
        a[c][j] = a[i][j];
        a[i][j] = t;
      }
    }
    if (!(absolute(a[c][c]) > 0) || !is_finite(static_cast<double>(a[c][c]))) return false;
    const Real inverse = 1 / a[c][c];
    a[c][c] = 1;
    for (int j = 0; j < dof; ++j) a[c][j] *= inverse;
    PEGRASP_UNROLLED
    for (int i = 0; i < dof; ++i) {
      if (i == c) continue;
      const Real f = a[i][c];
      a[i][c] = 0;
      for (int j = 0; j < dof; ++j) a[i][j] -= f * a[c][j];
    }
  }
  PEGRASP_UNROLLED
  for (int c = dof - 1; c >= 0; --c) {
    PEGRASP_UNROLLED
    for (int i = dof - 1; i > c; --i) {
      if (!swapped[c][i]) continue;
      for (int k = 0; k < dof; ++k) {
        const Real t = a[k][c];
        a[k][c] = a[k][i];
        a[k][i] = t;
      }
    }
  }
  PEGRASP_UNROLLED
  for (int i = 0; i < dof; ++i) {
    for (int j = 0; j < dof; ++j) block[dof * i + j] = a[i][j];
  }
  return true;
}

// A 3 x 3 matrix.
struct Half {
  Real x[9];
};

PEGRASP_HD inline Half operator*(const Half& a, const Half& b) {
  Half c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      c.x[3 * i + j] = a.x[3 * i] * b.x[j] + a.x[3 * i + 1] * b.x[3 + j] + a.x[3 * i + 2] * b.x[6 + j];
  }
  return c;
}
PEGRASP_HD inline Half operator-(const Half& a, const Half& b) {
  Half c;
  for (int i = 0; i < 9; ++i) c.x[i] = a.x[i] - b.x[i];
  return c;
}

// By cofactors. False when the determinant vanishes.
PEGRASP_HD inline bool invert_half(const Half& h, Half& out) {
  const Real* a = h.x;
  const Real c0 = a[4] * a[8] - a[5] * a[7];
  const Real c1 = a[5] * a[6] - a[3] * a[8];
  const Real c2 = a[3] * a[7] - a[4] * a[6];
  const Real determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
  if (!(absolute(determinant) > 0) || !is_finite(static_cast<double>(determinant))) return false;
  const Real f = 1 / determinant;
  out = {{f * c0, f * (a[2] * a[7] - a[1] * a[8]), f * (a[1] * a[5] - a[2] * a[4]),  //
          f * c1, f * (a[0] * a[8] - a[2] * a[6]), f * (a[2] * a[3] - a[0] * a[5]),  //
          f * c2, f * (a[1] * a[6] - a[0] * a[7]), f * (a[0] * a[4] - a[1] * a[3])}};
  return true;
}

PEGRASP_HD inline Half load_half(const Real* from) {
  Half h;
  for (int i = 0; i < 9; ++i) h.x[i] = from[6 * (i / 3) + i % 3];
  return h;
}
PEGRASP_HD inline void store_half(const Half& h, Real* to) {
  for (int i = 0; i < 9; ++i) to[6 * (i / 3) + i % 3] = h.x[i];
}

PEGRASP_HD inline bool is_identity(const Real* block) {
  for (int i = 0; i < dof * dof; ++i) {
    if (block[i] != (i % (dof + 1) == 0 ? Real(1) : Real(0))) return false;
  }
  return true;
}

// Inverse of a 6 x 6 matrix in place, by halves: forces, then torques. As the block is close to positive definite,
// there is no pivoting between them, hence no branch, and only two divisions.
PEGRASP_HD inline bool invert_by_halves(Real* block) {
  Half p, schur;
  const Half q = load_half(block + 3), r = load_half(block + 18);
  if (!invert_half(load_half(block), p)) return false;
  const Half x = p * q;
  const Half y = r * p;
  if (!invert_half(load_half(block + 21) - r * x, schur)) return false;
  const Half z = schur * y;
  store_half(schur, block + 21);
  const Half none{};
  store_half(none - z, block + 18);
  store_half(none - x * schur, block + 3);
  const Half w = x * z;
  for (int i = 0; i < 9; ++i) p.x[i] += w.x[i];
  store_half(p, block);
  return true;
}

// x -= A y
PEGRASP_HD inline void subtract_product(const Real* a, const Real* y, Real* x) {
  for (int i = 0; i < dof; ++i) {
    Real sum = a[dof * i] * y[0];
    for (int j = 1; j < dof; ++j) sum += a[dof * i + j] * y[j];
    x[i] -= sum;
  }
}

// The penalties of joints leave an inverse no accurate digits: its error is
// magnified again by the next block. Factors only lose what the penalties alone
// cost. So scenes with joints keep L and U and the order of rows instead of an
// inverse.

// P D = L U in place, with the largest pivots of each column; row j of P D is row order[j] of D. False when a pivot
// vanishes.
PEGRASP_HD_APART bool factor(Real* block, int* order) {
  for (int i = 0; i < dof; ++i) order[i] = i;
  for (int c = 0; c < dof; ++c) {
    int best = c;
    for (int i = c + 1; i < dof; ++i) {
      if (absolute(block[dof * i + c]) > absolute(block[dof * best + c])) best = i;
    }
    if (!(absolute(block[dof * best + c]) > 0) || !is_finite(static_cast<double>(block[dof * best + c]))) return false;
    for (int j = 0; best != c && j < dof; ++j) {
      const Real swapped = block[dof * c + j];
      block[dof * c + j] = block[dof * best + j];
      block[dof * best + j] = swapped;
    }
    const int row = order[c];
    order[c] = order[best];
    order[best] = row;
    const Real inverse = 1 / block[dof * c + c];
    for (int i = c + 1; i < dof; ++i) {
      const Real f = block[dof * i + c] * inverse;
      block[dof * i + c] = f;
      for (int j = c + 1; j < dof; ++j) block[dof * i + j] -= f * block[dof * c + j];
    }
  }
  return true;
}

// f D = e, a row.
PEGRASP_HD inline void solve_row(const Real* factors, const int* order, const Real* e, Real* f) {
  Real x[dof];
  for (int j = 0; j < dof; ++j) {
    Real sum = e[j];
    for (int k = 0; k < j; ++k) sum -= x[k] * factors[dof * k + j];
    x[j] = sum / factors[dof * j + j];
  }
  for (int i = 0; i < dof; ++i) f[i] = 0;
  for (int j = dof - 1; j >= 0; --j) {
    for (int k = j + 1; k < dof; ++k) x[j] -= x[k] * factors[dof * k + j];
    for (int i = 0; i < dof; ++i) f[i] = order[j] == i ? x[j] : f[i];  // only indices known at compile time
  }
}

// D x = right.
PEGRASP_HD inline void solve_column(const Real* factors, const int* order, const Real* right, Real* x) {
  Real y[dof];
  for (int j = 0; j < dof; ++j) {
    Real sum = 0;
    for (int i = 0; i < dof; ++i) sum = order[j] == i ? right[i] : sum;
    for (int k = 0; k < j; ++k) sum -= factors[dof * j + k] * y[k];
    y[j] = sum;
  }
  for (int j = dof - 1; j >= 0; --j) {
    for (int k = j + 1; k < dof; ++k) y[j] -= factors[dof * j + k] * y[k];
    y[j] /= factors[dof * j + j];
    x[j] = y[j];
  }
}

PEGRASP_HD inline bool keeps_factors(const SceneView& s) { return has_joints(s); }

// --- elimination -----------------------------------------------------------------------------------------------------

// out = entry D^-1 of node c, row by row.
template <int rows>
PEGRASP_HD inline void divide_by_node(const SceneView& s, int c, const Real* entry, Real* out) {
  const Real* inverse = matrix_block(s, c, c);
  if (keeps_factors(s)) {
    for (int i = 0; i < rows; ++i) solve_row(inverse, s.node_pivot + dof * c, entry + dof * i, out + dof * i);
    return;
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < dof; ++j) {
      Real sum = entry[dof * i] * inverse[j];
      for (int k = 1; k < dof; ++k) sum += entry[dof * i + k] * inverse[dof * k + j];
      out[dof * i + j] = sum;
    }
  }
}

// Takes node c, whose block is already inverted or factored, out of `rows` rows, from `first` on, of the block row of
// r.
template <int rows>
PEGRASP_HD inline void eliminate_rows(const SceneView& s, int c, int r, int first) {
  Real f[rows * dof];
  divide_by_node<rows>(s, c, matrix_block(s, r, c) + dof * first, f);
  for (std::uint64_t left = s.node_later[c]; left != 0; left &= left - 1) {
    const int j = lowest_bit(left);
    const Real* from = matrix_block(s, c, j);
    Real* to = matrix_block(s, r, j) + dof * first;
    for (int i = 0; i < rows; ++i) {
      for (int column = 0; column < dof; ++column) {
        Real sum = f[dof * i] * from[column];
        for (int k = 1; k < dof; ++k) sum += f[dof * i + k] * from[dof * k + column];
        to[dof * i + column] -= sum;
      }
    }
  }
  const Real* right = s.newton_residual + dof * c;
  Real* x = s.newton_residual + dof * r + first;
  for (int i = 0; i < rows; ++i) {
    Real sum = f[dof * i] * right[0];
    for (int j = 1; j < dof; ++j) sum += f[dof * i + j] * right[j];
    x[i] -= sum;
  }
}

// x of node c, in place of its right-hand side, once those of later nodes are known.
PEGRASP_HD inline void substitute_back(const SceneView& s, int c) {
  Real right[dof];
  for (int i = 0; i < dof; ++i) right[i] = s.newton_residual[dof * c + i];
  for (std::uint64_t left = s.node_later[c]; left != 0; left &= left - 1) {
    const int j = lowest_bit(left);
    subtract_product(matrix_block(s, c, j), s.newton_residual + dof * j, right);
  }
  const Real* inverse = matrix_block(s, c, c);
  if (keeps_factors(s)) {
    solve_column(inverse, s.node_pivot + dof * c, right, s.newton_residual + dof * c);
    return;
  }
  for (int i = 0; i < dof; ++i) {
    Real sum = inverse[dof * i] * right[0];
    for (int j = 1; j < dof; ++j) sum += inverse[dof * i + j] * right[j];
    s.newton_residual[dof * c + i] = sum;
  }
}

// Without pivots the loss of digits grows with the penalties; inversion by halves serves below this.
constexpr Real stiffest_halves = Real(0.99e4);

PEGRASP_HD inline bool invert_node(const SceneView& s, int node, Real stiffness) {
  Real* block = matrix_block(s, node, node);
  if (keeps_factors(s)) return factor(block, s.node_pivot + dof * node);
  if constexpr (dof == 6) {
    if (is_identity(block)) return true;  // a body that nothing touches
    if (stiffness < stiffest_halves) return invert_by_halves(block);
  }
  return invert(block);
}

// The nodes of the order from k up to the returned one do not touch each other, not even by fill, so that several ranks
// eliminate them together.
PEGRASP_HD inline int end_of_run(const SceneView& s, int k, int ranks) {
  if (ranks == 1) return k + 1;
  std::uint64_t touched = 0;
  while (k < active_nodes(s) && (touched & node_bit(s.node_order[k])) == 0) touched |= s.node_later[s.node_order[k++]];
  return k;
}

// The same downwards: where the run that ends before k begins.
PEGRASP_HD inline int begin_of_run(const SceneView& s, int k, int ranks) {
  if (ranks == 1) return k - 1;
  std::uint64_t members = 0;
  while (k > 0 && (s.node_later[s.node_order[k - 1]] & members) == 0) members |= node_bit(s.node_order[--k]);
  return k;
}

// Eliminates the run's nodes from some rows of node r, one after the other.
template <int rows>
PEGRASP_HD inline void eliminate_run_from(const SceneView& s, int begin, int end, int r, int first) {
  for (int k = begin; k < end; ++k) {
    const int c = s.node_order[k];
    if ((s.node_later[c] & node_bit(r)) != 0) eliminate_rows<rows>(s, c, r, first);
  }
}

// Ranks take the rows of later nodes in turn, as these are often fewer than the ranks. Each goes straight to its own:
// ranks that wait for their turn inside one loop would work one after the other.
template <class Team>
PEGRASP_HD void eliminate_run(Team& team, const SceneView& s, int begin, int end) {
  std::uint64_t left = 0;
  for (int k = begin; k < end; ++k) left |= s.node_later[s.node_order[k]];
  if (team.size() == 1) {
    for (; left != 0; left &= left - 1) eliminate_run_from<dof>(s, begin, end, lowest_bit(left), 0);
  } else {
    const int rows = dof * count_bits(left);
    int passed = 0;  // nodes that were taken out of `left`
    for (int turn = team.rank(); turn < rows; turn += team.size()) {
      for (; passed < turn / dof; ++passed) left &= left - 1;
      eliminate_run_from<1>(s, begin, end, lowest_bit(left), turn % dof);
    }
  }
  team.sync();
}

// Solves matrix x = residual by block elimination along node_order; x replaces the residual. Pivots are sought within a
// body's block only; `stiffness` says how they are inverted. False when one vanishes. Every number is the sum it would
// be on one rank, in the same order.
template <class Team>
PEGRASP_HD_APART bool eliminate(Team& team, const SceneView& s, Real stiffness) {
  const int n = active_nodes(s);
  for (int begin = 0; begin < n;) {
    const int end = end_of_run(s, begin, team.size());
    double singular = 0.0;
    for (int k = begin + team.rank(); k < end; k += team.size()) {
      const int c = s.node_order[k];
      if (!invert_node(s, c, stiffness)) singular = 1.0;
    }
    singular = team.max(singular);
    team.sync();
    if (singular > 0.0) return false;
    eliminate_run(team, s, begin, end);
    begin = end;
  }
  for (int end = n; end > 0;) {
    const int begin = begin_of_run(s, end, team.size());
    for (int k = begin + team.rank(); k < end; k += team.size()) substitute_back(s, s.node_order[k]);
    team.sync();
    end = begin;
  }
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
