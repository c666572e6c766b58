// SPDX-License-Identifier: Apache-2.0
// Collects the rows of a complementarity problem whose first unknowns are the velocities:
// F = m x + q + sum of value * x_i * x_j, with bounds and kinds of the variables.
#pragma once

#include <vector>

#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

class Assembly {
 public:
  // Row i belongs to variable i.
  int add(VariableKind kind, double lower, double upper) {
    kinds_.push_back(kind);
    lower_.push_back(lower);
    upper_.push_back(upper);
    constant_.push_back(0.0);
    return static_cast<int>(kinds_.size()) - 1;
  }
  int add_nonnegative(VariableKind kind) { return add(kind, 0.0, mcp::infinity); }
  int size() const { return static_cast<int>(kinds_.size()); }
  int add_free(VariableKind kind) { return add(kind, -mcp::infinity, mcp::infinity); }

  void linear(int row, int column, double value) { entries_.emplace_back(row, column, value); }
  void constant(int row, double value) { constant_[static_cast<std::size_t>(row)] += value; }
  void quadratic(int row, int i, int j, double value) { terms_.push_back({row, i, j, value}); }

  // row += factor * g' nu
  void rate(int row, const SparseVector& g, double factor = 1.0) {
    for (SparseVector::InnerIterator it(g); it; ++it) linear(row, static_cast<int>(it.index()), factor * it.value());
  }
  // An impulse along g: M nu - ... - g p = 0.
  void impulse(int column, const SparseVector& g, double factor = 1.0) {
    for (SparseVector::InnerIterator it(g); it; ++it)
      linear(static_cast<int>(it.index()), column, -factor * it.value());
  }

  FormulatedStep finish() const;

 private:
  std::vector<VariableKind> kinds_;
  std::vector<double> lower_, upper_, constant_;
  std::vector<Eigen::Triplet<double>> entries_;
  std::vector<FormulatedStep::QuadraticTerm> terms_;
};

// The problem of m, q and the quadratic terms.
mcp::Problem make_problem(const mcp::SparseMatrix& m, const mcp::Vector& q,
                          const std::vector<FormulatedStep::QuadraticTerm>& terms, mcp::Vector lower,
                          mcp::Vector upper);

// Eliminates the first `count` unknowns u of a linear problem, which are free. A is their block:
//   A u + B z + a = 0,   w = C u + D z + b   becomes   w = (D - C A^-1 B) z + (b - C A^-1 a)     (thesis 2.37, 2.38)
// with u = -A^-1 (a + B z) (2.39). Throws std::invalid_argument if A is singular.
struct Elimination {
  mcp::SparseMatrix m;  // D - C A^-1 B
  mcp::Vector q;        // b - C A^-1 a
  mcp::SparseMatrix back;
  mcp::Vector back_constant;
  mcp::Vector eliminated(const mcp::Vector& z) const { return back_constant + back * z; }
};
Elimination eliminate(const mcp::SparseMatrix& m, const mcp::Vector& q, int count);

}  // namespace pegrasp::reference
