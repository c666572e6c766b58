// SPDX-License-Identifier: Apache-2.0
// Random matrices and vectors that are the same bits on every machine: the engine is std::mt19937_64, whose values the
// standard fixes; the distributions, whose values it does not, are ours; sums run in one order (Eigen's would depend on
// the width of the vector unit).
#pragma once

#include <cstdint>
#include <random>

#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0, 1): the upper 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [low, high]; the bias of the remainder is of no account here.
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double p) { return uniform() < p; }
  // Near enough to normal, without libm: twelve uniform ones (Irwin and Hall).
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  Vector uniform_vector(int n, double low, double high) {
    Vector v(n);
    for (int i = 0; i < n; ++i) v[i] = uniform(low, high);
    return v;
  }
  Vector normal_vector(int n) {
    Vector v(n);
    for (int i = 0; i < n; ++i) v[i] = normal();
    return v;
  }
  Eigen::MatrixXd normal_matrix(int rows, int columns) {
    Eigen::MatrixXd m(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) m(i, j) = normal();
    }
    return m;
  }
  Eigen::MatrixXd uniform_matrix(int rows, int columns, double low, double high) {
    Eigen::MatrixXd m(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) m(i, j) = uniform(low, high);
    }
    return m;
  }
  // K = -K'.
  Eigen::MatrixXd skew_matrix(int n) {
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        m(i, j) = normal();
        m(j, i) = -m(i, j);
      }
    }
    return m;
  }

 private:
  std::mt19937_64 engine_;
};

inline Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      for (Eigen::Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

inline Vector product(const Eigen::MatrixXd& a, const Vector& x) {
  Vector y = Vector::Zero(a.rows());
  for (Eigen::Index k = 0; k < a.cols(); ++k) {
    for (Eigen::Index i = 0; i < a.rows(); ++i) y[i] += a(i, k) * x[k];
  }
  return y;
}

// A A', of rank min(rows, columns).
inline Eigen::MatrixXd gram(const Eigen::MatrixXd& a) { return product(a, Eigen::MatrixXd(a.transpose())); }

// The problem whose solution is a drawn one: x strictly between its bounds with F = 0, or at a bound with F pushing
// outwards, or (`degenerate`: by that chance) at a bound with F = 0. q is chosen to fit.
inline NamedProblem planted(std::string name, const Eigen::MatrixXd& m, const Vector& lower, const Vector& upper,
                            Random& random, double degenerate = 0.0) {
  const int n = static_cast<int>(m.rows());
  Vector x(n), f = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    const bool low = lower[i] > -1e20, high = upper[i] < 1e20;
    const double l = low ? lower[i] : high ? upper[i] - 2.0 : -1.0, u = high ? upper[i] : l + 2.0;
    x[i] = random.uniform(l, u);
    const bool tie = random.chance(degenerate);
    const double push = tie ? 0.0 : random.uniform(0.1, 2.0);
    const int place = random.integer(0, 2);  // 0: below, 1: in between, 2: above, where there is a bound
    if (place == 0 && low) {
      x[i] = lower[i];
      f[i] = push;
    } else if (place == 2 && high) {
      x[i] = upper[i];
      f[i] = -push;
    }
  }
  NamedProblem problem = linear_problem(std::move(name), sparse(m), f - product(m, x), lower, upper);
  add_solution(problem, x);
  problem.solution_residual = 1e-10;  // of rounding q
  return problem;
}

}  // namespace pegrasp::problems
