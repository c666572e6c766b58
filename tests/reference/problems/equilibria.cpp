// SPDX-License-Identifier: Apache-2.0
// General equilibria of activity analysis: prices p, activities y, incomes I with
//
//   p _|_ endowments + A y - demand(p, I);   y _|_ -A'p;   I _|_ I - e'p,   one of them fixed: the numeraire.
//
// Data of H. Scarf with T. Hansen, "The computation of economic equilibria", Yale 1973, and the general equilibrium
// variant of J. H. von Thuenen's isolated state of J. Rowse, J. MacKinnon and P. A. Samuelson, all as in the GAMS model
// library (scarfmcp, hansmcp, vonthmcp). Problems of this kind are scarfa, scarfb and vonthmcp of MCPLIB.
#include "tests/reference/problems/equilibria.hpp"

#include <array>
#include <cmath>

#include "tests/reference/problems/dual.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

struct Economy {
  Eigen::MatrixXd activities;           // goods x sectors, outputs positive
  Eigen::MatrixXd endowments, demands;  // goods x consumers; demands at unit prices
  std::vector<double> substitution;     // elasticity of each consumer; 1: Cobb-Douglas
};

// Variables: p (goods), y (sectors), I (consumers). Fixed: variable `fixed` at `value`.
NamedProblem equilibrium(const std::string& name, const Economy& economy, Vector start, Eigen::Index fixed,
                         double value) {
  const Eigen::Index goods = economy.activities.rows(), sectors = economy.activities.cols();
  const Eigen::Index consumers = economy.endowments.cols(), n = goods + sectors + consumers;
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, inf);
  for (Eigen::Index c = 0; c < goods; ++c) {
    if (economy.demands.row(c).maxCoeff() > 0.0) lower[c] = 1e-5;  // demand is not defined at zero
  }
  lower[fixed] = upper[fixed] = start[fixed] = value;
  const auto formula = [economy, goods, sectors, consumers](const auto& x, auto& f) {
    using T = std::decay_t<decltype(x[0])>;
    using std::pow;
    const auto price = [&](Eigen::Index c) -> const T& { return x[static_cast<std::size_t>(c)]; };
    for (Eigen::Index s = 0; s < sectors; ++s) {
      const std::size_t row = static_cast<std::size_t>(goods + s);
      for (Eigen::Index c = 0; c < goods; ++c) {
        const double a = economy.activities(c, s);
        if (a == 0.0) continue;
        f[row] -= a * price(c);
        f[static_cast<std::size_t>(c)] += a * x[row];
      }
    }
    for (Eigen::Index h = 0; h < consumers; ++h) {
      const std::size_t row = static_cast<std::size_t>(goods + sectors + h);
      const double sum = economy.demands.col(h).sum(), sigma = economy.substitution[static_cast<std::size_t>(h)];
      T index = 0.0;
      f[row] = x[row];
      for (Eigen::Index c = 0; c < goods; ++c) {
        const double alpha = economy.demands(c, h) / sum;
        f[row] -= economy.endowments(c, h) * price(c);
        f[static_cast<std::size_t>(c)] += economy.endowments(c, h);
        if (alpha > 0.0 && value_of(price(c)) <= 0.0) return false;
        if (alpha > 0.0) index += alpha * pow(price(c), 1.0 - sigma);
      }
      for (Eigen::Index c = 0; c < goods; ++c) {
        const double alpha = economy.demands(c, h) / sum;
        if (alpha > 0.0) f[static_cast<std::size_t>(c)] -= alpha * x[row] / (index * pow(price(c), sigma));
      }
    }
    return true;
  };
  NamedProblem problem = named(name, lower, upper, {std::move(start)}, formula);
  problem.answer = Answer::solvable;  // Arrow and Debreu
  return problem;
}

struct Entry {
  int good;
  double amount;
};

// Columns of (good, output) and (good, -input).
Eigen::MatrixXd columns(int goods, const std::vector<std::vector<Entry>>& sectors) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(goods, static_cast<Eigen::Index>(sectors.size()));
  for (std::size_t s = 0; s < sectors.size(); ++s) {
    for (const Entry& entry : sectors[s]) a(entry.good, static_cast<Eigen::Index>(s)) = entry.amount;
  }
  return a;
}

}  // namespace

// Six goods, eight activities, five consumers with elasticities of substitution; the income of the first is fixed.
NamedProblem scarf() {
  enum { capital_end, nondurable, durable, capital, skilled, unskilled };
  Economy economy;
  economy.activities =
      columns(6, {{{durable, 4.0}, {capital_end, 4.0}, {capital, -5.3}, {skilled, -2.0}, {unskilled, -1.0}},
                  {{durable, 3.5}, {capital_end, 4.0}, {capital, -5.0}, {skilled, -1.0}, {unskilled, -6.0}},
                  {{nondurable, 6.0}, {capital_end, 1.6}, {capital, -2.0}, {skilled, -2.0}, {unskilled, -3.0}},
                  {{nondurable, 8.0}, {capital_end, 1.6}, {capital, -2.0}, {skilled, -4.0}, {unskilled, -1.0}},
                  {{nondurable, 7.0}, {capital_end, 1.6}, {capital, -2.0}, {skilled, -1.0}, {unskilled, -8.0}},
                  {{capital_end, 0.9}, {capital, -1.0}},
                  {{capital_end, 7.0}, {capital, -4.0}, {skilled, -3.0}, {unskilled, -1.0}},
                  {{capital_end, 8.0}, {capital, -5.0}, {skilled, -2.0}, {unskilled, -8.0}}});
  economy.endowments = Eigen::MatrixXd::Zero(6, 5);
  economy.endowments.row(durable) << 1, 2, 1.5, 1, 2;
  economy.endowments.row(capital) << 3, 0.1, 2, 1, 6;
  economy.endowments.row(skilled) << 5, 0.1, 6, 0.1, 0.1;
  economy.endowments.row(unskilled) << 0.1, 7, 0.1, 8, 0.5;
  economy.demands = Eigen::MatrixXd::Zero(6, 5);
  economy.demands.row(capital_end) << 4, 0.4, 2, 5, 3;
  economy.demands.row(nondurable) << 2, 4, 2, 5, 4;
  economy.demands.row(durable) << 3.2, 1, 1.5, 4.5, 2;
  economy.demands.row(skilled) << 0.2, 0, 0.5, 0, 0;
  economy.demands.row(unskilled) << 0, 0.6, 0, 0.2, 0.2;
  economy.substitution = {1.2, 1.6, 0.8, 0.5, 0.6};
  Vector start = Vector::Ones(19);
  for (Eigen::Index h = 0; h < 5; ++h) start[14 + h] = economy.endowments.col(h).sum();
  return equilibrium("scarf", economy, start, 14, start[14]);
}

// Fourteen goods, 26 activities, of which seven import and seven export, four Cobb-Douglas consumers; the price of the
// first good is fixed. Incomes at the equilibrium: 5.1549, 2.8275, 0.5876, 8.5600.
NamedProblem hansen() {
  enum { agric, food, textiles, hserv, entert, houseop, capeop, steel, coal, lumber, housbop, capbop, labor, exchange };
  Economy economy;
  // clang-format off
  economy.activities = columns(14, {
      {{agric, 5.0}, {capeop, 0.4}, {food, -0.9}, {textiles, -0.2}, {hserv, -1.0}, {steel, -0.2}, {coal, -1.0},
       {lumber, -0.5}, {capbop, -0.5}, {labor, -0.4}},
      {{food, 5.0}, {capeop, 1.3}, {agric, -3.5}, {textiles, -0.5}, {hserv, -2.0}, {steel, -0.4}, {coal, -0.1},
       {lumber, -0.4}, {capbop, -1.5}, {labor, -0.2}},
      {{textiles, 2.0}, {capeop, 1.2}, {agric, -0.1}, {food, -0.1}, {hserv, -2.0}, {steel, -0.2}, {coal, -0.1},
       {lumber, -0.3}, {capbop, -1.5}, {labor, -0.2}},
      {{hserv, 2.0}, {houseop, 0.32}, {textiles, -0.1}, {steel, -0.1}, {coal, -1.0}, {lumber, -0.3}, {housbop, -0.4},
       {capbop, -0.1}, {labor, -0.02}},
      {{entert, 4.0}, {agric, -0.7}, {food, -0.8}, {textiles, -0.1}, {hserv, -2.0}, {capbop, -0.1}, {labor, -0.4}},
      {{houseop, 0.8}, {capeop, 1.1}, {textiles, -0.8}, {hserv, -0.4}, {steel, -1.0}, {lumber, -3.0}, {capbop, -1.5},
       {labor, -0.3}},
      {{capeop, 6.0}, {textiles, -0.4}, {hserv, -1.8}, {steel, -2.0}, {coal, -0.2}, {lumber, -0.2}, {capbop, -2.5},
       {labor, -0.1}},
      {{capeop, 1.8}, {steel, 2.0}, {textiles, -0.1}, {hserv, -1.6}, {coal, -1.0}, {lumber, -0.2}, {capbop, -2.5},
       {labor, -0.1}},
      {{capeop, 1.2}, {coal, 2.0}, {textiles, -0.1}, {hserv, -0.8}, {steel, -0.5}, {lumber, -0.5}, {capbop, -1.5},
       {labor, -0.4}},
      {{capeop, 0.4}, {lumber, 1.0}, {textiles, -0.1}, {hserv, -0.2}, {steel, -0.2}, {coal, -0.2}, {capbop, -0.5},
       {labor, -0.4}},
      {{capeop, 0.9}, {capbop, -1.0}},
      {{houseop, 0.36}, {housbop, -0.4}},
      {{agric, 1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}, {exchange, -0.5}},
      {{food, 1.0}, {hserv, -0.2}, {capbop, -0.1}, {labor, -0.02}, {exchange, -0.4}},
      {{textiles, 1.0}, {hserv, -0.2}, {capbop, -0.1}, {labor, -0.02}, {exchange, -0.8}},
      {{capeop, 1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}, {exchange, -1.2}},
      {{steel, 1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}, {exchange, -0.6}},
      {{coal, 1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}, {exchange, -0.7}},
      {{lumber, 1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}, {exchange, -0.4}},
      {{exchange, 0.5}, {agric, -1.0}, {hserv, -0.2}, {capbop, -0.2}, {labor, -0.04}},
      {{exchange, 0.4}, {food, -1.0}, {hserv, -0.2}, {capbop, -0.1}, {labor, -0.02}},
      {{exchange, 0.8}, {textiles, -1.0}, {hserv, -0.2}, {capbop, -0.1}, {labor, -0.02}},
      {{exchange, 1.2}, {capeop, -1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}},
      {{exchange, 0.6}, {steel, -1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}},
      {{exchange, 0.7}, {coal, -1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}},
      {{exchange, 0.4}, {lumber, -1.0}, {hserv, -0.4}, {capbop, -0.2}, {labor, -0.04}}});
  // clang-format on
  economy.endowments = Eigen::MatrixXd::Zero(14, 4);
  economy.endowments.row(housbop) << 2, 0.4, 0, 0.8;
  economy.endowments.row(capbop) << 3, 2, 0, 7.5;
  economy.endowments.row(labor) << 0.6, 0.8, 1, 0.6;
  economy.demands = Eigen::MatrixXd::Zero(14, 4);
  economy.demands.row(agric) << 0.1, 0.2, 0.3, 0.1;
  economy.demands.row(food) << 0.2, 0.2, 0.2, 0.2;
  economy.demands.row(textiles) << 0.1, 0.1, 0.3, 0.1;
  economy.demands.row(hserv) << 0.1, 0.1, 0.1, 0.1;
  economy.demands.row(entert) << 0.1, 0.1, 0.1, 0.1;
  economy.demands.row(houseop) << 0.3, 0.1, 0, 0.1;
  economy.demands.row(capeop) << 0.1, 0.2, 0, 0.3;
  economy.substitution = {1, 1, 1, 1};
  return equilibrium("hansen", economy, Vector::Ones(44), agric, 1.0);
}

// Four crops in twelve rings about a town; worker, land owner and porter; the wage of labour is the numeraire.
// Variables: unit cost (48) and output (48) of crop c in ring r, intervention purchases of land (12), rent (12), wages
// of porter and worker, prices of the crops (4). The lower bounds on rents and prices are the model's. That there is a
// solution was found by solving it.
NamedProblem von_thunen() {
  enum : std::size_t { cost = 0, output = 48, purchase = 96, rent = 108, porter = 120, worker = 121, price = 122 };
  constexpr Eigen::Index n = 126;
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, inf), start = Vector::Ones(n);
  lower.segment<12>(rent).setConstant(0.001);
  lower.segment<4>(price).setConstant(0.1);
  lower[worker] = upper[worker] = 1.0;
  start.segment<12>(purchase).setZero();
  NamedProblem problem = named("von_thunen", lower, upper, {start}, [](const auto& x, auto& f) {
    using T = std::decay_t<decltype(x[0])>;
    using std::pow;
    static constexpr std::array<double, 4> phi = {1, 2, 3, 4}, beta = {0.9, 0.7, 0.5, 0.3};
    static constexpr std::array<double, 4> haul = {0.015, 0.006, 0.004, 0.01};
    static constexpr std::array<double, 4> worker_share = {0.2, 0.3, 0.1, 0.3}, owner_share = {0.3, 0.3, 0.2, 0.2};
    static constexpr std::array<double, 4> porter_share = {0.6, 0.2, 0.1, 0.1};
    constexpr double labour = 30.0, transport = 20.0;
    f[porter] = transport;
    f[worker] = x[worker] * labour;
    T rents = 0.0;
    for (std::size_t r = 0; r < 12; ++r) {
      const double distance = 5.0 * (2.0 * static_cast<double>(r) + 1.0), area = 2.0 * 3.1415 * distance;
      if (value_of(x[rent + r]) <= 0.0) return false;
      f[purchase + r] = x[rent + r] - 0.0001 * x[worker];
      f[rent + r] = area - x[purchase + r];
      rents += x[rent + r] * (area - x[purchase + r]);
      for (std::size_t c = 0; c < 4; ++c) {
        const T &unit = x[cost + 4 * r + c], &made = x[output + 4 * r + c];
        f[cost + 4 * r + c] =
            phi[c] * unit - pow(x[worker] / beta[c], beta[c]) * pow(x[rent + r] / (1.0 - beta[c]), 1.0 - beta[c]);
        f[output + 4 * r + c] = unit + haul[c] * distance * x[porter] - x[price + c];
        f[rent + r] -= made * (1.0 - beta[c]) * unit / x[rent + r];
        f[porter] -= haul[c] * distance * made;
        f[worker] -= made * beta[c] * unit;
        f[price + c] += x[price + c] * made;
      }
    }
    for (std::size_t c = 0; c < 4; ++c) {
      f[price + c] -=
          porter_share[c] * transport * x[porter] + worker_share[c] * labour * x[worker] + owner_share[c] * rents;
    }
    return true;
  });
  problem.answer = Answer::solvable;
  return problem;
}

}  // namespace pegrasp::problems
