// SPDX-License-Identifier: Apache-2.0
// Nonlinear programs as complementarity problems: gradients over a box, and Karush-Kuhn-Tucker systems
//
//   x in [l, u] _|_ grad f - sum_k m_k grad g_k;   m_k >= 0 _|_ g_k(x) >= 0 (or m_k free, g_k = 0).
//
// Programs, starts and optima are those of W. Hock and K. Schittkowski, "Test examples for nonlinear programming
// codes", Springer 1981 (HS and their number). Objectives and constraints are written once; see dual.hpp.
#include <array>
#include <cmath>

#include "tests/reference/problems/dual.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

// `lagrangian`<T>(x, m, l): l = f - sum m_k g_k. Variables: x (n), then m. The gradient for the x_i is F; for the m_k,
// -gradient = g_k.
template <class Lagrangian>
NamedProblem kkt(std::string name, Vector lower, Vector upper, Vector start, int equalities, int inequalities,
                 Lagrangian lagrangian) {
  const Eigen::Index n = lower.size(), all = n + equalities + inequalities;
  Vector l = Vector::Zero(all), u = Vector::Constant(all, inf), s = Vector::Zero(all);
  l.head(n) = lower;
  u.head(n) = upper;
  s.head(n) = start;
  l.segment(n, equalities).setConstant(-inf);
  const std::size_t primal = static_cast<std::size_t>(n);
  return named(std::move(name), l, u, {s}, [lagrangian, primal](const auto& x, auto& f) {
    using T = std::decay_t<decltype(x[0])>;
    std::vector<Dual<T>> v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) v[i] = Dual<T>::variable(x[i], i, x.size());
    Dual<T> value;
    if (!lagrangian(v, value)) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      f[i] = i < primal ? value.derivative(i) : T(0.0) - value.derivative(i);
    }
    return true;
  });
}

// Minima over a box.
std::vector<NamedProblem> box_programs() {
  std::vector<NamedProblem> problems;
  const auto rosenbrock = [](const auto& x, auto& f) {
    f = 100.0 * square(x[1] - square(x[0])) + square(1.0 - x[0]);
    return true;
  };
  problems.push_back(kkt("hs1", vector({-inf, -1.5}), vector({inf, inf}), vector({-2, 1}), 0, 0, rosenbrock));
  add_solution(problems.back(), vector({1, 1}));
  problems.push_back(kkt("hs2", vector({-inf, 1.5}), vector({inf, inf}), vector({-2, 1}), 0, 0, rosenbrock));
  const double a = std::sqrt(598.0 / 1200.0), b = 400.0 * a * a * a;
  add_solution(problems.back(), vector({2.0 * a * std::cos(std::acos(1.0 / b) / 3.0), 1.5}));
  problems.back().solution_residual = 1e-11;
  problems.push_back(
      kkt("hs4", vector({1, 0}), vector({inf, inf}), vector({1.125, 0.125}), 0, 0, [](const auto& x, auto& f) {
        const auto d = x[0] + 1.0;
        f = d * d * d / 3.0 + x[1];
        return true;
      }));
  add_solution(problems.back(), vector({1, 0}));
  problems.push_back(kkt("hs5", vector({-1.5, -3}), vector({4, 3}), vector({0, 0}), 0, 0, [](const auto& x, auto& f) {
    using std::sin;
    f = sin(x[0] + x[1]) + square(x[0] - x[1]) - 1.5 * x[0] + 2.5 * x[1] + 1.0;
    return true;
  }));
  const double third = std::acos(-1.0) / 3.0;
  add_solution(problems.back(), vector({0.5 - third, -0.5 - third}));
  problems.push_back(kkt("hs38", Vector::Constant(4, -10.0), Vector::Constant(4, 10.0), vector({-3, -1, -3, -1}), 0, 0,
                         [](const auto& x, auto& f) {
                           f = 100.0 * square(x[1] - square(x[0])) + square(1.0 - x[0]) +
                               90.0 * square(x[3] - square(x[2])) + square(1.0 - x[2]) +
                               10.1 * (square(x[1] - 1.0) + square(x[3] - 1.0)) + 19.8 * (x[1] - 1.0) * (x[3] - 1.0);
                           return true;
                         }));
  add_solution(problems.back(), vector({1, 1, 1, 1}));
  problems.push_back(
      kkt("hs45", Vector::Zero(5), vector({1, 2, 3, 4, 5}), vector({2, 2, 2, 2, 2}), 0, 0, [](const auto& x, auto& f) {
        f = 2.0 - x[0] * x[1] * x[2] * x[3] * x[4] / 120.0;
        return true;
      }));
  add_solution(problems.back(), vector({1, 2, 3, 4, 5}));
  problems.push_back(kkt("hs110", Vector::Constant(10, 2.001), Vector::Constant(10, 9.999), Vector::Constant(10, 9.0),
                         0, 0, [](const auto& x, auto& f) {
                           using std::log;
                           using std::pow;
                           auto product = 1.0 * x[0];
                           f = square(log(x[0] - 2.0)) + square(log(10.0 - x[0]));
                           for (std::size_t i = 1; i < x.size(); ++i) {
                             f += square(log(x[i] - 2.0)) + square(log(10.0 - x[i]));
                             product = product * x[i];
                           }
                           f -= pow(product, 0.2);
                           return true;
                         }));
  add_solution(problems.back(), Vector::Constant(10, 9.350265833069384));
  return problems;
}

std::vector<NamedProblem> exponential_programs() {
  std::vector<NamedProblem> problems;
  for (const bool second : {false, true}) {
    problems.push_back(kkt(second ? "hs66" : "hs34", Vector::Zero(3), vector({100, 100, 10}), vector({0, 1.05, 2.9}), 0,
                           2, [second](const auto& x, auto& f) {
                             using std::exp;
                             if (value_of(x[0]) > 300.0 || value_of(x[1]) > 300.0) return false;
                             f = (second ? 0.2 * x[2] - 0.8 * x[0] : -x[0]) - x[3] * (x[1] - exp(x[0])) -
                                 x[4] * (x[2] - exp(x[1]));
                             return true;
                           }));
  }
  const double ten = std::log(10.0);
  add_solution(problems[0], vector({std::log(ten), ten, 10.0, 1.0 / ten, 0.1 / ten}));
  problems[1].answer = Answer::solvable;  // x = (0.18413, 1.20217, 3.32732)
  return problems;
}

// HS86 is A. R. Colville's first problem, whose KKT system is colvnlp in MCPLIB.
constexpr std::array<std::array<double, 5>, 10> colville_a = {{{-16, 2, 0, 1, 0},
                                                               {0, -2, 0, 0.4, 2},
                                                               {-3.5, 0, 2, 0, 0},
                                                               {0, -2, 0, -4, -1},
                                                               {0, -9, -2, 1, -2.8},
                                                               {2, 0, -4, 0, 0},
                                                               {-1, -1, -1, -1, -1},
                                                               {-1, -2, -3, -2, -1},
                                                               {1, 2, 3, 4, 5},
                                                               {1, 1, 1, 1, 1}}};
constexpr std::array<double, 10> colville_b = {-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1};
constexpr std::array<std::array<double, 5>, 5> colville_c = {{{30, -20, -10, 32, -10},
                                                              {-20, 39, -6, -31, 32},
                                                              {-10, -6, 10, -6, -10},
                                                              {32, -31, -6, 39, -20},
                                                              {-10, 32, -10, -20, 30}}};
constexpr std::array<double, 5> colville_d = {4, 8, 10, 6, 2}, colville_e = {-15, -27, -36, -18, -12};

NamedProblem colville() {
  NamedProblem problem = kkt("hs86", Vector::Zero(5), Vector::Constant(5, inf), vector({0, 0, 0, 0, 1}), 0, 10,
                             [](const auto& x, auto& f) {
                               f = 0.0 * x[0];
                               for (std::size_t j = 0; j < 5; ++j) {
                                 f += colville_e[j] * x[j] + colville_d[j] * x[j] * x[j] * x[j];
                                 for (std::size_t i = 0; i < 5; ++i) f += colville_c[i][j] * x[i] * x[j];
                               }
                               for (std::size_t k = 0; k < 10; ++k) {
                                 auto g = -colville_b[k] + colville_a[k][0] * x[0];
                                 for (std::size_t j = 1; j < 5; ++j) g += colville_a[k][j] * x[j];
                                 f -= x[5 + k] * g;
                               }
                               return true;
                             });
  problem.answer = Answer::solvable;  // x = (0.3, 0.33346761, 0.4, 0.42831010, 0.22396487), f = -32.34867897
  return problem;
}

// HS113, ten variables and eight constraints; f = 24.3062091.
NamedProblem ten_variables() {
  NamedProblem problem = kkt(
      "hs113", Vector::Constant(10, -inf), Vector::Constant(10, inf), vector({2, 3, 5, 5, 1, 2, 7, 3, 6, 10}), 0, 8,
      [](const auto& x, auto& f) {
        f = square(x[0]) + square(x[1]) + x[0] * x[1] - 14.0 * x[0] - 16.0 * x[1] + square(x[2] - 10.0) +
            4.0 * square(x[3] - 5.0) + square(x[4] - 3.0) + 2.0 * square(x[5] - 1.0) + 5.0 * square(x[6]) +
            7.0 * square(x[7] - 11.0) + 2.0 * square(x[8] - 10.0) + square(x[9] - 7.0) + 45.0;
        f -= x[10] * (105.0 - 4.0 * x[0] - 5.0 * x[1] + 3.0 * x[6] - 9.0 * x[7]);
        f -= x[11] * (120.0 - 3.0 * square(x[0] - 2.0) - 4.0 * square(x[1] - 3.0) - 2.0 * square(x[2]) + 7.0 * x[3]);
        f -= x[12] * (-10.0 * x[0] + 8.0 * x[1] + 17.0 * x[6] - 2.0 * x[7]);
        f -= x[13] * (-square(x[0]) - 2.0 * square(x[1] - 2.0) + 2.0 * x[0] * x[1] - 14.0 * x[4] + 6.0 * x[5]);
        f -= x[14] * (8.0 * x[0] - 2.0 * x[1] - 5.0 * x[8] + 2.0 * x[9] + 12.0);
        f -= x[15] * (40.0 - 5.0 * square(x[0]) - 8.0 * x[1] - square(x[2] - 6.0) + 2.0 * x[3]);
        f -= x[16] * (3.0 * x[0] - 6.0 * x[1] - 12.0 * square(x[8] - 8.0) + 7.0 * x[9]);
        f -= x[17] * (30.0 - 0.5 * square(x[0] - 8.0) - 2.0 * square(x[1] - 4.0) - 3.0 * square(x[4]) + x[5]);
        return true;
      });
  problem.answer = Answer::solvable;
  return problem;
}

std::vector<NamedProblem> constrained_programs() {
  std::vector<NamedProblem> problems = exponential_programs();
  // HS35, E. M. L. Beale.
  problems.push_back(
      kkt("hs35", Vector::Zero(3), Vector::Constant(3, inf), vector({0.5, 0.5, 0.5}), 0, 1, [](const auto& x, auto& f) {
        f = 9.0 - 8.0 * x[0] - 6.0 * x[1] - 4.0 * x[2] + 2.0 * square(x[0]) + 2.0 * square(x[1]) + square(x[2]) +
            2.0 * x[0] * x[1] + 2.0 * x[0] * x[2] - x[3] * (3.0 - x[0] - x[1] - 2.0 * x[2]);
        return true;
      }));
  add_solution(problems.back(), vector({4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0, 2.0 / 9.0}));
  // HS43, J. B. Rosen and S. Suzuki.
  problems.push_back(kkt(
      "hs43", Vector::Constant(4, -inf), Vector::Constant(4, inf), Vector::Zero(4), 0, 3, [](const auto& x, auto& f) {
        f = square(x[0]) + square(x[1]) + 2.0 * square(x[2]) + square(x[3]) - 5.0 * x[0] - 5.0 * x[1] - 21.0 * x[2] +
            7.0 * x[3];
        f -= x[4] * (8.0 - square(x[0]) - square(x[1]) - square(x[2]) - square(x[3]) - x[0] + x[1] - x[2] + x[3]);
        f -= x[5] * (10.0 - square(x[0]) - 2.0 * square(x[1]) - square(x[2]) - 2.0 * square(x[3]) + x[0] + x[3]);
        f -= x[6] * (5.0 - 2.0 * square(x[0]) - square(x[1]) - square(x[2]) - 2.0 * x[0] + x[1] + x[3]);
        return true;
      }));
  add_solution(problems.back(), vector({0, 1, 2, -1, 1, 0, 2}));
  // HS71, one inequality and one equality; f = 17.0140173.
  problems.push_back(
      kkt("hs71", Vector::Ones(4), Vector::Constant(4, 5.0), vector({1, 5, 5, 1}), 1, 1, [](const auto& x, auto& f) {
        f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2];
        f -= x[4] * (square(x[0]) + square(x[1]) + square(x[2]) + square(x[3]) - 40.0);
        f -= x[5] * (x[0] * x[1] * x[2] * x[3] - 25.0);
        return true;
      }));
  problems.back().answer = Answer::solvable;
  problems.push_back(kkt("hs76", Vector::Zero(4), Vector::Constant(4, inf), Vector::Constant(4, 0.5), 0, 3,
                         [](const auto& x, auto& f) {
                           f = square(x[0]) + 0.5 * square(x[1]) + square(x[2]) + 0.5 * square(x[3]) - x[0] * x[2] +
                               x[2] * x[3] - x[0] - 3.0 * x[1] + x[2] - x[3];
                           f -= x[4] * (5.0 - x[0] - 2.0 * x[1] - x[2] - x[3]);
                           f -= x[5] * (4.0 - 3.0 * x[0] - x[1] - 2.0 * x[2] + x[3]);
                           f -= x[6] * (x[1] + 4.0 * x[2] - 1.5);
                           return true;
                         }));
  add_solution(problems.back(), vector({3.0 / 11.0, 23.0 / 11.0, 0, 6.0 / 11.0, 5.0 / 11.0, 0, 0}));
  problems.push_back(colville());
  problems.push_back(ten_variables());
  return problems;
}

}  // namespace

std::vector<Family> program_families() { return {{"box_programs", box_programs}, {"programs", constrained_programs}}; }

}  // namespace pegrasp::problems
