// SPDX-License-Identifier: Apache-2.0
// Inputs that depend on each other: a Gaussian copula leaves every margin as it is and gives the rank correlations that
// theory says; measured rows stay together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/sampler.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

constexpr int draws = 20000;
constexpr double pi = 3.14159265358979323846;

Problem dependent(const std::vector<Override>& more = {}) {
  std::vector<Override> all{{"map.samples", std::to_string(draws)}};
  all.insert(all.end(), more.begin(), more.end());
  return load_problem(test::source_file("tests/problem/dependent.toml"), all);
}

// Columns by their names.
std::map<std::string, std::vector<double>> columns_of(const Problem& problem, int count = draws) {
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters()), values(sampler.values());
  std::map<std::string, std::vector<double>> out;
  for (int i = 0; i < count; ++i) {
    sampler.draw(0, i, parameters, values);
    for (std::size_t k = 0; k < problem.uncertain.size(); ++k) out[problem.uncertain[k].name].push_back(values[k]);
  }
  return out;
}

std::vector<double> ranks_of(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> rank(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i);
  return rank;
}

double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n, my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  return correlation_of(ranks_of(x), ranks_of(y));
}

// The largest distance between the distribution function and the draws' (Kolmogorov and Smirnov).
template <class Cdf>
double largest_gap(std::vector<double> x, const Cdf& cdf) {
  std::sort(x.begin(), x.end());
  double gap = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    gap = std::max({gap, std::fabs(cdf(x[i]) - static_cast<double>(i) / n),
                    std::fabs(cdf(x[i]) - static_cast<double>(i + 1) / n)});
  }
  return gap;
}

TEST(Correlation, LeavesTheMarginsAsTheyAre) {
  auto x = columns_of(dependent());
  const double most = 1.63 / std::sqrt(draws);  // one in a hundred
  EXPECT_LT(largest_gap(x["x"], [](double v) { return v; }), most);
  EXPECT_LT(largest_gap(x["mass"], [](double v) { return portable::normal_cdf(std::log(v / 0.1) / 0.2); }), most);
  const double low = portable::normal_cdf(-2.0), high = portable::normal_cdf(2.0);
  EXPECT_LT(
      largest_gap(x["speed"], [&](double v) { return (portable::normal_cdf((v - 0.2) / 0.1) - low) / (high - low); }),
      most);
  std::map<double, int> counts;
  for (const double v : x["turn"]) ++counts[v];
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_NEAR(counts[-1] / double{draws}, 0.25, 0.01);
  EXPECT_NEAR(counts[0] / double{draws}, 0.5, 0.01);
}

// Spearman's rho of a Gaussian copula is 6 / pi asin(r / 2).
TEST(Correlation, HasTheRankCorrelationOfTheory) {
  auto x = columns_of(dependent());
  const auto rho = [](double r) { return 6.0 / pi * std::asin(0.5 * r); };
  EXPECT_NEAR(spearman(x["mass"], x["x"]), rho(0.8), 0.01);
  EXPECT_NEAR(spearman(x["x"], x["speed"]), rho(-0.5), 0.02);
  EXPECT_NEAR(spearman(x["mass"], x["speed"]), 0.0, 0.02);
  EXPECT_NEAR(spearman(x["y"], x["x"]), 0.0, 0.02) << "named by no matrix";
}

// Where one goes the other goes, whatever their distributions.
TEST(Correlation, MayBeOne) {
  const Problem problem = dependent({{"correlation",
                                      "[{ of = [\"x\", \"speed\", \"mass\"], matrix = [[1, 1, -1], [1, 1, -1], "
                                      "[-1, -1, 1]] }]"}});
  auto x = columns_of(problem, 500);
  EXPECT_EQ(ranks_of(x["x"]), ranks_of(x["speed"]));
  std::vector<double> down = ranks_of(x["mass"]);
  for (double& rank : down) rank = 499.0 - rank;
  EXPECT_EQ(ranks_of(x["x"]), down);
}

// Who is first in a matrix, and who is in none, draws what it did.
TEST(Correlation, ChangesNoOtherDraw) {
  auto with = columns_of(dependent(), 100), without = columns_of(dependent({{"correlation", "[]"}}), 100);
  for (const char* name : {"mass", "y", "table"}) EXPECT_EQ(with[name], without[name]) << name;
  for (const char* name : {"x", "speed"}) EXPECT_NE(with[name], without[name]) << name;
}

struct BadMatrix {
  const char* of;
  const char* matrix;
  const char* said;
};

TEST(Correlation, RefusesWhatIsNone) {
  for (const BadMatrix& bad : {
           BadMatrix{"[\"x\", \"y\"]", "[[1, 0.5], [0.4, 1]]", "symmetric"},
           {"[\"x\", \"y\"]", "[[2, 0.5], [0.5, 1]]", "matrix"},
           {"[\"x\", \"y\"]", "[[0.9, 0.5], [0.5, 1]]", "must be 1"},
           {"[\"x\", \"y\"]", "[[1, 1.5], [1.5, 1]]", "at least -1"},
           {"[\"x\", \"y\"]", "[[1, 0.5]]", "2 rows of 2 numbers"},
           {"[\"x\", \"y\", \"mass\"]", "[[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]", "positive semidefinite"},
           {"[\"x\", \"y\", \"mass\"]", "[[1, 1, 0], [1, 1, 0.5], [0, 0.5, 1]]", "positive semidefinite"},
           {"[\"x\", \"yy\"]", "[[1, 0], [0, 1]]", "did you mean \"y\""},
           {"[\"x\", \"x\"]", "[[1, 0], [0, 1]]", "named twice"},
           {"[\"x\", \"table\"]", "[[1, 0], [0, 1]]", "drawn from a file"},
       }) {
    const std::string message = test::refusal([&] {
      dependent({{"correlation", std::string("[{ of = ") + bad.of + ", matrix = " + bad.matrix + " }]"}});
    });
    EXPECT_NE(message.find(bad.said), std::string::npos) << bad.matrix << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

// Normal parameters in units of their own, x in mm and y in m.
Problem normals(const std::string& how) {
  return load_problem(test::source_file("tests/problem/normal_pair.toml"),
                      {{"correlation", "[{ of = [\"x\", \"y\"], " + how + " }]"}});
}

// The draws of the correlations that follow from the covariances.
TEST(Correlation, TakesCovariances) {
  auto given = columns_of(normals("covariance = [[9, -0.36], [-0.36, 0.04]]"), 2000);
  auto same = columns_of(normals("matrix = [[1, -0.6], [-0.6, 1]]"), 2000);
  EXPECT_EQ(given["x"], same["x"]);
  for (std::size_t i = 0; i < 2000; ++i) ASSERT_NEAR(given["y"][i], same["y"][i], 1e-14);
  EXPECT_NEAR(correlation_of(given["x"], given["y"]), -0.6, 0.05);
}

TEST(Correlation, RefusesCovariancesThatContradict) {
  for (const auto& [matrix, said] : {std::pair<const char*, const char*>{"[[9, 0], [0, 0.05]]", "square of the sd"},
                                     {"[[9, 0.7], [0.7, 0.04]]", "positive semidefinite"},
                                     {"[[9, 0.1], [0.2, 0.04]]", "symmetric"},
                                     {"[[9, 0]]", "2 rows of 2 numbers"},
                                     {"[[9, 0], [0, 0.04]], matrix = [[1, 0], [0, 1]]", "beside matrix"}}) {
    const std::string message = test::refusal([&, given = matrix] { normals(std::string("covariance = ") + given); });
    EXPECT_NE(message.find(said), std::string::npos) << matrix << ": " << message;
  }
  const std::string message = test::refusal([] {
    dependent({{"correlation", "[{ of = [\"x\", \"y\"], covariance = [[1, 0], [0, 1]] }]"}});
  });
  EXPECT_NE(message.find("is not normal"), std::string::npos) << message;
}

TEST(Measured, RowsStayTogether) {
  const std::map<double, double> file{{0.21, 0.01}, {0.25, -0.02}, {0.3, 0.0}, {0.34, 0.03}, {0.38, -0.01}};
  for (const char* sampling : {"random", "sobol"}) {
    auto x = columns_of(dependent({{"map.sampling", sampling}, {"map.samples", "20000"}}));
    std::map<double, int> counts;
    for (std::size_t i = 0; i < draws; ++i) {
      ASSERT_EQ(file.at(x["table"][i]), x["puck.vy"][i]) << sampling;
      ++counts[x["table"][i]];
    }
    ASSERT_EQ(counts.size(), file.size());
    for (const auto& [mu, count] : counts) EXPECT_NEAR(count, draws / 5, 200) << mu;  // 3.5 standard deviations
  }
}

TEST(Measured, SaysWhatIsWrong) {
  const auto refused = [](const std::string& table) {
    return test::refusal([&] { dependent({{"uncertain.table", table}}); });
  };
  const std::string file = "file = \"measurements.csv\"";
  EXPECT_NE(refused("{ distribution = \"measured\", " + file + ", column = \"my\" }").find("did you mean \"mu\""),
            std::string::npos);
  EXPECT_NE(refused("{ distribution = \"measured\", file = \"none.csv\", column = \"mu\" }").find("none.csv: "),
            std::string::npos);
  EXPECT_NE(refused("{ distribution = \"given\", column = \"mu\" }").find("map.samples_from"), std::string::npos);
  // as friction, a drift may not be negative: the second measurement is
  const std::string negative = refused("{ distribution = \"measured\", " + file + ", column = \"drift\" }");
  EXPECT_NE(negative.find("measurements.csv: line 3, column \"drift\": -0.02 is out of range"), std::string::npos)
      << negative;
}

}  // namespace
}  // namespace pegrasp
