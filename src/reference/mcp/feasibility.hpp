// SPDX-License-Identifier: Apache-2.0
// Decides whether there is an x within its bounds for which M x + q is within its bounds as well. The result is such an
// x, or a combination of the rows that shows that there is none (Farkas). Bounds may change between calls; each call
// starts from the basis of the last one.
//
// The method is the dual simplex method for bounded variables, with random costs that have no meaning, so that steps
// have a length (Koberstein 2005 describes the method; costs may be shifted freely where they lose their sign). The
// factors of the basis are sparse (basis_factor.hpp), the weights are those of dual steepest edge (Forrest and Goldfarb
// 1992).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/basis_factor.hpp"

namespace pegrasp::mcp {

// Real: double, or long double where the rounding of a double would decide.
template <class Real>
class Feasibility {
 public:
  using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  // M (n, n). The bounds of x and of F = M x + q are infinite until set_bounds() sets them. Numbers should be near one.
  Feasibility(SparseMatrix m, Vector q);

  // Bounds of x_j for j < n and of F_i for j = n + i. Infinite bounds are infinities.
  void set_bounds(int j, Real lower, Real upper);

  // A guess of x_j: it starts at the bound nearer to it.
  void suggest(int j, Real x) { value_[static_cast<std::size_t>(j)] = x; }

  enum class Answer { feasible, infeasible, failed };
  // failed: the limit on pivots was reached, or rounding spoilt the basis. The limit counts over all calls.
  Answer run(std::int64_t max_pivots);

  // Factorises again. run() does this on its own from time to time.
  void refresh() {
    norm_.setOnes();
    refactor();
  }

  // Entries of a pivot row below this do not enter. At the end smaller entries may decide.
  void set_pivot_tolerance(double tolerance) { pivot_tolerance_ = tolerance; }

  // Starts again, as the last resort where rounding spoilt the basis.
  void reset();

  Real x(int j) const { return value_[static_cast<std::size_t>(j)]; }       // when feasible
  Real f(int i) const { return value_[static_cast<std::size_t>(n_ + i)]; }  // when feasible
  const RealVector& multipliers() const { return y_; }                      // when infeasible: y'F >= 0 contradicts
  std::int64_t pivots() const { return pivots_; }

 private:
  using RowMajor = Eigen::SparseMatrix<double, Eigen::RowMajor>;

  ColumnView view(int j) const;
  bool factorise();
  void refactor();
  bool rows_hold() const;
  void place_nonbasic();
  void compute_basic();
  void compute_row();
  int leaving_position() const;
  int entering(Real direction);
  void add_column(int j, Real factor, RealVector& to) const;
  bool exchange(int r, int enters, Real direction);
  void update_norms(int r);
  void keep_multipliers(int r, Real direction);
  Real random_cost() { return static_cast<Real>(std::uniform_real_distribution<double>(0.5, 1.0)(random_)); }

  int n_;
  SparseMatrix m_;
  RowMajor rows_;  // m_
  Vector q_;
  std::vector<Real> lower_, upper_, value_, reduced_;  // (2n)
  std::vector<int> basic_, position_;  // (n) variable of a position; (2n) position of a variable, -1: nonbasic
  BasisFactor<Real> factor_;
  std::vector<ColumnView> columns_;  // (n) of the basis
  std::vector<int> all_rows_;        // (n) 0, 1, ..: of which a unit column is one
  std::vector<double> minus_ones_;   // (n) likewise
  RealVector rho_;                   // (n) the row of the inverse that leaves
  RealVector column_, tau_;          // (n) what enters, in terms of the basis; the inverse times rho
  RealVector norm_;          // (n) squared lengths of the rows of the inverse, about: the weights of dual steepest edge
  RealVector row_;           // (2n) the pivot row
  std::vector<int> banned_;  // entries of the pivot row that turned out to be rounding
  std::int64_t pivots_ = 0;
  double pivot_tolerance_ = 1e-9;
  RealVector y_;
  std::mt19937_64 random_{1};
};

extern template class Feasibility<double>;
extern template class Feasibility<long double>;

}  // namespace pegrasp::mcp
