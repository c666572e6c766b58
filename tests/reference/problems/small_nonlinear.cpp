// SPDX-License-Identifier: Apache-2.0
// Small nonlinear problems of the literature. MCPLIB is S. P. Dirkse and M. C. Ferris, "MCPLIB: a collection of
// nonlinear mixed complementarity problems", Optimization Methods and Software 5 (1995) 319-345.
#include <cmath>

#include "tests/reference/problems/dual.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

// M. Kojima and S. Shindo, "Extensions of Newton and quasi-Newton methods to systems of PC1 equations", J. Oper. Res.
// Soc. Japan 29 (1986) 352-374; and N. H. Josephy's variant of it, "Newton's method for generalized equations", MRC
// report 1965, Madison 1979. The first has two solutions, one of them degenerate (x_3 = 0 = F_3); starts of MCPLIB.
NamedProblem kojima(bool josephy) {
  const auto formula = [josephy](const auto& x, auto& f) {
    f[0] = 3.0 * x[0] * x[0] + 2.0 * x[0] * x[1] + 2.0 * x[1] * x[1] + x[2] + 3.0 * x[3] - 6.0;
    f[1] = 2.0 * x[0] * x[0] + x[0] + x[1] * x[1] + (josephy ? 3.0 : 10.0) * x[2] + 2.0 * x[3] - 2.0;
    f[2] = 3.0 * x[0] * x[0] + x[0] * x[1] + 2.0 * x[1] * x[1] + 2.0 * x[2] + (josephy ? 3.0 : 9.0) * x[3] -
           (josephy ? 1.0 : 9.0);
    f[3] = x[0] * x[0] + 3.0 * x[1] * x[1] + 2.0 * x[2] + 3.0 * x[3] - 3.0;
    return true;
  };
  NamedProblem problem =
      named(josephy ? "josephy" : "kojima_shindo", Vector::Zero(4), Vector::Constant(4, inf),
            {vector({0, 0, 0, 0}), vector({1, 1, 1, 1}), vector({100, 100, 100, 100}), vector({1, 0, 1, 0}),
             vector({1, 0, 0, 0}), vector({0, 1, 1, 0}), vector({0, 1, 0, 1}), vector({1.25, 0, 0, 0.5})},
            formula);
  add_solution(problem, vector({std::sqrt(1.5), 0, 0, 0.5}));
  if (!josephy) add_solution(problem, vector({1, 0, 3, 0}));
  return problem;
}

// S. C. Billups, "Algorithms for complementarity problems and generalized equations", thesis, Madison 1995: from zero
// every descent method is led to x = 0, where no direction descends. 0.0 is the start to watch.
NamedProblem billups() {
  NamedProblem problem =
      named("billups", Vector::Zero(1), Vector::Constant(1, inf),
            {vector({0}), vector({0.5}), vector({1}), vector({2}), vector({10})}, [](const auto& x, auto& f) {
              f[0] = (x[0] - 1.0) * (x[0] - 1.0) - 1.01;
              return true;
            });
  return add_solution(problem, vector({1.0 + std::sqrt(1.01)}));
}

// L. Mathiesen, "An algorithm based on a sequence of linear complementarity problems applied to a Walrasian equilibrium
// model: an example", Math. Programming 37 (1987) 1-18. One activity y that makes good 1 of goods 2 and 3, budget
// shares 0.9 and 0.1, endowments 0, 5, 3; variables y, p_1, p_2, p_3, with p_3 the numeraire.
std::vector<NamedProblem> mathiesen() {
  std::vector<NamedProblem> problems;
  const auto walras = [](const auto& x, auto& f) {
    if (value_of(x[1]) <= 0.0 || value_of(x[2]) <= 0.0) return false;
    const auto income = 5.0 * x[2] + 3.0 * x[3];
    f[0] = -x[1] + x[2] + x[3];
    f[1] = x[0] - 0.9 * income / x[1];
    f[2] = 5.0 - x[0] - 0.1 * income / x[2];
    f[3] = 3.0 - x[0];
    return true;
  };
  problems.push_back(named("mathiesen", vector({0, 1e-6, 1e-6, 5}), vector({inf, inf, inf, 5}),
                           {vector({1, 1, 1, 5}), vector({0, 5, 5, 5}), vector({3, 10, 0.1, 5})}, walras));
  add_solution(problems.back(), vector({3, 6, 1, 5}));
  // Prices shifted by one in the denominators, as test sets of NCP methods have it: every (s, 0, 0, 0) with 0 <= s <= 3
  // solves it.
  problems.push_back(named("mathiesen_shifted", Vector::Zero(4), Vector::Constant(4, inf),
                           {vector({1, 1, 1, 1}), vector({10, 10, 10, 10}), vector({0, 0, 1, 0})},
                           [](const auto& x, auto& f) {
                             f[0] = -x[1] + x[2] + x[3];
                             f[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1.0);
                             f[2] = 5.0 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1.0);
                             f[3] = 3.0 - x[0];
                             return true;
                           }));
  add_solution(problems.back(), vector({0, 0, 0, 0}));
  add_solution(problems.back(), vector({3, 0, 0, 0}));
  return problems;
}

// Nash-Cournot oligopoly: F_i = c_i + (L_i x_i)^(1/b_i) - p(Q) - x_i p'(Q), p = (5000 / Q)^(1/gamma), Q = sum x.
NamedProblem nash(const std::string& name, std::vector<double> c, std::vector<double> b, double l, double gamma,
                  std::vector<Vector> starts) {
  const Eigen::Index n = static_cast<Eigen::Index>(c.size());
  NamedProblem problem = named(name, Vector::Zero(n), Vector::Constant(n, inf), std::move(starts),
                               [c = std::move(c), b = std::move(b), l, gamma](const auto& x, auto& f) {
                                 auto total = x[0];
                                 for (std::size_t i = 1; i < x.size(); ++i) total += x[i];
                                 if (value_of(total) <= 0.0) return false;
                                 using std::pow;
                                 const auto price = pow(5000.0 / total, 1.0 / gamma);
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                   if (value_of(x[i]) < 0.0) return false;
                                   f[i] = c[i] + pow(l * x[i], 1.0 / b[i]) - price + x[i] * price / (gamma * total);
                                 }
                                 return true;
                               });
  problem.answer = Answer::solvable;
  return problem;
}

// Five firms: F. H. Murphy, H. D. Sherali and A. L. Soyster, Math. Programming 24 (1982) 92-106, where L = 1/5 and the
// equilibrium is (36.93, 41.82, 43.71, 42.66, 39.18). Ten firms: P. T. Harker, Math. Programming 41 (1988) 29-59, data
// and starts of MCPLIB.
std::vector<NamedProblem> nash_family() {
  std::vector<NamedProblem> problems;
  problems.push_back(nash("nash5", {10, 8, 6, 4, 2}, {1.2, 1.1, 1.0, 0.9, 0.8}, 0.2, 1.1,
                          {vector({10, 10, 10, 10, 10}), vector({1, 1, 1, 1, 1}), vector({100, 100, 100, 100, 100})}));
  const Vector third = vector({1.0, 1.2, 1.4, 1.6, 1.8, 2.1, 2.3, 2.5, 2.7, 2.9});
  const std::vector<Vector> starts = {Vector::Constant(10, 1.0), Vector::Constant(10, 10.0), third,
                                      vector({7, 4, 3, 1, 18, 4, 1, 6, 3, 2})};
  for (const double gamma : {1.2, 0.8}) {
    problems.push_back(nash(gamma == 1.2 ? "nash10_1.2" : "nash10_0.8", {5, 3, 8, 5, 1, 3, 7, 4, 6, 3},
                            {1.2, 1.0, 0.9, 0.6, 1.5, 1.0, 0.7, 1.1, 0.95, 0.75}, 10.0, gamma, starts));
  }
  return problems;
}

// C. Kanzow, "Some equation-based methods for the nonlinear complementarity problem", Optimization Methods and Software
// 3 (1994) 327-340: F_i = 2 (x_i - i + 2) exp(sum_j (x_j - j + 2)^2), i = 1 .. n. The solution max(i - 2, 0) is
// degenerate in its second component. F overflows not far away: only finite values are handed out.
NamedProblem kanzow(int n) {
  NamedProblem problem = named("kanzow" + std::to_string(n), Vector::Zero(n), Vector::Constant(n, inf),
                               {Vector::Zero(n), Vector::Ones(n)}, [](const auto& x, auto& f) {
                                 auto sum = 0.0 * x[0];
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                   const auto d = x[i] - static_cast<double>(i) + 1.0;
                                   sum += d * d;
                                 }
                                 if (value_of(sum) > 700.0) return false;
                                 using std::exp;
                                 const auto e = 2.0 * exp(sum);
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                   f[i] = (x[i] - static_cast<double>(i) + 1.0) * e;
                                 }
                                 return true;
                               });
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = std::max(i - 1, 0);
  return add_solution(problem, x);
}

// User equilibria on strategies, D. Braess' network: D. Braess, Unternehmensforschung 12 (1968) 258-268. Three paths,
// demand 6, costs 10 f and f + 50 outside, f + 10 on the strategy across. F = (cost of each path - t, paths - demand);
// all take 92.
NamedProblem braess() {
  NamedProblem problem =
      named("braess", vector({0, 0, 0, -inf}), Vector::Constant(4, inf),
            {vector({0, 0, 0, 0}), vector({6, 0, 0, 0}), vector({1, 1, 1, 1})}, [](const auto& x, auto& f) {
              const auto first = 10.0 * (x[0] + x[2]), last = 10.0 * (x[1] + x[2]);
              f[0] = first + x[0] + 50.0 - x[3];
              f[1] = x[1] + 50.0 + last - x[3];
              f[2] = first + x[2] + 10.0 + last - x[3];
              f[3] = x[0] + x[1] + x[2] - 6.0;
              return true;
            });
  problem.problem.linear = false;  // the formula is; the interface is that of a nonlinear one
  return add_solution(problem, vector({2, 2, 2, 92}));
}

// A ring of strategies in the manner of D. P. Bertsekas and E. M. Gafni, Math. Programming Study 17 (1982) 139-159:
// from each of n nodes traffic goes to the node three further, outside over three arcs or inside over two, the delay of
// an arc being c (1 + f + f^2) plus gamma times that of the arc that it merges with. Their coefficients are not printed
// where we could read them: these are our own. Variables: outside flows, inside flows, travel times.
NamedProblem ring_traffic(int n, double gamma) {
  Vector lower = Vector::Zero(3 * n);
  lower.tail(n).setConstant(-inf);
  const std::size_t nodes = static_cast<std::size_t>(n);
  NamedProblem problem =
      named("ring_traffic" + std::to_string(n) + (gamma > 0.0 ? "_coupled" : ""), lower, Vector::Constant(3 * n, inf),
            {Vector::Zero(3 * n), Vector::Ones(3 * n)}, [nodes, gamma](const auto& x, auto& f) {
              using T = std::decay_t<decltype(x[0])>;
              std::vector<T> outer(nodes), inner(nodes), outer_delay(nodes), inner_delay(nodes);
              for (std::size_t i = 0; i < nodes; ++i) {
                outer[i] = x[i] + x[(i + nodes - 1) % nodes] + x[(i + nodes - 2) % nodes];
                inner[i] = x[nodes + i] + x[nodes + (i + 1) % nodes];
              }
              for (std::size_t i = 0; i < nodes; ++i) {
                const T a = 1.0 + outer[i] + outer[i] * outer[i], b = 1.0 + inner[i] + inner[i] * inner[i];
                const T merging = 1.0 + x[nodes + i] + x[nodes + i] * x[nodes + i];
                outer_delay[i] = (1.0 + static_cast<double>(i % 3)) * a + gamma * merging;
                inner_delay[i] = (2.0 + static_cast<double>(i % 2)) * b + 2.0 * gamma * a;
              }
              for (std::size_t i = 0; i < nodes; ++i) {
                const T& time = x[2 * nodes + i];
                f[i] = outer_delay[i] + outer_delay[(i + 1) % nodes] + outer_delay[(i + 2) % nodes] - time;
                f[nodes + i] = inner_delay[i] + inner_delay[(i + nodes - 1) % nodes] - time;
                f[2 * nodes + i] = x[i] + x[nodes + i] - 0.1 * static_cast<double>(i + 1);
              }
              return true;
            });
  problem.answer = Answer::solvable;  // F is continuous on the compact set of flows that meet the demand
  return problem;
}

}  // namespace

std::vector<Family> nonlinear_families() {
  return {
      {"kojima",
       [] {
         return std::vector<NamedProblem>{kojima(false), kojima(true)};
       }},
      {"billups", [] { return std::vector<NamedProblem>{billups()}; }},
      {"mathiesen", mathiesen},
      {"nash", nash_family},
      {"kanzow",
       [] {
         return std::vector<NamedProblem>{kanzow(5), kanzow(7)};
       }},
      {"traffic", [] {
         return std::vector<NamedProblem>{braess(), ring_traffic(5, 0.0), ring_traffic(5, 0.5), ring_traffic(20, 0.5)};
       }}};
}

}  // namespace pegrasp::problems
