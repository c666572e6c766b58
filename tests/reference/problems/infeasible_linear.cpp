// SPDX-License-Identifier: Apache-2.0
// Linear problems without a solution, and why there is none: contradictions of the signs and bounds alone, with the
// vector of Farkas that shows it (see mcp::check_certificate: y' F cannot be below zero, and is), and problems in which
// F >= 0, x >= 0 has solutions, and only complementarity fails.
#include <Eigen/LU>
#include <cmath>
#include <cstdint>

#include "tests/reference/problems/problem_set.hpp"
#include "tests/reference/problems/random.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

std::string label(const std::string& name, int n, std::uint64_t seed) {
  return name + std::to_string(n) + "_" + std::to_string(seed);
}

NamedProblem infeasible(NamedProblem problem, std::optional<Vector> farkas = std::nullopt) {
  problem.answer = Answer::infeasible;
  problem.farkas = std::move(farkas);
  return problem;
}

// A combination y >= 0 of rows in which no x >= 0 helps: y'M <= 0, y'q < 0. All but the last row are drawn; the last is
// what makes y'M = -s, y'q = -1 for a drawn y > 0 and s >= 0.
NamedProblem contradiction(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = random.normal_matrix(n, n);
  Vector q = random.normal_vector(n), y = Vector::Zero(n);
  for (int i = 0; i < n; ++i) y[i] = random.chance(0.5) || i == n - 1 ? random.uniform(0.5, 2.0) : 0.0;
  double rest = -1.0;
  for (int i = 0; i < n - 1; ++i) rest -= y[i] * q[i];
  q[n - 1] = rest / y[n - 1];
  for (int j = 0; j < n; ++j) {
    double sum = random.chance(0.5) ? 0.0 : -random.uniform(0.1, 1.0);
    // Rounding may leave y'M a hair above zero, against an unbounded x: a hair below is the same contradiction.
    sum -= 1e-9;
    for (int i = 0; i < n - 1; ++i) sum -= y[i] * m(i, j);
    m(n - 1, j) = sum / y[n - 1];
  }
  return infeasible(lcp(label("contradiction", n, seed), sparse(m), q), y);
}

// Two free rows that are parallel and disagree: x'a = 1 and x'a = 2, written with integers so that y'M is zero exactly.
NamedProblem parallel_rows(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) m(i, j) = random.integer(-4, 4);
  }
  m.row(n - 1) = 2.0 * m.row(0);
  Vector q(n), y = Vector::Zero(n), lower = Vector::Zero(n);
  for (int i = 0; i < n; ++i) q[i] = random.integer(-4, 4);
  q[n - 1] = 2.0 * q[0] - 1.0;
  lower[0] = lower[n - 1] = -inf;
  for (int i = 1; i < n / 2; ++i) lower[i] = -inf;
  y[0] = -2.0;
  y[n - 1] = 1.0;
  return infeasible(linear_problem(label("parallel_rows", n, seed), sparse(m), q, lower, Vector::Constant(n, inf)), y);
}

// Optimality system of min c'x, A x >= b, x >= 0: no x meets the constraints (even seeds), or the objective has no
// bound (odd seeds). Integers again.
NamedProblem program(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd a(n, n);
  Vector b(n), c(n), y = Vector::Zero(2 * n), weight(n);
  for (int i = 0; i < n; ++i) {
    weight[i] = random.integer(1, 3);
    b[i] = random.integer(-3, 3);
    c[i] = random.integer(1, 3);
    for (int j = 0; j < n; ++j) a(i, j) = random.integer(-3, 3);
  }
  weight[n - 1] = 1.0;
  if (seed % 2 == 0) {
    // weight' A <= 0 and weight' b > 0.
    for (int j = 0; j < n; ++j) {
      double sum = -random.integer(0, 2);
      for (int i = 0; i < n - 1; ++i) sum -= weight[i] * a(i, j);
      a(n - 1, j) = sum;
    }
    double sum = 1.0;
    for (int i = 0; i < n - 1; ++i) sum -= weight[i] * b[i];
    b[n - 1] = sum;
    y.tail(n) = weight;
  } else {
    // A weight >= 0 and c' weight < 0.
    for (int i = 0; i < n; ++i) {
      double sum = random.integer(0, 2);
      for (int j = 0; j < n - 1; ++j) sum -= a(i, j) * weight[j];
      a(i, n - 1) = sum;
    }
    double sum = -1.0;
    for (int j = 0; j < n - 1; ++j) sum -= c[j] * weight[j];
    c[n - 1] = sum;
    y.head(n) = weight;
  }
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  m.topRightCorner(n, n) = -a.transpose();
  m.bottomLeftCorner(n, n) = a;
  Vector q(2 * n);
  q << c, -b;
  return infeasible(lcp(label(seed % 2 == 0 ? "empty_program" : "unbounded_program", n, seed), sparse(m), q), y);
}

// A row that its finite box cannot reach: x_0 free, F_0 = (others, all within [0, 1]) - 2 n.
NamedProblem out_of_reach(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = random.normal_matrix(n, n);
  for (int j = 1; j < n; ++j) m(0, j) = random.uniform(0.0, 1.0);
  m(0, 0) = 0.0;
  Vector q = random.normal_vector(n), lower = Vector::Zero(n), upper = Vector::Ones(n);
  q[0] = -2.0 * n;
  lower[0] = -inf;
  upper[0] = inf;
  return infeasible(linear_problem(label("out_of_reach", n, seed), sparse(m), q, lower, upper), Vector::Unit(n, 0));
}

// Three by hand: F >= 0, x >= 0 can be met, complementarity cannot.
std::vector<NamedProblem> by_hand() {
  std::vector<NamedProblem> problems;
  Eigen::MatrixXd m(2, 2);
  m << 0, 1, 0, 1;  // F_0 = x_1 - 1 >= 0 wants x_1 > 0, then F_1 = x_1 + 1 > 0
  problems.push_back(infeasible(lcp("by_hand_1", sparse(m), vector({-1, 1}))));
  m << -1, 1, -1, 1;  // F = x_1 - x_0 - 1, x_1 - x_0 + 1: x_1 >= 1 + x_0 > 0, then F_1 >= 2
  problems.push_back(infeasible(lcp("by_hand_2", sparse(m), vector({-1, 1}))));
  Eigen::MatrixXd three(3, 3);
  // x_0: F_0 = x_1 + x_2 - 1, so x_1 or x_2 > 0; F_1 = F_2 = x_0 + x_1 + x_2 + 1 > 0.
  three << 0, 1, 1, 1, 1, 1, 1, 1, 1;
  problems.push_back(infeasible(lcp("by_hand_3", sparse(three), vector({-1, 1, 1}))));
  // The first several times over, joined by a nonnegative matrix that no solution of a part can use: each part needs
  // its own x_1 > 0, and F_1 > 0 there.
  for (const int parts : {2, 5}) {
    Eigen::MatrixXd joined = Eigen::MatrixXd::Zero(2 * parts, 2 * parts);
    Vector q(2 * parts);
    for (int k = 0; k < parts; ++k) {
      joined(2 * k, 2 * k + 1) = joined(2 * k + 1, 2 * k + 1) = 1.0;
      q[2 * k] = -1.0;
      q[2 * k + 1] = 1.0;
      joined(2 * k + 1, 2 * ((k + 1) % parts)) = 0.5;
    }
    problems.push_back(infeasible(lcp("by_hand_joined" + std::to_string(parts), sparse(joined), q)));
  }
  return problems;
}

// Whether all 2^n complementary bases of a small integer problem are regular and none gives a solution. Doubles decide
// it: the entries are multiples of 1 / det, a number of moderate size.
bool regular_and_unsolvable(const Eigen::MatrixXd& m, const Vector& q) {
  const int n = static_cast<int>(m.rows());
  for (int mask = 0; mask < (1 << n); ++mask) {
    // w - M z = q: columns of z in the mask, of w elsewhere.
    Eigen::MatrixXd basis(n, n);
    for (int j = 0; j < n; ++j) basis.col(j) = (mask >> j & 1) != 0 ? Vector(-m.col(j)) : Vector(Vector::Unit(n, j));
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(basis);
    if (std::abs(lu.determinant()) < 0.5) return false;  // an integer: zero
    if (lu.solve(q).minCoeff() > -1e-9) return false;    // a solution, or too near to one
  }
  return true;
}

// Small integer problems found to have no solution by trying them all, though F >= 0, x >= 0 has.
NamedProblem enumerated(int n, std::uint64_t seed) {
  Random random(seed * 1000 + static_cast<std::uint64_t>(n));
  for (;;) {
    Eigen::MatrixXd m(n, n);
    Vector q(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.integer(-3, 3);
      for (int j = 0; j < n; ++j) m(i, j) = random.integer(-3, 3);
    }
    // Feasible: a point with F >= 0, so that no vector of Farkas exists.
    bool feasible = false;
    for (int trial = 0; trial < 200 && !feasible; ++trial) {
      Vector z(n);
      for (int i = 0; i < n; ++i) z[i] = random.integer(0, 6);
      feasible = (product(m, z) + q).minCoeff() >= 0.0;
    }
    if (feasible && regular_and_unsolvable(m, q)) return infeasible(lcp(label("enumerated", n, seed), sparse(m), q));
  }
}

}  // namespace

std::vector<Family> infeasible_families() {
  return {{"infeasible",
           [] {
             std::vector<NamedProblem> problems;
             for (const int n : {4, 15, 50}) {
               for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                 problems.push_back(contradiction(n, seed));
                 problems.push_back(parallel_rows(n, seed));
                 problems.push_back(program(n, seed));
                 problems.push_back(out_of_reach(n, seed));
               }
             }
             return problems;
           }},
          {"not_complementary", [] {
             std::vector<NamedProblem> problems = by_hand();
             for (const int n : {3, 4, 5, 6}) {
               for (std::uint64_t seed = 1; seed <= 5; ++seed) problems.push_back(enumerated(n, seed));
             }
             return problems;
           }}};
}

}  // namespace pegrasp::problems
