// SPDX-License-Identifier: Apache-2.0
// Prices and energy: two nonlinear problems of MCPLIB (see small_nonlinear.cpp) with their published data.
#include <array>
#include <cmath>

#include "tests/reference/problems/dual.hpp"
#include "tests/reference/problems/equilibria.hpp"

namespace pegrasp::problems {
namespace {

const double inf = mcp::infinity;

// Prices of 14 brands of analgesics: S. C. Choi, W. S. DeSarbo and P. T. Harker, "Product positioning under price
// competition", Management Science 36 (1990) 175-199. Subject i buys brand j with the logit probability of its utility
// exp(w_i p_j + DU_ij); F_j is minus the marginal profit of brand j; the price of brand 8 is given. As prices grow F
// vanishes: from far above the costs one ends in a small residual that means nothing, so the published start is alone.
constexpr int brands = 14, subjects = 30, ingredients = 4;
constexpr std::array<std::array<double, ingredients>, brands> contents = {{{0, 0.5, 0, 0},
                                                                           {0.4, 0, 0.032, 0},
                                                                           {0, 0.5, 0, 0},
                                                                           {0.325, 0, 0, 0.15},
                                                                           {0.325, 0, 0, 0},
                                                                           {0.324, 0, 0, 0.1},
                                                                           {0.421, 0, 0.032, 0.075},
                                                                           {0.5, 0, 0, 0.1},
                                                                           {0, 0.5, 0, 0},
                                                                           {0.25, 0.25, 0.065, 0},
                                                                           {0, 0.5, 0, 0},
                                                                           {0, 0.5, 0, 0},
                                                                           {0, 0.325, 0, 0},
                                                                           {0.227, 0.194, 0, 0.075}}};
constexpr std::array<std::array<double, ingredients>, subjects> preferences = {{{0, 0.0835, 0, 0.0331},
                                                                                {0, 0.5430, 0.0075, 0.0204},
                                                                                {0, 0.4889, 0.0055, 0},
                                                                                {0.4790, 0.0568, 0, 0.0725},
                                                                                {0.3202, 0, 0.0013, 0},
                                                                                {0, 0.1395, 0, 0},
                                                                                {0, 0.4805, 0, 0},
                                                                                {0.0649, 0.3759, 0.0022, 0},
                                                                                {0, 0.3834, 0, 0},
                                                                                {0.3431, 0.0908, 0, 0.0695},
                                                                                {0.0484, 0.3229, 0.0351, 0},
                                                                                {0.2696, 0.0741, 0.0005, 0.1110},
                                                                                {0.4348, 0.0276, 0.0013, 0.0605},
                                                                                {0.2634, 0, 0.0022, 0},
                                                                                {0.3163, 0.0581, 0, 0},
                                                                                {0.0859, 0.0488, 0, 0.1355},
                                                                                {0.3197, 0.0320, 0.0424, 0.0630},
                                                                                {0.1872, 0.7724, 0, 0.0186},
                                                                                {0.4398, 0.0235, 0.0230, 0.0765},
                                                                                {0, 0.1960, 0, 0.0604},
                                                                                {0.0242, 0.5938, 0.0016, 0.0002},
                                                                                {0.0016, 0.5157, 0.0399, 0.0079},
                                                                                {0.2584, 0.0761, 0.0024, 0.0065},
                                                                                {0, 0.5171, 0, 0},
                                                                                {0.1094, 0.1291, 0, 0.0934},
                                                                                {0.0153, 0.2855, 0, 0},
                                                                                {0.1851, 0.0874, 0.0322, 0.0903},
                                                                                {0.1289, 0.2620, 0.1226, 0},
                                                                                {0.0472, 0.2513, 0.0059, 0},
                                                                                {0.2752, 0.0199, 0.0003, 0.0224}}};
constexpr std::array<double, subjects> ingredient_weight = {
    15.13539, 4.62777, 2.21225, 0,       0,        10.58941, 5.01780,  3.51912,  9.10098, 0,
    10.53417, 0,       0,       0,       0,        7.46487,  0.64571,  4.86540,  0.53507, 5.31825,
    6.86056,  5.69439, 0,       5.98602, 14.47467, 13.55480, 13.01291, 22.73170, 5.13727, 0.07553};
constexpr std::array<double, subjects> utility_constant = {
    -4.42859, -2.04758, -1.82057, -3.22572, -2.13139, -2.75795, -1.97219, -2.79767, -3.17282, -2.22797,
    -5.16751, -4.40669, -3.08085, -3.46886, -2.66754, -4.11384, -1.83466, -3.56241, -2.31347, -2.28169,
    -4.38702, -1.85474, -2.75502, -2.61935, -2.65956, -2.95081, -2.50123, -3.65221, -2.87451, -2.78712};
constexpr std::array<double, subjects> price_weight = {
    3.86546, 1,       1,       4.07059, 2.95369, 1.52444, 1,       3.03524, 3.06484, 2.60511,
    7.67621, 7.52461, 5.39522, 5.77346, 3.28809, 4.94403, 2.07788, 1,       3.91686, 1.98819,
    5.20269, 1,       4.75390, 2.34962, 1,       1,       1,       1.96784, 3.41328, 5.10606};
constexpr std::array<double, brands> brand_cost = {0.4000, 0.1328, 0.4000, 0.1275, 0.0975, 0.1172, 0.1541,
                                                   0.1700, 0.4000, 0.3010, 0.4000, 0.4000, 0.2600, 0.2383};

constexpr double chi = 3.0, no_purchase = 1.0;  // scale of utilities, weight of buying nothing

NamedProblem choi() {
  Vector lower(brands), upper = Vector::Constant(brands, inf), start(brands);
  for (int j = 0; j < brands; ++j) {
    lower[j] = brand_cost[static_cast<std::size_t>(j)];
    start[j] = lower[j] + 0.01;
  }
  lower[7] = upper[7] = start[7] = 0.199;
  NamedProblem problem = named("choi", lower, upper, {start}, [](const auto& p, auto& f) {
    using T = std::decay_t<decltype(p[0])>;
    using std::exp;
    for (std::size_t i = 0; i < subjects; ++i) {
      const double w = -chi * price_weight[i];
      std::vector<T> utility(brands);
      T total = no_purchase;
      for (std::size_t j = 0; j < brands; ++j) {
        double distance = 0.0;
        for (std::size_t k = 0; k < ingredients; ++k) distance += square(contents[j][k] - preferences[i][k]);
        utility[j] = exp(w * p[j] - chi * (ingredient_weight[i] * distance + utility_constant[i]));
        total += utility[j];
      }
      for (std::size_t j = 0; j < brands; ++j) {
        const T share = utility[j] / total;
        f[j] -= share * (1.0 + (p[j] - brand_cost[j]) * w * (1.0 - share)) / static_cast<double>(subjects);
      }
    }
    return true;
  });
  problem.answer = Answer::solvable;
  return problem;
}

// The PIES energy model: W. W. Hogan, Computers and Operations Research 2 (1975) 251-267; N. H. Josephy, "A Newton
// method for the PIES energy model", MRC report 1971, Madison 1979. A linear program whose demands depend on its dual
// prices. 42 variables: coal by region and increment (6), oil (4), transport of coal, crude, light and heavy oil (4
// each), prices of coal, light and heavy oil in two regions (6), of capital and steel (2), of four balances (8).
NamedProblem pies() {
  enum : std::size_t { coal = 0, oil = 6, coal_to = 10, crude_to = 14, light_to = 18, heavy_to = 22, price = 26 };
  enum : std::size_t { resource = 32, coal_value = 34, oil_value = 36, light_value = 38, heavy_value = 40, all = 42 };
  Vector lower = Vector::Zero(all), upper = Vector::Constant(all, inf), start = Vector::Ones(all);
  upper.segment<6>(coal) = vector({300, 300, 400, 200, 300, 600});
  upper.segment<4>(oil) = vector({1100, 1200, 1300, 1100});
  lower.segment<6>(price).setConstant(0.1);
  lower.segment<8>(coal_value).setConstant(-inf);
  start.segment<6>(coal) = vector({300, 300, 400, 200, 300, 600});
  start.segment<4>(oil) = vector({1100, 1000, 1300, 1000});
  start.segment<4>(coal_to) = vector({0, 828, 1016, 84});
  start.segment<4>(crude_to) = vector({2075, 0, 0, 2358});
  start.segment<4>(light_to) = vector({22, 1223, 1179, 0});
  start.segment<4>(heavy_to) = vector({0, 830, 998, 180});
  start.segment<6>(price) = vector({11.7, 13.7, 15.8, 16.0, 11.9, 12.4});
  NamedProblem problem = named("pies", lower, upper, {start}, [](const auto& x, auto& f) {
    using T = std::decay_t<decltype(x[0])>;
    using std::pow;
    static constexpr std::array<double, 6> coal_cost = {5, 6, 8, 4, 5, 7};
    static constexpr std::array<double, 6> coal_capital = {1, 5, 10, 1, 5, 6}, coal_steel = {1, 2, 3, 1, 4, 5};
    static constexpr std::array<double, 4> oil_cost = {1, 1.5, 1.25, 1.5};
    static constexpr std::array<double, 4> oil_capital = {0, 10, 0, 15}, oil_steel = {0, 4, 0, 2};
    static constexpr std::array<double, 4> coal_freight = {1, 2.5, 0.75, 2.75}, crude_freight = {2, 3, 4, 2};
    static constexpr std::array<double, 4> product_freight = {1, 1.2, 1, 1.5};  // of light and of heavy oil
    static constexpr std::array<double, 2> refining = {6.5, 5}, light_share = {0.6, 0.5};
    static constexpr std::array<double, 3> base_demand = {1000, 1200, 1000}, base_price = {12, 16, 12};
    static constexpr std::array<std::array<double, 3>, 3> elasticity = {
        {{-0.75, 0.1, 0.2}, {0.1, -0.5, 0.2}, {0.2, 0.1, -0.5}}};
    T capital = 35000.0, steel = 12000.0;
    for (std::size_t i = 0; i < 6; ++i) {
      f[coal + i] =
          coal_cost[i] - x[coal_value + i / 3] + coal_capital[i] * x[resource] + coal_steel[i] * x[resource + 1];
      capital -= coal_capital[i] * x[coal + i];
      steel -= coal_steel[i] * x[coal + i];
      f[coal_value + i / 3] += x[coal + i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      f[oil + i] = oil_cost[i] - x[oil_value + i / 2] + oil_capital[i] * x[resource] + oil_steel[i] * x[resource + 1];
      capital -= oil_capital[i] * x[oil + i];
      steel -= oil_steel[i] * x[oil + i];
      f[oil_value + i / 2] += x[oil + i];
    }
    f[resource] = capital;
    f[resource + 1] = steel;
    for (std::size_t from = 0; from < 2; ++from) {
      for (std::size_t to = 0; to < 2; ++to) {
        const std::size_t k = 2 * from + to;
        f[coal_to + k] = coal_freight[k] + x[coal_value + from] - x[price + to];
        f[crude_to + k] = crude_freight[k] + refining[to] + x[oil_value + from] -
                          light_share[to] * x[light_value + to] - (1.0 - light_share[to]) * x[heavy_value + to];
        f[light_to + k] = product_freight[k] + x[light_value + from] - x[price + 2 + to];
        f[heavy_to + k] = product_freight[k] + x[heavy_value + from] - x[price + 4 + to];
        f[coal_value + from] -= x[coal_to + k];
        f[oil_value + from] -= x[crude_to + k];
        f[light_value + to] += light_share[to] * x[crude_to + k];
        f[heavy_value + to] += (1.0 - light_share[to]) * x[crude_to + k];
        f[light_value + from] -= x[light_to + k];
        f[heavy_value + from] -= x[heavy_to + k];
        f[price + to] += x[coal_to + k];
        f[price + 2 + to] += x[light_to + k];
        f[price + 4 + to] += x[heavy_to + k];
      }
    }
    for (std::size_t good = 0; good < 3; ++good) {
      for (std::size_t region = 0; region < 2; ++region) {
        T demand = base_demand[good];
        for (std::size_t other = 0; other < 3; ++other) {
          const T& p = x[price + 2 * other + region];
          if (value_of(p) <= 0.0) return false;
          demand = demand * pow(p / base_price[other], elasticity[good][other]);
        }
        f[price + 2 * good + region] -= demand;
      }
    }
    return true;
  });
  problem.answer = Answer::solvable;
  return problem;
}

}  // namespace

std::vector<Family> economic_families() {
  return {{"choi", [] { return std::vector<NamedProblem>{choi()}; }},
          {"pies", [] { return std::vector<NamedProblem>{pies()}; }},
          {"scarf",
           [] {
             return std::vector<NamedProblem>{scarf(), hansen()};
           }},
          {"von_thunen", [] { return std::vector<NamedProblem>{von_thunen()}; }}};
}

}  // namespace pegrasp::problems
