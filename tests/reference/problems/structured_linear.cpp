// SPDX-License-Identifier: Apache-2.0
// Linear problems with bounds on both sides, free rows, programs' optimality systems, bad conditioning and bad scales.
// The seed is the last number of a name.
#include <cmath>

#include "tests/reference/problems/problem_set.hpp"
#include "tests/reference/problems/random.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

std::string label(const std::string& name, int n, std::uint64_t seed) {
  return name + std::to_string(n) + "_" + std::to_string(seed);
}

// Convex quadratic programs over boxes, some rows with one bound, some with none.
NamedProblem box_quadratic(int n, std::uint64_t seed) {
  Random random(seed);
  const Eigen::MatrixXd m = gram(random.normal_matrix(n, n)) / n + 0.01 * Eigen::MatrixXd::Identity(n, n);
  Vector lower(n), upper(n);
  for (int i = 0; i < n; ++i) {
    lower[i] = random.chance(0.2) ? -inf : random.uniform(-1.0, 0.0);
    upper[i] = random.chance(0.2) ? inf : random.uniform(0.0, 1.0);
  }
  NamedProblem problem =
      linear_problem(label("box_quadratic", n, seed), sparse(m), 3.0 * random.normal_vector(n), lower, upper);
  problem.answer = Answer::solvable;
  return problem;
}

// Any matrix at all over a compact box: there is a solution by Brouwer's theorem. Even seeds: symmetric, a quadratic
// program that is not convex.
NamedProblem box_general(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = random.normal_matrix(n, n);
  if (seed % 2 == 0) m = 0.5 * (m + Eigen::MatrixXd(m.transpose()));
  // One by one: the order in which arguments are evaluated is the compiler's.
  const Vector q = random.normal_vector(n);
  const Vector lower = random.uniform_vector(n, -1.0, 0.0);
  const Vector upper = random.uniform_vector(n, 0.0, 1.0);
  NamedProblem problem = linear_problem(label("box_general", n, seed), sparse(m), q, lower, upper);
  problem.answer = Answer::solvable;
  return problem;
}

// Optimality system of min x'H x / 2 + c'x, A x >= b, E x = e, x in boxes or free: variables x, multipliers of A (>=
// 0), of E (free). With `quadratic` false H = 0. Optimal solution drawn, and with it c, b and e.
NamedProblem program(int n, std::uint64_t seed, bool quadratic) {
  Random random(seed);
  const int rows = n / 2, equal = std::max(1, n / 5), all = n + rows + equal;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(all, all);
  if (quadratic) m.topLeftCorner(n, n) = gram(random.normal_matrix(n, n / 2 + 1)) / n;
  for (int i = n; i < all; ++i) {
    for (int j = 0; j < n; ++j) {
      if (!random.chance(std::max(0.2, 2.0 / n))) continue;
      const double a = random.normal();
      m(i, j) = a;
      m(j, i) = -a;
    }
  }
  Vector lower = Vector::Zero(all), upper = Vector::Constant(all, inf);
  lower.tail(equal).setConstant(-inf);
  for (int j = 0; j < n; ++j) {
    if (quadratic && random.chance(0.3)) {
      lower[j] = -inf;
    } else if (random.chance(0.3)) {
      upper[j] = random.uniform(0.5, 2.0);
    }
  }
  return planted(label(quadratic ? "quadratic" : "linear", n, seed), m, lower, upper, random,
                 seed % 2 == 0 ? 0.2 : 0.0);
}

// Positive definite with condition 10^decades: H D H with a product of reflections H and D from 1 down, unsymmetric
// where the seed is even. The residual of a solution can be small all the same.
NamedProblem ill_conditioned(int n, int decades, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  // 10^(-decades i / (n - 1)) by repeated square roots would drag in libm: a geometric row from a fixed table instead.
  static const double step[] = {1.0, 0.46415888336127786, 0.21544346900318834};  // thirds of a decade
  for (int i = 0; i < n; ++i) {
    const int thirds = 3 * decades * i / (n - 1);
    double d = step[thirds % 3];
    for (int k = 0; k < thirds / 3; ++k) d /= 10.0;
    m(i, i) = d;
  }
  for (int k = 0; k < 3; ++k) {
    const Vector v = random.normal_vector(n);
    double norm = 0.0;
    for (int i = 0; i < n; ++i) norm += v[i] * v[i];
    // m <- (I - 2 v v'/v'v) m (I - 2 v v'/v'v), entry by entry.
    const Eigen::MatrixXd transposed = m.transpose();
    const Vector mv = product(m, v), vm = product(transposed, v);
    double vmv = 0.0;
    for (int i = 0; i < n; ++i) vmv += v[i] * mv[i];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        m(i, j) += -2.0 * v[i] * vm[j] / norm - 2.0 * mv[i] * v[j] / norm + 4.0 * v[i] * v[j] * vmv / (norm * norm);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) m(i, j) = m(j, i) = 0.5 * (m(i, j) + m(j, i));
  }
  // The smallest eigenvalue is not to be lost in what rounding did.
  for (int i = 0; i < n; ++i) m(i, i) += 1e-15;
  if (seed % 2 == 0) m += 0.1 * random.skew_matrix(n);
  return planted("condition1e" + std::to_string(decades) + "_" + std::to_string(n) + "_" + std::to_string(seed), m,
                 Vector::Zero(n), Vector::Constant(n, inf), random);
}

// R M C of a strictly monotone mixed problem with free rows and boxes: R of powers of ten from 1e-`decades` to 1e3
// (with larger ones rounding alone would be above any tolerance), and C (even seeds) from 1e-3 to 1e3.
NamedProblem ill_scaled(int n, int decades, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = gram(random.normal_matrix(n, n)) / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
  m += random.skew_matrix(n);
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, inf);
  for (int i = 0; i < n; ++i) {
    const int kind = random.integer(0, 3);
    if (kind == 0) lower[i] = -inf;
    if (kind == 1) upper[i] = random.uniform(0.5, 2.0);
  }
  const NamedProblem plain = planted("", m, lower, upper, random);
  Vector q = plain.linear->q, x = plain.solutions.front();
  const auto power = [&random](int from, int to) {
    double s = 1.0;
    const int k = random.integer(from, to);
    for (int i = 0; i < std::abs(k); ++i) s = k > 0 ? s * 10.0 : s / 10.0;
    return s;
  };
  for (int i = 0; i < n; ++i) {
    const double r = power(-decades, std::min(decades, 3)), c = seed % 2 == 0 ? power(-3, 3) : 1.0;
    for (int j = 0; j < n; ++j) {
      m(i, j) *= r;
      m(j, i) *= c;
    }
    q[i] *= r;
    x[i] /= c;
    lower[i] /= c;
    upper[i] /= c;
  }
  NamedProblem problem =
      linear_problem("scaled1e" + std::to_string(decades) + "_" + std::to_string(n) + "_" + std::to_string(seed),
                     sparse(m), q, lower, upper);
  add_solution(problem, x);
  problem.solution_residual = 1e-10;
  return problem;
}

// Monotone mixed problems: semidefinite plus skew, a third of the rows free, a third boxed.
NamedProblem monotone_mixed(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = gram(random.normal_matrix(n, n / 2)) / n;
  m += random.skew_matrix(n);
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, inf);
  for (int i = 0; i < n; ++i) {
    const int kind = random.integer(0, 2);
    if (kind == 0) lower[i] = -inf;
    if (kind == 1) {
      lower[i] = -1.0;
      upper[i] = random.uniform(0.0, 2.0);
    }
  }
  return planted(label("monotone_mixed", n, seed), m, lower, upper, random, 0.1);
}

template <class Make>
std::vector<NamedProblem> series(std::initializer_list<int> sizes, std::uint64_t seeds, Make make) {
  std::vector<NamedProblem> problems;
  for (const int n : sizes) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) problems.push_back(make(n, seed));
  }
  return problems;
}

}  // namespace

std::vector<Family> structured_families() {
  return {{"box_quadratic",
           [] {
             return series({10, 40, 100}, 4, box_quadratic);
           }},
          {"box_general",
           [] {
             return series({5, 10, 20, 40}, 6, box_general);
           }},
          {"linear_program",
           [] {
             return series({8, 24, 60}, 4, [](int n, auto seed) { return program(n, seed, false); });
           }},
          {"quadratic_program",
           [] {
             return series({8, 24, 60}, 4, [](int n, auto seed) { return program(n, seed, true); });
           }},
          {"ill_conditioned",
           [] {
             std::vector<NamedProblem> problems;
             for (const int decades : {4, 8, 10, 12}) {
               for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                 problems.push_back(ill_conditioned(seed <= 2 ? 13 : 50, decades, seed));
               }
             }
             return problems;
           }},
          {"ill_scaled",
           [] {
             std::vector<NamedProblem> problems;
             for (const int decades : {2, 4, 6}) {
               for (std::uint64_t seed = 1; seed <= 4; ++seed) problems.push_back(ill_scaled(20, decades, seed));
             }
             return problems;
           }},
          {"monotone_mixed", [] {
             return series({9, 30, 90}, 4, monotone_mixed);
           }}};
}

}  // namespace pegrasp::problems
