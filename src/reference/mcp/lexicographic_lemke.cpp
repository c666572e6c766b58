// SPDX-License-Identifier: Apache-2.0
// The tableau holds w - M z - d z0 = q with d = 1, columns [w | z | z0 | q], one row a basic variable. The columns of w
// start as the identity, so they hold the inverse of the basis, by which the lexicographic test breaks its ties: no
// basis comes twice (4.9.1 in Cottle, Pang and Stone).
#include "reference/mcp/lexicographic_lemke.hpp"

#include <Eigen/LU>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/mcp/certificate.hpp"

namespace pegrasp::mcp {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Below this part of the tableau's largest entry a number counts as zero: a smaller pivot loses all digits. Larger, and
// true pivots are missed, which ends in false rays.
constexpr double pivot_zero = 1e-11;
constexpr double tie = 1e-12;  // ratios this near, relative, are equal: rounding would break ties in its own way

// The standard form and the way back: x = offset + sign * z for bounded variables, x_free = free_constant + free_matrix
// z.
struct StandardForm {
  Matrix m;
  Vector q;
  std::vector<Index> bounded, free;
  Vector sign, offset;
  Matrix free_matrix;
  Vector free_constant;
};

bool standard_form(const SparseMatrix& sparse, const Vector& q, const Vector& lower, const Vector& upper,
                   StandardForm& s) {
  const Matrix m = sparse;
  const Index n = q.size();
  std::vector<Index> boxed;
  for (Index i = 0; i < n; ++i) {
    const bool below = is_finite_bound(lower[i]), above = is_finite_bound(upper[i]);
    if (below && above) boxed.push_back(static_cast<Index>(s.bounded.size()));
    (below || above ? s.bounded : s.free).push_back(i);
  }
  const auto b = static_cast<Index>(s.bounded.size());
  s.sign.resize(b);
  s.offset.resize(b);
  for (Index k = 0; k < b; ++k) {
    const Index i = s.bounded[static_cast<std::size_t>(k)];
    s.sign[k] = is_finite_bound(lower[i]) ? 1.0 : -1.0;
    s.offset[k] = is_finite_bound(lower[i]) ? lower[i] : upper[i];
  }
  Matrix mbb = m(s.bounded, s.bounded);
  Vector qb = q(s.bounded) + mbb * s.offset;
  if (!s.free.empty()) {
    // 0 = Mff f + Mfb x + qf: the Schur complement of Mff.
    const Matrix mff = m(s.free, s.free), mfb = m(s.free, s.bounded), mbf = m(s.bounded, s.free);
    const Eigen::FullPivLU<Matrix> lu(mff);
    if (!lu.isInvertible()) return false;
    s.free_constant = -lu.solve(q(s.free) + mfb * s.offset);
    s.free_matrix = Matrix::Zero(mff.rows(), b);
    if (b > 0) {  // Eigen's triangular solver touches the first entry even where there is none
      const Matrix solved = lu.solve(mfb);
      s.free_matrix = -solved * s.sign.asDiagonal();
      mbb -= mbf * solved;
    }
    qb += mbf * s.free_constant;
  }
  // w = sign F, in z. A boxed variable's F may be negative at the upper bound: w = F + t, t >= 0 complementary to the
  // room that is left, (u - l) - z.
  const auto extra = static_cast<Index>(boxed.size());
  s.m = Matrix::Zero(b + extra, b + extra);
  s.q.resize(b + extra);
  s.m.topLeftCorner(b, b) = s.sign.asDiagonal() * mbb * s.sign.asDiagonal();
  s.q.head(b) = s.sign.asDiagonal() * qb;
  for (Index k = 0; k < extra; ++k) {
    const Index at = boxed[static_cast<std::size_t>(k)], i = s.bounded[static_cast<std::size_t>(at)];
    s.m(at, b + k) = 1.0;
    s.m(b + k, at) = -1.0;
    s.q[b + k] = upper[i] - lower[i];
  }
  return true;
}

class Tableau {
 public:
  explicit Tableau(const StandardForm& s) : n_(s.q.size()), t_(n_, 2 * n_ + 2), basic_(static_cast<std::size_t>(n_)) {
    t_.leftCols(n_).setIdentity();
    t_.middleCols(n_, n_) = -s.m;
    t_.col(2 * n_).setConstant(-1.0);
    t_.col(2 * n_ + 1) = s.q;
    for (Index i = 0; i < n_; ++i) basic_[static_cast<std::size_t>(i)] = i;
  }

  Index covering() const { return 2 * n_; }
  Index complement(Index variable) const { return variable < n_ ? variable + n_ : variable - n_; }
  double right(Index row) const { return t_(row, 2 * n_ + 1); }
  Index basic(Index row) const { return basic_[static_cast<std::size_t>(row)]; }

  // The first pivot: z0 enters where q is least, the last of equals. Lexicographically least (q_i, e_i): among equal
  // q_i the row whose unit vector has its one latest.
  Index first_row() const {
    Index best = 0;
    for (Index i = 1; i < n_; ++i)
      if (right(i) <= right(best)) best = i;
    return best;
  }

  // The row that leaves for `entering`: lexicographically least (q_i, B^-1 row i) / column_i over positive column_i. z0
  // goes first where it ties in q alone, for then the problem is solved. -1: a ray.
  Index leaving_row(Index entering) const {
    const double zero = pivot_zero * std::max(1.0, t_.col(entering).cwiseAbs().maxCoeff());
    Index best = -1;
    for (Index i = 0; i < n_; ++i) {
      if (!(t_(i, entering) > zero)) continue;
      if (best < 0 || lexicographically_less(i, best, entering)) best = i;
    }
    if (best < 0) return -1;
    for (Index i = 0; i < n_; ++i)
      if (basic(i) == covering() && t_(i, entering) > zero && compare(i, best, entering, 2 * n_ + 1) <= 0) return i;
    return best;
  }

  void pivot(Index row, Index entering) {
    t_.row(row) /= t_(row, entering);
    t_(row, entering) = 1.0;
    for (Index i = 0; i < n_; ++i) {
      const double factor = t_(i, entering);
      if (i == row || factor == 0.0) continue;
      t_.row(i) -= factor * t_.row(row);
      t_(i, entering) = 0.0;
    }
    basic_[static_cast<std::size_t>(row)] = entering;
  }

 private:
  // Sign of t(i, column) / t(i, entering) - t(k, column) / t(k, entering), zero where the two are equal but for
  // rounding.
  int compare(Index i, Index k, Index entering, Index column) const {
    const double a = t_(i, column) / t_(i, entering), b = t_(k, column) / t_(k, entering);
    if (std::abs(a - b) <= tie * std::max({1.0, std::abs(a), std::abs(b)})) return 0;
    return a < b ? -1 : 1;
  }

  bool lexicographically_less(Index i, Index k, Index entering) const {
    int sign = compare(i, k, entering, 2 * n_ + 1);
    for (Index column = 0; sign == 0 && column < n_; ++column) sign = compare(i, k, entering, column);
    return sign < 0;
  }

  Index n_;
  RowMatrix t_;
  std::vector<Index> basic_;
};

enum class End { solution, ray, limit };

End run(Tableau& tableau, std::int64_t max_pivots, std::int64_t& pivots) {
  Index row = tableau.first_row();
  if (tableau.right(row) >= 0.0) return End::solution;
  Index entering = tableau.covering();
  while (true) {
    if (pivots >= max_pivots) return End::limit;
    const Index leaving = tableau.basic(row);
    tableau.pivot(row, entering);
    ++pivots;
    if (leaving == tableau.covering()) return End::solution;
    entering = tableau.complement(leaving);
    row = tableau.leaving_row(entering);
    if (row < 0) return End::ray;
  }
}

}  // namespace

Result solve_lexicographic_lemke(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                                 std::int64_t max_pivots, double tolerance) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  const Index n = q.size();
  result.x = Vector::Zero(n);
  result.status = Status::bad_input;
  if (m.rows() != n || m.cols() != n || lower.size() != n || upper.size() != n) {
    result.message = "M, q and the bounds have different sizes";
    return result;
  }
  for (Index i = 0; i < n; ++i) {
    if (lower[i] <= upper[i] && std::isfinite(q[i])) continue;
    result.message = "row " + std::to_string(i) + ": not a number, or a lower bound above the upper one";
    return result;
  }
  result.x = Vector::Zero(n).cwiseMax(lower).cwiseMin(upper);
  result.status = Status::no_progress;
  StandardForm s;
  if (!standard_form(m, q, lower, upper, s)) {
    result.message = "the rows of the free variables do not determine them";
    return result;
  }
  const auto b = static_cast<Index>(s.bounded.size());
  Vector z = Vector::Zero(s.q.size());
  End end = End::solution;
  if (s.q.size() > 0) {
    Tableau tableau(s);
    end = run(tableau, max_pivots, result.statistics.pivots);
    for (Index row = 0; row < s.q.size(); ++row) {
      const Index variable = tableau.basic(row) - s.q.size();
      if (variable >= 0 && variable < s.q.size()) z[variable] = tableau.right(row);
    }
  }
  const Vector bounded_z = z.head(b);
  for (Index k = 0; k < b; ++k)
    result.x[s.bounded[static_cast<std::size_t>(k)]] = s.offset[k] + s.sign[k] * bounded_z[k];
  if (!s.free.empty()) result.x(s.free) = s.free_constant + s.free_matrix * bounded_z;
  result.x = result.x.cwiseMax(lower).cwiseMin(upper);
  const Vector f = m * result.x + q;
  result.residual = natural_residual(result.x, f, lower, upper);
  if (end == End::limit) {
    result.status = Status::pivot_limit;
    result.message = "pivot limit";
  } else if (end == End::ray) {
    result.message = "ended on a ray";
  } else if (result.residual <= tolerance * (1.0 + (n > 0 ? q.cwiseAbs().maxCoeff() : 0.0))) {
    result.status = Status::solved;
  } else {
    result.message = "rounding spoilt the tableau";
  }
  result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace pegrasp::mcp
