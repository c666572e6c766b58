// SPDX-License-Identifier: Apache-2.0
// Sobol' indices from given data, against closed forms and against SALib's numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/sampling/philox.hpp"
#include "src/decide/sobol.hpp"
#include "tests/places.hpp"

namespace pegrasp::decide {
namespace {

// Independent uniform numbers in [low, high].
std::vector<Factor> uniform(std::size_t count, std::size_t rows, double low, double high, std::uint64_t seed = 1) {
  std::vector<Factor> factors;
  for (std::size_t i = 0; i < count; ++i) {
    Factor factor{"x" + std::to_string(i + 1), "1", {}};
    DrawKey key;
    key.seed = seed;
    key.stream = static_cast<std::uint32_t>(i);
    for (std::size_t r = 0; r < rows; ++r) {
      key.cell = static_cast<std::uint32_t>(r);
      factor.values.push_back(low + (high - low) * unit_open(random_words(key).first));
    }
    factors.push_back(std::move(factor));
  }
  return factors;
}

using Function = std::function<double(const std::vector<double>&)>;

std::vector<double> results(const std::vector<Factor>& factors, const Function& f) {
  std::vector<double> out, x(factors.size());
  for (std::size_t r = 0; r < factors.front().values.size(); ++r) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = factors[i].values[r];
    out.push_back(f(x));
  }
  return out;
}

const double pi = std::acos(-1.0);

double ishigami(const std::vector<double>& x) {
  return std::sin(x[0]) + 7.0 * std::sin(x[1]) * std::sin(x[1]) + 0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

void expect_near(const Index& index, double value, double tolerance, const std::string& what) {
  EXPECT_NEAR(index.value, value, tolerance) << what;
  EXPECT_LE(index.interval.low, index.value) << what;
  EXPECT_GE(index.interval.high, index.value) << what;
  EXPECT_LT(index.interval.high - index.interval.low, 0.2) << what;
}

// V1 = (1 + b pi^4 / 5)^2 / 2, V2 = a^2 / 8, V13 = 8 b^2 pi^8 / 225, with a = 7 and b = 0.1.
TEST(Sobol, TheIshigamiFunction) {
  const std::vector<Factor> factors = uniform(3, 20000, -pi, pi);
  const SobolIndices found = sobol_indices(factors, results(factors, ishigami), 100);
  const double v1 = 0.5 * std::pow(1.0 + 0.1 * std::pow(pi, 4) / 5.0, 2), v2 = 49.0 / 8.0,
               v13 = 8.0 * 0.01 * std::pow(pi, 8) / 225.0, v = v1 + v2 + v13;
  EXPECT_NEAR(found.mean, 3.5, 0.1);
  EXPECT_NEAR(found.variance, v, 0.03 * v);
  expect_near(found.first[0], v1 / v, 0.02, "S1");
  expect_near(found.first[1], v2 / v, 0.02, "S2");
  expect_near(found.first[2], 0.0, 0.02, "S3");
  expect_near(found.total[0], (v1 + v13) / v, 0.03, "T1");
  expect_near(found.total[1], v2 / v, 0.03, "T2");
  expect_near(found.total[2], v13 / v, 0.03, "T3");
  expect_near(found.rest, 0.0, 0.05, "rest");
  for (const PairIndex& pair : found.pairs)
    expect_near(pair.index, pair.i == 0 && pair.j == 2 ? v13 / v : 0.0, 0.03, "pair");
}

// Additive: shares of the variances, and totals that are first-order indices.
TEST(Sobol, AnAdditiveFunction) {
  const std::vector<Factor> factors = uniform(4, 20000, 0.0, 1.0);
  const SobolIndices found =
      sobol_indices(factors, results(factors, [](const auto& x) { return 3.0 * x[0] + 2.0 * x[1] + x[2]; }), 100);
  const double share[] = {9.0 / 14.0, 4.0 / 14.0, 1.0 / 14.0, 0.0};
  for (std::size_t i = 0; i < 4; ++i) {
    expect_near(found.first[i], share[i], 0.02, "first");
    expect_near(found.total[i], share[i], 0.03, "total");
  }
}

// Of two coins success is that they differ: nothing by itself, everything together. Values that are few are bins.
TEST(Sobol, OnlyTogether) {
  std::vector<Factor> factors = uniform(2, 4000, 0.0, 1.0);
  for (Factor& factor : factors)
    for (double& value : factor.values) value = value < 0.5 ? 0.0 : 1.0;
  const SobolIndices found =
      sobol_indices(factors, results(factors, [](const auto& x) { return x[0] != x[1] ? 1.0 : 0.0; }), 100);
  for (std::size_t i = 0; i < 2; ++i) {
    expect_near(found.first[i], 0.0, 0.01, "first");
    expect_near(found.total[i], 1.0, 0.02, "total");
  }
  expect_near(found.pairs.at(0).index, 1.0, 0.02, "pair");
}

TEST(Sobol, NothingVariesNothingIsExplained) {
  const std::vector<Factor> factors = uniform(2, 100, 0.0, 1.0);
  const SobolIndices found = sobol_indices(factors, std::vector<double>(100, 1.0), 10);
  EXPECT_EQ(found.first[0].value, 0.0);
  EXPECT_EQ(found.total[1].value, 0.0);
}

TEST(Sobol, BinsShareEqualValuesAndHaveEqualCounts) {
  const std::vector<double> few{3.0, 1.0, 3.0, 2.0};
  const Bins three = bins_of(few, 8);
  EXPECT_EQ(three.count, 3u);
  EXPECT_EQ(three.of_row, (std::vector<std::uint16_t>{2, 0, 2, 1}));
  std::vector<double> many;
  for (int i = 0; i < 1000; ++i) many.push_back(static_cast<double>((i * 37) % 1000));
  const Bins ten = bins_of(many, 10);
  EXPECT_EQ(ten.count, 10u);
  std::vector<int> counts(10, 0);
  for (const auto bin : ten.of_row) ++counts[bin];
  for (const int count : counts) EXPECT_EQ(count, 100);
}

// The interval holds the truth about as often as it says: 60 sets of data.
TEST(Sobol, IntervalsHoldTheTruth) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::vector<Factor> factors = uniform(2, 1000, 0.0, 1.0, seed);
    const SobolIndices found =
        sobol_indices(factors, results(factors, [](const auto& x) { return x[0] < 0.5 ? 1.0 : x[1]; }), 60);
    // E[f | x1] is 1 or 1/2, and within the half x2 has variance 1/12: V = 1/16 + 1/24.
    const double first = (1.0 / 16.0) / (1.0 / 16.0 + 1.0 / 24.0);
    held += found.first[0].interval.low <= first && first <= found.first[0].interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 50);
}

// What SALib's Sobol' analysis finds with its own design, tests/data/salib_sobol.csv; scripts of its making stand
// there.
TEST(Sobol, SalibFindsTheSame) {
  std::ifstream file(test::source_file("tests/data/salib_sobol.csv"));
  const std::vector<Factor> factors = uniform(4, 40000, 0.0, 1.0);
  const auto grasp = [](const std::vector<double>& x) {
    return std::abs(x[0] - 0.5) < 0.15 + 0.3 * x[1] && x[2] * x[2] + 0.2 * x[3] > 0.3 ? 1.0 : 0.0;
  };
  const SobolIndices found = sobol_indices(factors, results(factors, grasp), 100);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("index", 0) == 0) continue;
    std::istringstream cells(line);
    std::string kind, a, b, value, error;
    std::getline(cells, kind, ',');
    std::getline(cells, a, ',');
    std::getline(cells, b, ',');
    std::getline(cells, value, ',');
    std::getline(cells, error, ',');
    ++rows;
    const auto number = [](const std::string& name) { return static_cast<std::size_t>(name.back() - '1'); };
    const double truth = std::stod(value), doubt = std::stod(error);
    if (kind == "first") expect_near(found.first[number(a)], truth, 0.015 + doubt, line);
    // Totals miss what four do together; the rest says how much that may be.
    if (kind == "total") {
      EXPECT_LE(found.total[number(a)].value, truth + doubt + 0.03) << line;
      EXPECT_GE(found.total[number(a)].value + found.rest.value, truth - doubt - 0.03) << line;
    }
    if (kind == "second") {
      for (const PairIndex& pair : found.pairs)
        if (pair.i == number(a) && pair.j == number(b)) expect_near(pair.index, truth, 0.03 + doubt, line);
    }
  }
  EXPECT_EQ(rows, 4 + 4 + 6);
}

}  // namespace
}  // namespace pegrasp::decide
