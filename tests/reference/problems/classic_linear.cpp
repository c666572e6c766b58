// SPDX-License-Identifier: Apache-2.0
// Linear problems of the literature that are hard for pivoting: exponentially many pivots, cycling, degenerate
// vertices. Murty: K. G. Murty, "Linear complementarity, linear and nonlinear programming", Heldermann 1988.
#include <cmath>

#include "tests/reference/problems/problem_set.hpp"
#include "tests/reference/problems/random.hpp"

namespace pegrasp::problems {
namespace {

// Murty, chapter 6 (first in Math. Programming Study 7 (1978) 138-146): 1 on the diagonal, 2 below it,
// q_i = -(2^n + ... + 2^(n - i + 1)). From the ray of ones Lemke's method takes 2^n pivots. Solution (2^n, 0, ...).
NamedProblem murty(int n) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n);
  Vector q(n), x = Vector::Zero(n);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) m(i, j) = 2.0;
    sum += std::ldexp(1.0, n - i);
    q[i] = -sum;
  }
  x[0] = std::ldexp(1.0, n);
  NamedProblem problem = lcp("murty" + std::to_string(n), sparse(m), q);
  return add_solution(problem, x);
}

// The transpose with q = -1, explcp of MCPLIB (see small_nonlinear.cpp). Solution (0, ..., 0, 1).
NamedProblem exponential(int n) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) m(i, j) = 2.0;
  }
  NamedProblem problem = lcp("explcp" + std::to_string(n), sparse(m), Vector::Constant(n, -1.0));
  return add_solution(problem, Vector::Unit(n, n - 1));
}

// Y. Fathi, Math. Programming 17 (1979) 335-344: symmetric positive definite, the Gram matrix of Murty's, and still
// exponential. Solution (1, 0, ..., 0).
NamedProblem fathi(int n) {
  Eigen::MatrixXd m(n, n);
  for (int i = 0; i < n; ++i) {
    m(i, i) = 4.0 * i + 1.0;
    for (int j = i + 1; j < n; ++j) m(i, j) = m(j, i) = m(i, i) + 1.0;
  }
  NamedProblem problem = lcp("fathi" + std::to_string(n), sparse(m), Vector::Constant(n, -1.0));
  return add_solution(problem, Vector::Unit(n, 0));
}

// The circulant P-matrix on which Bard's principal pivoting cycles: K. G. Murty, "Note on a Bard-type scheme for
// solving the complementarity problem", Opsearch 11 (1974) 123-130. Longer ones by the same rule are P-matrices where n
// is odd (determinant 1 + 2^n; its proper principal submatrices are triangular up to a permutation).
NamedProblem bard(int n) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) m(i, (i + 1) % n) = 2.0;
  NamedProblem problem = lcp("bard" + std::to_string(n), sparse(m), Vector::Constant(n, -1.0));
  return add_solution(problem, Vector::Constant(n, 1.0 / 3.0));
}

// munson1 of MCPLIB.
NamedProblem munson() {
  Eigen::MatrixXd m(3, 3);
  m << 1, 2, 3, 0, 1, -1, 1, 1, 0;
  NamedProblem problem = lcp("munson1", sparse(m), vector({-1, 1, 1}));
  return add_solution(problem, vector({1, 0, 0}));
}

// min c'x, A x >= b, x >= 0 as the LCP ((0, -A'), (A, 0)), (c, -b).
NamedProblem program(const std::string& name, const Eigen::MatrixXd& a, const Vector& b, const Vector& c) {
  const Eigen::Index rows = a.rows(), n = a.cols();
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n + rows, n + rows);
  m.topRightCorner(n, rows) = -a.transpose();
  m.bottomLeftCorner(rows, n) = a;
  Vector q(n + rows);
  q << c, -b;
  return lcp(name, sparse(m), q);
}

// Linear programs on which the simplex method cycles.
std::vector<NamedProblem> cycling() {
  std::vector<NamedProblem> problems = {bard(3), bard(5), bard(9)};
  // E. M. L. Beale, Naval Res. Logist. Quart. 2 (1955) 269-275; optimum -1/20 at (1/25, 0, 1, 0).
  Eigen::MatrixXd a(3, 4);
  a << -0.25, 60, 0.04, -9, -0.5, 90, 0.02, -3, 0, 0, -1, 0;
  problems.push_back(program("beale", a, vector({0, 0, -1}), vector({-0.75, 150, -0.02, 6})));
  add_solution(problems.back(), vector({0.04, 0, 1, 0, 0, 1.5, 0.05}));
  // H. W. Kuhn, in M. L. Balinski and A. W. Tucker, SIAM Review 11 (1969) 347-377; optimum -2 at (2, 0, 2, 0).
  a << 2, 9, -1, -9, -1.0 / 3.0, -1, 1.0 / 3.0, 2, -2, -3, 1, 12;
  problems.push_back(program("kuhn", a, vector({0, 0, -2}), vector({-2, -3, 1, 12})));
  add_solution(problems.back(), vector({2, 0, 2, 0, 0, 0, 1}));
  return problems;
}

// Assignment problems: their vertices are degenerate, only n of 2 n - 1 basic variables are not zero. Costs are small
// integers, so that there are ties on top.
NamedProblem assignment(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(4 * n, n * n);
  Vector b(4 * n), c(n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c[i * n + j] = random.integer(1, 5);
      a(i, i * n + j) = a(n + j, i * n + j) = 1.0;
      a(2 * n + i, i * n + j) = a(3 * n + j, i * n + j) = -1.0;
    }
  }
  b << Vector::Ones(2 * n), -Vector::Ones(2 * n);
  NamedProblem problem = program("assignment" + std::to_string(n) + "_" + std::to_string(seed), a, b, c);
  problem.answer = Answer::solvable;
  return problem;
}

// Positive semidefinite of low rank, of integers, with solutions drawn so that many x_i and F_i vanish together.
NamedProblem ties(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd factor(n, n / 3 + 1);
  for (Eigen::Index i = 0; i < factor.rows(); ++i) {
    for (Eigen::Index j = 0; j < factor.cols(); ++j) factor(i, j) = random.integer(-1, 1);
  }
  const Eigen::MatrixXd m = gram(factor);
  Vector x(n), f(n);
  for (int i = 0; i < n; ++i) {
    const int kind = random.integer(0, 3);  // 0, 1: both zero
    x[i] = kind == 2 ? 1.0 : 0.0;
    f[i] = kind == 3 ? 1.0 : 0.0;
  }
  NamedProblem problem = lcp("ties" + std::to_string(n) + "_" + std::to_string(seed), sparse(m), f - product(m, x));
  return add_solution(problem, x);
}

// Bimatrix games (C. E. Lemke and J. T. Howson 1964): M = ((0, A), (B', 0)), q = -1, with A, B > 0. Copositive, not
// copositive plus; a solution gives an equilibrium. Few payoffs: ties.
NamedProblem bimatrix(int n, int levels, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      m(i, n + j) = 1.0 + random.integer(0, levels);
      m(n + j, i) = 1.0 + random.integer(0, levels);
    }
  }
  NamedProblem problem = lcp("bimatrix" + std::to_string(n) + "_" + std::to_string(levels) + "_" + std::to_string(seed),
                             sparse(m), Vector::Constant(2 * n, -1.0));
  problem.answer = Answer::solvable;
  return problem;
}

}  // namespace

std::vector<Family> classic_families() {
  return {{"exponential",
           [] {
             std::vector<NamedProblem> problems;
             for (const int n : {4, 8, 12, 16, 24, 32}) {
               problems.push_back(murty(n));
               problems.push_back(exponential(n));
               problems.push_back(fathi(n));
             }
             problems.push_back(exponential(100));
             problems.push_back(fathi(100));
             return problems;
           }},
          {"cycling",
           [] {
             std::vector<NamedProblem> problems = cycling();
             problems.push_back(munson());
             return problems;
           }},
          {"degenerate",
           [] {
             std::vector<NamedProblem> problems;
             for (std::uint64_t seed = 1; seed <= 4; ++seed) {
               problems.push_back(assignment(4, seed));
               problems.push_back(assignment(8, seed));
               problems.push_back(ties(12, seed));
               problems.push_back(ties(40, seed));
               problems.push_back(ties(100, seed));
             }
             return problems;
           }},
          {"bimatrix",
           [] {
             std::vector<NamedProblem> problems;
             for (std::uint64_t seed = 1; seed <= 5; ++seed) {
               problems.push_back(bimatrix(5, 3, seed));
               problems.push_back(bimatrix(15, 9, seed));
               problems.push_back(bimatrix(30, 1000, seed));
             }
             return problems;
           },
           true}};
}

}  // namespace pegrasp::problems
