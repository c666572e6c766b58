// SPDX-License-Identifier: Apache-2.0
// Free boundaries on grids: a membrane between obstacles, a journal bearing, Bratu's problem between bounds, and
// elastohydrodynamic lubrication.
#include <cmath>

#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

std::string label(const std::string& name, int n, const std::string& more = "") {
  return name + std::to_string(n) + (more.empty() ? "" : "_" + more);
}

// The five-point Laplacian, times h^2, on an m by m grid with zero boundary values.
SparseMatrix laplacian(int m) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto index = [m](int i, int j) { return i * m + j; };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      entries.emplace_back(index(i, j), index(i, j), 4.0);
      if (i > 0) entries.emplace_back(index(i, j), index(i - 1, j), -1.0);
      if (i < m - 1) entries.emplace_back(index(i, j), index(i + 1, j), -1.0);
      if (j > 0) entries.emplace_back(index(i, j), index(i, j - 1), -1.0);
      if (j < m - 1) entries.emplace_back(index(i, j), index(i, j + 1), -1.0);
    }
  }
  SparseMatrix a(m * m, m * m);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

// A membrane under the force c, above one obstacle or between two: P. G. Ciarlet, "The finite element method for
// elliptic problems", North-Holland 1978; obstacles of MCPLIB. An M-matrix: always one solution.
NamedProblem obstacle(int m, double c, bool both) {
  const double h = 1.0 / (m + 1);
  Vector lower(m * m), upper = Vector::Constant(m * m, inf);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const double s = std::sin(9.2 * h * (i + 1)) * std::sin(9.3 * h * (j + 1));
      lower[i * m + j] = s * s * s;
      if (both) upper[i * m + j] = s * s + 0.2;
    }
  }
  NamedProblem problem = linear_problem(label("obstacle", m, (both ? "both_" : "low_") + std::to_string(int(c))),
                                        laplacian(m), Vector::Constant(m * m, -c * h * h), lower, upper);
  problem.starts.push_back(lower);
  problem.answer = Answer::solvable;
  return problem;
}

// Pressure in a journal bearing of eccentricity e: G. Cimatti, Appl. Math. Optim. 3 (1977) 227-242; MINPACK-2 problem
// collection (Averick and others 1992). p >= 0 _|_ -div((1 + e cos s)^3 grad p) - e sin s, on (0, 2 pi) x (0, 20).
NamedProblem bearing(int m, double e) {
  const double length = 2.0 * std::acos(-1.0), width = 20.0;
  const double hx = length / (m + 1), hy = width / (m + 1);
  const auto film = [e](double s) {
    const double t = 1.0 + e * std::cos(s);
    return t * t * t;
  };
  std::vector<Eigen::Triplet<double>> entries;
  Vector q(m * m);
  const auto index = [m](int i, int j) { return i * m + j; };
  for (int i = 0; i < m; ++i) {
    const double s = (i + 1) * hx;
    const double west = film(s - 0.5 * hx) * hy / hx, east = film(s + 0.5 * hx) * hy / hx, across = film(s) * hx / hy;
    for (int j = 0; j < m; ++j) {
      entries.emplace_back(index(i, j), index(i, j), west + east + 2.0 * across);
      if (i > 0) entries.emplace_back(index(i, j), index(i - 1, j), -west);
      if (i < m - 1) entries.emplace_back(index(i, j), index(i + 1, j), -east);
      if (j > 0) entries.emplace_back(index(i, j), index(i, j - 1), -across);
      if (j < m - 1) entries.emplace_back(index(i, j), index(i, j + 1), -across);
      q[index(i, j)] = -e * std::sin(s) * hx * hy;
    }
  }
  SparseMatrix a(m * m, m * m);
  a.setFromTriplets(entries.begin(), entries.end());
  NamedProblem problem = lcp(label("bearing", m, e > 0.5 ? "thin" : "mild"), a, q);
  problem.answer = Answer::solvable;
  return problem;
}

// -Laplace(x) = lambda exp(x), 0 <= x <= 4: R. H. W. Hoppe and H. D. Mittelmann, IMA J. Numer. Anal. 9 (1989) 177-193.
// Without the bounds there is no solution beyond lambda = 6.81; with them there always is one, as the box is compact.
NamedProblem bratu(int m, double lambda) {
  NamedProblem named;
  named.name = label("bratu", m, std::to_string(lambda).substr(0, 4));
  const double h = 1.0 / (m + 1);
  named.problem.lower = Vector::Zero(m * m);
  named.problem.upper = Vector::Constant(m * m, 4.0);
  named.starts = {Vector::Zero(m * m), Vector::Constant(m * m, 4.0)};
  named.problem.evaluate = [a = laplacian(m), scale = lambda * h * h](const Vector& x, Vector& f,
                                                                      SparseMatrix* jacobian) {
    f = a * x;
    for (Eigen::Index i = 0; i < x.size(); ++i) f[i] -= scale * std::exp(x[i]);
    if (jacobian) {
      *jacobian = a;
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        jacobian->coeffRef(static_cast<int>(i), static_cast<int>(i)) -= scale * std::exp(x[i]);
      }
    }
    return true;
  };
  named.answer = Answer::solvable;
  return named;
}

// Line contact of two lubricated elastic cylinders: M. M. Kostreva, "Elasto-hydrodynamic lubrication: a non-linear
// complementarity problem", Int. J. Numer. Meth. Fluids 4 (1984) 377-397; grid, data and start of MCPLIB's ehl_kost.
// Variables: the film constant k (free), which the load determines, and the pressures p_1 .. p_N >= 0, with Reynolds'
// equation where they are positive. The film h_j midway between nodes j and j + 1 is linear in k and p.
NamedProblem lubrication(int n, double alpha, double lambda) {
  const double pi = std::acos(-1.0), inlet = -3.0, outlet = 2.0, dx = (outlet - inlet) / n;
  // The film: base_j + k + sum_i influence(j, i) p_(i + 1).
  Vector base(n + 1);
  Eigen::MatrixXd influence = Eigen::MatrixXd::Zero(n + 1, n);
  for (int j = 0; j <= n; ++j) {
    const double x = inlet + (j + 0.5) * dx;
    base[j] = x * x + 1.0;
    for (int l = 0; l <= n; ++l) {
      const double d = (l - j - 0.5) * dx, weight = (l == 0 || l == n ? 0.5 : 1.0) / pi;
      const double entry = weight * d * std::log(std::abs(d));
      if (l < n) influence(j, l) += entry;      // times p_(l + 1)
      if (l > 1) influence(j, l - 2) -= entry;  // times p_(l - 1); p_0 = 0
    }
  }
  NamedProblem named;
  named.name = label("lubrication", n, std::to_string(alpha).substr(0, 5) + "_" + std::to_string(lambda).substr(0, 5));
  named.problem.lower = Vector::Zero(n + 1);
  named.problem.lower[0] = -inf;
  named.problem.upper = Vector::Constant(n + 1, inf);
  Vector start(n + 1);
  start[0] = 1.6;
  for (int i = 1; i <= n; ++i) start[i] = std::max(0.0, 1.0 - std::abs((inlet + 1.0 + i * dx) / 2.0));
  named.starts = {start};
  named.problem.evaluate = [=](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    const Vector film = base + influence * x.tail(n) + Vector::Constant(n + 1, x[0]);
    // The flux between nodes j and j + 1, and its derivatives by the film and by the pressures at both.
    Vector flux(n + 1), by_film(n + 1), by_left(n + 1), by_right(n + 1);
    for (int j = 0; j <= n; ++j) {
      const double left = j > 0 ? x[j] : 0.0, right = j < n ? x[j + 1] : 0.0, h = film[j];
      const double e = std::exp(-0.5 * alpha * (left + right));
      flux[j] = h * h * h * (right - left) * e;
      by_film[j] = 3.0 * h * h * (right - left) * e;
      by_right[j] = h * h * h * e - 0.5 * alpha * flux[j];
      by_left[j] = -h * h * h * e - 0.5 * alpha * flux[j];
    }
    f.resize(n + 1);
    f[0] = 1.0;
    for (int i = 1; i <= n; ++i) {
      f[0] -= 2.0 * dx / pi * (i == n ? 0.5 : 1.0) * x[i];
      f[i] = lambda / dx * (film[i] - film[i - 1]) - (flux[i] - flux[i - 1]) / (dx * dx);
    }
    if (!f.allFinite()) return false;
    if (jacobian) {
      Eigen::MatrixXd d = Eigen::MatrixXd::Zero(n + 1, n + 1);
      for (int i = 1; i <= n; ++i) {
        d(0, i) = -2.0 * dx / pi * (i == n ? 0.5 : 1.0);
        const double upper = lambda / dx - by_film[i] / (dx * dx), lower = -lambda / dx + by_film[i - 1] / (dx * dx);
        d(i, 0) = upper + lower;
        d.row(i).tail(n) += upper * influence.row(i) + lower * influence.row(i - 1);
        if (i < n) d(i, i + 1) -= by_right[i] / (dx * dx);
        d(i, i) -= (by_left[i] - by_right[i - 1]) / (dx * dx);
        if (i > 1) d(i, i - 1) += by_left[i - 1] / (dx * dx);
      }
      *jacobian = sparse(d);
    }
    return true;
  };
  named.answer = Answer::solvable;
  return named;
}

}  // namespace

std::vector<Family> continuum_families() {
  return {{"obstacle",
           [] {
             std::vector<NamedProblem> problems;
             for (const int m : {8, 15, 25}) {
               problems.push_back(obstacle(m, 1.0, false));
               problems.push_back(obstacle(m, 10.0, true));
             }
             return problems;
           }},
          {"obstacle_large",
           [] {
             return std::vector<NamedProblem>{obstacle(45, 1.0, false), obstacle(45, 10.0, true)};
           },
           true},
          {"bearing",
           [] {
             return std::vector<NamedProblem>{bearing(10, 0.1), bearing(10, 0.9), bearing(20, 0.1), bearing(20, 0.9)};
           }},
          {"bratu",
           [] {
             std::vector<NamedProblem> problems;
             for (const double lambda : {2.0, 6.0, 6.8, 10.0, 25.0}) problems.push_back(bratu(10, lambda));
             for (const double lambda : {6.0, 6.8}) problems.push_back(bratu(16, lambda));
             return problems;
           }},
          {"lubrication", [] {
             return std::vector<NamedProblem>{lubrication(30, 1.0, 6.057), lubrication(40, 1.0, 3.0),
                                              lubrication(50, 2.832, 6.057), lubrication(100, 2.832, 6.057)};
           }}};
}

}  // namespace pegrasp::problems
