// SPDX-License-Identifier: Apache-2.0
#include "src/reference/step/assembly.hpp"

#include <Eigen/SparseLU>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace pegrasp::reference {
namespace {

// F with products of unknowns. The Jacobian's pattern is fixed; a term knows where its two derivatives lie.
struct QuadraticSystem {
  mcp::SparseMatrix pattern;  // m, with capacity for the terms
  mcp::Vector q;
  mcp::SparseMatrix m;
  std::vector<FormulatedStep::QuadraticTerm> terms;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> places;  // of (row, i) and (row, j) in pattern's values

  bool evaluate(const mcp::Vector& x, mcp::Vector& f, mcp::SparseMatrix* jacobian) const {
    f = q;
    f += m * x;
    for (const auto& term : terms) f[term.row] += term.value * x[term.i] * x[term.j];
    if (jacobian == nullptr) return true;
    *jacobian = pattern;
    double* const values = jacobian->valuePtr();
    for (std::size_t k = 0; k < terms.size(); ++k) {
      values[places[k].first] += terms[k].value * x[terms[k].j];
      values[places[k].second] += terms[k].value * x[terms[k].i];
    }
    return true;
  }
};

Eigen::Index place_of(const mcp::SparseMatrix& matrix, int row, int column) {
  for (Eigen::Index k = matrix.outerIndexPtr()[column]; k < matrix.outerIndexPtr()[column + 1]; ++k) {
    if (matrix.innerIndexPtr()[k] == row) return k;
  }
  throw std::logic_error("a quadratic term has no place in the Jacobian");
}

mcp::SparseMatrix block(const mcp::SparseMatrix& m, Eigen::Index row, Eigen::Index column, Eigen::Index rows,
                        Eigen::Index columns) {
  return mcp::SparseMatrix(m.block(row, column, rows, columns));
}

}  // namespace

mcp::Problem make_problem(const mcp::SparseMatrix& m, const mcp::Vector& q,
                          const std::vector<FormulatedStep::QuadraticTerm>& terms, mcp::Vector lower,
                          mcp::Vector upper) {
  if (terms.empty()) return mcp::linear_problem(m, q, std::move(lower), std::move(upper));
  auto system = std::make_shared<QuadraticSystem>();
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < m.outerSize(); ++column) {
    for (mcp::SparseMatrix::InnerIterator it(m, column); it; ++it) entries.emplace_back(it.row(), it.col(), it.value());
  }
  for (const auto& term : terms) {
    entries.emplace_back(term.row, term.i, 0.0);
    entries.emplace_back(term.row, term.j, 0.0);
  }
  system->pattern.resize(m.rows(), m.cols());
  system->pattern.setFromTriplets(entries.begin(), entries.end());
  system->pattern.makeCompressed();
  system->q = q;
  system->m = m;
  system->terms = terms;
  for (const auto& term : terms) {
    system->places.emplace_back(place_of(system->pattern, term.row, term.i),
                                place_of(system->pattern, term.row, term.j));
  }
  mcp::Problem problem;
  problem.lower = std::move(lower);
  problem.upper = std::move(upper);
  problem.evaluate = [system = std::shared_ptr<const QuadraticSystem>(std::move(system))](
                         const mcp::Vector& x, mcp::Vector& f, mcp::SparseMatrix* jacobian) {
    return system->evaluate(x, f, jacobian);
  };
  return problem;
}

FormulatedStep Assembly::finish() const {
  FormulatedStep formulated;
  const auto n = static_cast<Eigen::Index>(kinds_.size());
  formulated.kinds = kinds_;
  formulated.m.resize(n, n);
  formulated.m.setFromTriplets(entries_.begin(), entries_.end());
  formulated.m.prune(0.0, 0.0);  // psi_1 - psi_k of contacts that share a normal
  formulated.m.makeCompressed();
  formulated.q = Eigen::Map<const mcp::Vector>(constant_.data(), n);
  formulated.quadratic = terms_;
  formulated.problem = make_problem(formulated.m, formulated.q, terms_, Eigen::Map<const mcp::Vector>(lower_.data(), n),
                                    Eigen::Map<const mcp::Vector>(upper_.data(), n));
  return formulated;
}

Elimination eliminate(const mcp::SparseMatrix& m, const mcp::Vector& q, int count) {
  const Eigen::Index rest = m.rows() - count;
  mcp::SparseMatrix a = block(m, 0, 0, count, count);
  a.makeCompressed();
  Eigen::SparseLU<mcp::SparseMatrix> factor(a);
  const char* const singular =
      "velocities cannot be eliminated: a mass is zero or joints say the same twice; use Form::mixed";
  if (factor.info() != Eigen::Success) throw std::invalid_argument(singular);

  Elimination result;
  result.back_constant = -factor.solve(mcp::Vector(q.head(count)));
  // Joints that repeat each other may leave a pivot of rounding's size rather than none.
  const double residual = (a * result.back_constant + q.head(count)).lpNorm<Eigen::Infinity>();
  const double scale = 1.0 + q.head(count).lpNorm<Eigen::Infinity>();
  constexpr double lost_digits = 1e-9;
  if (!(residual <= lost_digits * scale)) throw std::invalid_argument(singular);

  result.back.resize(count, rest);
  std::vector<Eigen::Triplet<double>> entries;
  const mcp::SparseMatrix b = block(m, 0, count, count, rest);
  for (int column = 0; column < rest; ++column) {
    if (b.outerIndexPtr()[column] == b.outerIndexPtr()[column + 1]) continue;  // acts on no body
    const mcp::Vector x = -factor.solve(mcp::Vector(b.col(column)));
    for (int row = 0; row < count; ++row) {
      if (x[row] != 0.0) entries.emplace_back(row, column, x[row]);
    }
  }
  result.back.setFromTriplets(entries.begin(), entries.end());
  const mcp::SparseMatrix c = block(m, count, 0, rest, count);
  result.m = block(m, count, count, rest, rest) + mcp::SparseMatrix(c * result.back);
  result.m.makeCompressed();
  result.q = q.tail(rest) + c * result.back_constant;
  return result;
}

}  // namespace pegrasp::reference
