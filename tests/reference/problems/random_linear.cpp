// SPDX-License-Identifier: Apache-2.0
// Random linear complementarity problems by the class of their matrix; R. W. Cottle, J.-S. Pang and R. E. Stone, "The
// linear complementarity problem", Academic Press 1992, chapter 3 has the classes and what is known of each. The seed
// is the last number of a name.
#include <cmath>

#include "tests/reference/problems/problem_set.hpp"
#include "tests/reference/problems/random.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

std::string label(const std::string& name, int n, std::uint64_t seed) {
  return name + std::to_string(n) + "_" + std::to_string(seed);
}

// Every size with every seed.
template <class Make>
std::vector<NamedProblem> series(std::initializer_list<int> sizes, std::uint64_t seeds, Make make) {
  std::vector<NamedProblem> problems;
  for (const int n : sizes) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) problems.push_back(make(n, seed));
  }
  return problems;
}

NamedProblem solvable(NamedProblem problem) {
  problem.answer = Answer::solvable;
  return problem;
}

// A A' / n + 0.1 I + skew: positive definite, not symmetric where `skew`. One solution for every q.
NamedProblem definite(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = gram(random.normal_matrix(n, n)) / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
  if (seed % 2 == 0) m += random.skew_matrix(n);
  return solvable(lcp(label("definite", n, seed), sparse(m), random.normal_vector(n)));
}

// P-matrices far from definite. Odd seeds: triangular with a positive diagonal, in a drawn order. Even seeds: D A E
// with A strictly diagonally dominant, D and E positive diagonals over four decades.
NamedProblem p_matrix(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m(n, n);
  if (seed % 2 == 1) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    for (int i = n - 1; i > 0; --i) {
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.integer(0, i))]);
    }
    m.setZero();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        // Off the diagonal no more than a few: a full triangle amplifies rounding like 2^n.
        const bool kept = i == j || random.chance(std::min(1.0, 4.0 / n));
        const double entry = i == j ? random.uniform(0.5, 1.5) : random.uniform(-3.0, 3.0);
        if (kept) m(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]) = entry;
      }
    }
  } else {
    static const double decades[] = {0.01, 0.1, 1.0, 10.0, 100.0};
    m = random.uniform_matrix(n, n, -1.0, 1.0);
    Vector d(n), e(n);
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) sum += i == j ? 0.0 : std::abs(m(i, j));
      m(i, i) = 1.05 * sum + 0.1;
      d[i] = decades[random.integer(0, 4)];
      e[i] = decades[random.integer(0, 4)];
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) m(i, j) = d[i] * m(i, j) * e[j];
    }
  }
  return solvable(lcp(label("p_matrix", n, seed), sparse(m), random.normal_vector(n)));
}

// P. T. Harker and J.-S. Pang, Lectures in Applied Mathematics 26 (1990) 265-284: M = A A' + B + D, B skew, D a
// positive diagonal, |a|, |b| < 5, d < 0.3, -500 < q < 0 (hphard) or q in (-500, 500).
NamedProblem harker_pang(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = gram(random.uniform_matrix(n, n, -5.0, 5.0));
  for (int i = 0; i < n; ++i) {
    m(i, i) += random.uniform(0.0, 0.3);
    for (int j = 0; j < i; ++j) {
      const double b = random.uniform(-5.0, 5.0);
      m(i, j) += b;
      m(j, i) -= b;
    }
  }
  return solvable(
      lcp(label("harker_pang", n, seed), sparse(m), random.uniform_vector(n, -500.0, seed % 2 == 0 ? 500.0 : 0.0)));
}

// Strictly copositive, thus copositive plus, and a Q-matrix: positive entries plus a skew matrix that is much larger.
NamedProblem copositive(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = random.uniform_matrix(n, n, 0.1, 1.0);
  m += 3.0 * random.skew_matrix(n);
  return solvable(lcp(label("copositive", n, seed), sparse(m), random.normal_vector(n)));
}

// Positive semidefinite of half rank plus a sparse skew part, solution drawn, a tenth of it degenerate.
NamedProblem semidefinite(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = gram(random.normal_matrix(n, n / 2)) / n;
  const Eigen::MatrixXd skew = random.skew_matrix(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      if (!random.chance(0.2)) continue;
      m(i, j) += skew(i, j);
      m(j, i) += skew(j, i);
    }
  }
  return planted(label("semidefinite", n, seed), m, Vector::Zero(n), Vector::Constant(n, inf), random, 0.1);
}

// M-matrices: a random weighted graph's Laplacian with 4 n edges and a small diagonal. Such a graph has no small
// separators: unlike those of grids, factors fill in.
NamedProblem m_matrix(int n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 0.01);
  for (int edge = 0; edge < 4 * n; ++edge) {
    const int i = random.integer(0, n - 1), j = random.integer(0, n - 1);
    const double weight = random.uniform(0.1, 1.0);
    if (i == j) continue;
    entries.emplace_back(i, i, weight);
    entries.emplace_back(j, j, weight);
    entries.emplace_back(i, j, -weight);
    entries.emplace_back(j, i, -weight);
  }
  SparseMatrix m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  return solvable(lcp(label("m_matrix", n, seed), m, random.normal_vector(n)));
}

// No structure at all, a tenth or all of the entries, and a drawn solution: there is one, and nothing promises that a
// pivotal method finds it.
NamedProblem general(int n, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m = random.normal_matrix(n, n);
  if (seed % 2 == 0) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (!random.chance(std::max(0.1, 3.0 / n)) && i != j) m(i, j) = 0.0;
      }
    }
  }
  return planted(label("general", n, seed), m, Vector::Zero(n), Vector::Constant(n, inf), random);
}

// The same with a third of the variables free and a third in boxes.
NamedProblem general_mixed(int n, std::uint64_t seed) {
  Random random(seed);
  const Eigen::MatrixXd m = random.normal_matrix(n, n);
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, inf);
  for (int i = 0; i < n; ++i) {
    const int kind = random.integer(0, 2);
    if (kind == 0) lower[i] = -inf;
    if (kind == 1) upper[i] = random.uniform(0.5, 2.0);
  }
  return planted(label("general_mixed", n, seed), m, lower, upper, random);
}

}  // namespace

std::vector<Family> random_families() {
  return {{"definite",
           [] {
             return series({10, 40, 100}, 4, definite);
           }},
          {"p_matrix",
           [] {
             return series({10, 40, 100}, 4, p_matrix);
           }},
          {"harker_pang",
           [] {
             return series({10, 30, 100}, 4, harker_pang);
           }},
          {"copositive",
           [] {
             return series({5, 15, 40}, 4, copositive);
           }},
          {"semidefinite",
           [] {
             return series({10, 40, 100}, 4, semidefinite);
           }},
          {"m_matrix",
           [] {
             return series({50, 300}, 3, m_matrix);
           }},
          {"m_matrix_large", [] { return series({1000}, 1, m_matrix); }, true},
          {"general",
           [] {
             return series({5, 10, 20, 40}, 6, general);
           },
           true},
          {"general_mixed",
           [] {
             return series({6, 12, 24, 48}, 6, general_mixed);
           },
           true}};
}

}  // namespace pegrasp::problems
