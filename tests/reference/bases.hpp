// SPDX-License-Identifier: Apache-2.0
// Bases for the tests of their factors: sparse columns, random ones, and what a solve must reach.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "src/reference/mcp/basis_factor.hpp"

namespace pegrasp::mcp::bases {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Column {
  std::vector<int> rows;
  std::vector<double> values;
};

class Basis {
 public:
  Basis() = default;
  explicit Basis(const Matrix& dense) {
    for (Eigen::Index j = 0; j < dense.cols(); ++j) {
      Column column;
      for (Eigen::Index i = 0; i < dense.rows(); ++i) {
        if (dense(i, j) == 0.0) continue;
        column.rows.push_back(static_cast<int>(i));
        column.values.push_back(dense(i, j));
      }
      columns.push_back(column);
    }
  }
  int size() const { return static_cast<int>(columns.size()); }
  std::vector<ColumnView> views() const {
    std::vector<ColumnView> result;
    for (const Column& column : columns) result.push_back({column.rows, column.values});
    return result;
  }
  Matrix dense() const {
    Matrix result = Matrix::Zero(size(), size());
    for (int j = 0; j < size(); ++j) result.col(j) = vector(columns[j], size());
    return result;
  }
  static Vector vector(const Column& column, int n) {
    Vector result = Vector::Zero(n);
    for (std::size_t e = 0; e < column.rows.size(); ++e) result[column.rows[e]] = column.values[e];
    return result;
  }
  std::vector<Column> columns;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double symmetric() { return 2.0 * uniform() - 1.0; }
  Vector vector(int n) {
    Vector result(n);
    for (double& x : result) x = symmetric();
    return result;
  }
  // Without zeros, and none of them tiny.
  double entry() { return (below(2) ? 1.0 : -1.0) * (0.1 + uniform()); }
  Column column(int n, int entries) {
    std::vector<int> all(n);
    for (int i = 0; i < n; ++i) all[i] = i;
    Column result;
    for (int e = 0; e < std::min(n, entries); ++e) {
      std::swap(all[e], all[e + below(n - e)]);
      result.rows.push_back(all[e]);
      result.values.push_back(entry());
    }
    return result;
  }
  // About `units` of the columns are plus or minus unit vectors.
  Basis basis(int n, int entries, double units) {
    Basis result;
    for (int j = 0; j < n; ++j)
      result.columns.push_back(uniform() < units ? Column{{j}, {below(2) ? 1.0 : -1.0}}
                                                 : column(n, 1 + below(entries)));
    return result;
  }
  std::vector<int> permutation(int n) {
    std::vector<int> result(n);
    for (int i = 0; i < n; ++i) result[i] = i;
    for (int i = n - 1; i > 0; --i) std::swap(result[i], result[below(i + 1)]);
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

// Residual of a solve over what rounding explains: |b - A x| / (|A| |x| + |b|), largest row.
template <class A, class B>
typename B::Scalar backward_error(const A& a, const B& x, const B& b) {
  if (b.size() == 0) return 0;
  const auto scale = (a.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs()).maxCoeff();
  const auto residual = (b - a * x).cwiseAbs().maxCoeff();
  return scale > 0 ? residual / scale : residual;
}

inline void expect_solves(BasisFactor<double>& factor, const Matrix& dense, Random& random, double allowed) {
  const int n = static_cast<int>(dense.rows());
  Vector b = random.vector(n), sparse = Vector::Zero(n);
  if (n > 0) sparse[random.below(n)] = random.entry();
  for (const Vector& right : {b, sparse}) {
    Vector x = right, entering = right, transposed = right;
    factor.solve(x);
    EXPECT_LE(backward_error(dense, x, right), allowed);
    factor.solve_entering(entering);
    EXPECT_EQ((x - entering).cwiseAbs().sum(), 0.0);
    factor.solve_transposed(transposed);
    EXPECT_LE(backward_error(dense.transpose(), transposed, right), allowed);
  }
}

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace pegrasp::mcp::bases
