// SPDX-License-Identifier: Apache-2.0
// Rows of parameters against closed forms, against maps of the same problems, and against each other.
#include "pegrasp/evaluate_rows.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include <cmath>
#include <filesystem>

#include "pegrasp/map.hpp"
#include "tests/files.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

// A puck is pushed off at 200 mm/s and slides v^2 / (2 mu g).
const char* const puck = R"(
[map]
samples = 200
[simulation]
h_ms = 2
duration_s = 1
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = 200
support = { radius_mm = 7, friction = { distribution = "uniform", low = 0.2, high = 0.4 } }
[[body.part]]
shape = "disc"
radius_mm = 10
[success]
displacement_below_mm = 10
of = "puck"
[[design]]
key = "body.puck.vx_mm_s"
low = 50
high = 600
[[design]]
name = "spread"
key = "body.puck.support.radius_mm"
start = 6
scale = 1
)";
constexpr double g = 9.81;

RowEvaluator puck_rows() { return {puck, "puck.toml"}; }

std::string outcome_bytes(const SceneOutcome& outcome) {
  return {reinterpret_cast<const char*>(&outcome), sizeof outcome};
}

std::string bytes_of(const RowResult& result) {
  std::string out = result.refused + std::string(reinterpret_cast<const char*>(result.final_poses.data()),
                                                 result.final_poses.size() * sizeof(double));
  for (const SceneOutcome& outcome : result.outcomes) out += outcome_bytes(outcome);
  return out;
}

TEST(EvaluateRows, TablesNameTheParameters) {
  const RowEvaluator rows = puck_rows();
  ASSERT_EQ(rows.parameters().size(), 2u);
  EXPECT_EQ(rows.parameters()[0].name, "body.puck.vx_mm_s");
  EXPECT_EQ(rows.parameters()[0].start, 200.0);
  EXPECT_EQ(rows.parameters()[0].scale, 137.5);
  EXPECT_EQ(rows.parameters()[1].name, "spread");
  EXPECT_EQ(rows.start(), (std::vector<double>{200.0, 6.0}));
  EXPECT_NE(rows.toml_at({{300.0, 7.0}}).find("vx_mm_s = 300"), std::string::npos);
}

TEST(EvaluateRows, APuckSlidesAsFarAsItShould) {
  const RowEvaluator rows = puck_rows();
  const auto backend = test::make_backend_under_test(2);
  const std::vector<Row> some{{{100.0, 7.0}}, {{300.0, 7.0}}, {{200.0, 7.0}, {{"body.puck.support.friction", "0.25"}}}};
  RowOptions options;
  options.nominal = true;
  const std::vector<RowResult> results = rows.evaluate(some, *backend, options);
  const double speed[] = {0.1, 0.3, 0.2}, mu[] = {0.3, 0.3, 0.25};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(results[i].trials(), 1u);
    EXPECT_NEAR(results[i].pose(0, 0)[0], speed[i] * speed[i] / (2.0 * mu[i] * g), 2e-6) << i;
  }
}

TEST(EvaluateRows, ProbabilitiesAreThoseOfAMap) {
  const RowEvaluator rows = puck_rows();
  const auto backend = test::make_backend_under_test(2);
  const RowResult result = rows.evaluate(std::vector<Row>{{{240.0, 5.0}}}, *backend)[0];
  const Problem problem =
      parse_problem(puck, "puck.toml", {{"body.puck.vx_mm_s", "240"}, {"body.puck.support.radius_mm", "5"}});
  MapOptions options;
  options.out = std::filesystem::path(testing::TempDir()) / ("evaluate_rows_map_" + std::to_string(getpid()));
  const SuccessMap map = run_map(problem, *backend, options);
  EXPECT_EQ(result.p, map.cells[0].p);
  EXPECT_GT(result.p, 0.05);
  EXPECT_LT(result.p, 0.95);
  EXPECT_EQ(result.interval.low, map.cells[0].ci_low);
  EXPECT_EQ(result.interval.high, map.cells[0].ci_high);
  for (std::size_t t = 0; t < result.trials(); ++t) {
    EXPECT_EQ(outcome_bytes(result.outcomes[t]), outcome_bytes(map.outcomes[t]));
    EXPECT_EQ(result.drawn[t], map.values[t]);
  }
}

TEST(EvaluateRows, ARowDependsOnItselfAlone) {
  const RowEvaluator rows = puck_rows();
  const auto backend = test::make_backend_under_test(2);
  std::vector<Row> some;
  for (int i = 0; i < 6; ++i) some.push_back({{100.0 + 40.0 * i, 4.0 + i}});
  some.push_back({{150.0, 5.0}, {{"body.puck.part.0.radius_mm", "12"}}});  // another model
  RowOptions options;
  options.samples = 10;
  const std::vector<RowResult> together = rows.evaluate(some, *backend, options);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const RowResult alone = rows.evaluate(std::span(some).subspan(i, 1), *backend, options)[0];
    EXPECT_EQ(bytes_of(alone), bytes_of(together[i])) << i;
  }
}

TEST(EvaluateRows, WatchedTrialsEndAsThoseOfABatch) {
  const RowEvaluator rows = puck_rows();
  const auto backend = test::make_backend_under_test(2);
  const std::vector<Row> some{{{100.0, 7.0}}, {{300.0, 7.0}}};
  RowOptions options;
  options.samples = 5;
  const std::vector<RowResult> batch = rows.evaluate(some, *backend, options);
  options.record_every = 0.05;
  const std::vector<RowResult> watched = rows.evaluate(some, *backend, options);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(bytes_of(batch[i]), bytes_of(watched[i]));
    ASSERT_EQ(watched[i].records, 21u);
    const double mu = watched[i].drawn[0], v = i == 0 ? 0.1 : 0.3;
    for (std::size_t k = 0; k < 21; ++k) {
      const double t = std::min(0.05 * static_cast<double>(k), v / (mu * g));
      EXPECT_NEAR(watched[i].recorded_pose(0, k, 0)[0], v * t - 0.5 * mu * g * t * t, 1e-5) << k;
    }
  }
}

TEST(EvaluateRows, WhatCannotBeReadIsRefusedAlone) {
  const RowEvaluator rows = puck_rows();
  const auto backend = test::make_backend_under_test(2);
  const std::vector<Row> some{{{100.0, -7.0}}, {{100.0, 7.0}}};
  const std::vector<RowResult> results = rows.evaluate(some, *backend);
  EXPECT_NE(results[0].refused.find("radius_mm"), std::string::npos) << results[0].refused;
  EXPECT_EQ(results[0].trials(), 0u);
  EXPECT_TRUE(results[1].refused.empty());
  EXPECT_EQ(results[1].p, 1.0);
}

TEST(EvaluateRows, BadTablesAreRefused) {
  const auto refused = [](const std::string& table) {
    return test::refusal([&] { RowEvaluator(std::string(puck) + "[[design]]\n" + table, "puck.toml"); });
  };
  EXPECT_NE(refused("start = 1\n").find("sets no key"), std::string::npos);
  EXPECT_NE(refused("key = \"body.puck.mass_kg\"\n").find("scale: is missing"), std::string::npos)
      << refused("key = \"body.puck.mass_kg\"\n");
  EXPECT_NE(refused("key = \"body.puck.mass_kg\"\nlow = 2\nhigh = 3\n").find("between low and high"),
            std::string::npos);
  EXPECT_NE(refused("key = \"body.puck.vx_mm_s\"\nscale = 2\n").find("two parameters"), std::string::npos);
  EXPECT_NE(refused("key = \"body.ball.mass_kg\"\nstart = 2\nscale = 2\n").find("ball"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp
