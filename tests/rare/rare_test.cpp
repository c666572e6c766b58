// SPDX-License-Identifier: Apache-2.0
// Rare failures of simulated problems whose probability is known in closed form.
#include "src/rare/rare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/map.hpp"
#include "src/rare/measure.hpp"
#include "src/rare/scores.hpp"
#include "src/text/passing_error.hpp"
#include "tests/places.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp::rare {
namespace {

// A disc that flies freely for 20 ms, two steps, with a speed of N(100, 10) mm/s: it comes to 0.02 s times that.
const std::string flight = R"(
[map]
samples = 10
seed = 4
[simulation]
h_ms = 10
duration_s = 0.02
[[body]]
name = "disc"
mass_kg = 0.1
vx_mm_s = { distribution = "normal", mean = 100, sd = 10 }
y_mm = { distribution = "normal", mean = 0, sd = 1 }
[[body.part]]
shape = "disc"
radius_mm = 10
[success]
displacement_below_mm = 2.8
of = "disc"
)";

RareResult sought(const Problem& problem, RareOptions options, int threads = 1) {
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, problem.arithmetic, threads);
  options.samples = options.samples == 1000 ? 250 : options.samples;
  return seek_rare(problem, *backend, options);
}

void expect_holds(const RareResult& result, double probability, double most_error = 0.25) {
  ASSERT_EQ(result.end, End::reached);
  EXPECT_LE(result.estimate.interval.low, probability);
  EXPECT_GE(result.estimate.interval.high, probability);
  EXPECT_LT(result.estimate.relative_error, most_error);
}

TEST(Rare, ATailOfASpeedIsFoundByWhereTheBodyComesTo) {
  const Problem problem = parse_problem(flight, "flight.toml");
  RareOptions options;
  options.measure = "disc.x_mm";
  options.limit = 2.8;  // 4 standard deviations
  options.above = true;
  const RareResult result = sought(problem, options);
  expect_holds(result, portable::normal_cdf(-4.0));
  for (const WorstTrial& trial : result.worst) EXPECT_NEAR(trial.measure, 0.02 * 1e3 * trial.values[1], 1e-6);
  ASSERT_EQ(result.worst.size(), 10u);
  EXPECT_GT(result.worst.front().measure, 2.8);
}

TEST(Rare, TheMarginOfSuccessLeadsToItsFailure) {
  const Problem problem = parse_problem(flight, "flight.toml");
  const RareResult result = sought(problem, {});
  expect_holds(result, portable::normal_cdf(-4.0));
  for (const WorstTrial& trial : result.worst) EXPECT_NEAR(trial.measure, 2.8 - 0.02 * 1e3 * trial.values[1], 1e-6);
}

// The sum of two correlated numbers: normal with a variance of 2 + 2 * 0.6.
TEST(Rare, DependentNumbersKeepTheirCorrelation) {
  std::string text = flight;
  text += R"(
[[correlation]]
of = ["disc.vx", "disc.x"]
matrix = [[1, 0.6], [0.6, 1]]
)";
  text.replace(text.find("y_mm = "), 7, "x_mm = ");
  const Problem problem = parse_problem(text, "flight.toml");
  RareOptions options;
  options.measure = "disc.x_mm";
  options.above = true;
  options.limit = 2.0 + 4.0 * std::sqrt(0.2 * 0.2 + 1.0 + 2.0 * 0.6 * 0.2);  // x + 0.02 s vx
  expect_holds(sought(problem, options), portable::normal_cdf(-4.0));
}

TEST(Rare, ThreadsAndInterruptionsChangeNothing) {
  const Problem problem = parse_problem(flight, "flight.toml");
  test::Folder folder;
  RareOptions options;
  const RareResult once = sought(problem, options), crew = sought(problem, options, 3);
  EXPECT_EQ(rare_csv(once, options), rare_csv(crew, options));
  std::atomic<bool> stop{false};
  options.journal = folder.path() / "rare.journal";
  options.stop = &stop;
  options.progress = [&stop](std::size_t done, std::size_t) { stop = done > 3000; };
  EXPECT_THROW(sought(problem, options), Interrupted);
  stop = false;
  options.progress = {};
  options.resume = true;
  const RareResult resumed = sought(problem, options);
  EXPECT_GT(resumed.resumed, 3000u);
  EXPECT_EQ(rare_csv(resumed, options), rare_csv(once, options));
  EXPECT_EQ(resumed.estimate.mean, once.estimate.mean);
  options.runs = 8;
  EXPECT_THROW(sought(problem, options), InputError) << "of another run";
}

TEST(Rare, RowsOfTheWorstTrialsRepeatThem) {
  const Problem problem = parse_problem(flight, "flight.toml");
  const RareResult result = sought(problem, {});
  std::string why;
  const std::string rows = worst_rows(problem, result, why);
  EXPECT_EQ(why, "");
  test::Folder folder;
  std::ofstream(folder.path() / "worst.csv") << rows;
  const std::filesystem::path problem_file = folder.path() / "flight.toml";
  std::ofstream(problem_file) << flight;
  const Problem again =
      load_problem(problem_file, {{"map.samples_from", "\"" + (folder.path() / "worst.csv").string() + "\""}});
  const std::vector<double> base = scene_parameters(again.scene);
  std::vector<double> parameters(base.size()), values(2);
  for (std::size_t k = 0; k < result.worst.size(); ++k) {
    draw_sample(again, base, 0, static_cast<int>(k), parameters, values);
    EXPECT_EQ(values, result.worst[k].values);
  }
}

// What scores are drawn to has the distribution that maps draw: uniform, measured, groups and supports.
TEST(Rare, ScoresAreDrawnAsMapsAre) {
  const Problem problem =
      load_problem(test::source_file("examples/gear/gear.toml"), {{"uncertain.gripper_friction.group", "\"any\""}});
  const ScoreSpace space({&problem, 1});
  EXPECT_EQ(space.dimensions(), 4u);  // two frictions, the group of one, the turn of the support
  std::vector<double> parameters(space.parameters()), values(space.values()), scores(4, 0.0);
  ASSERT_TRUE(space.draw(0, 0, scores, parameters, values));
  double mean = 0.0;
  constexpr int count = 999;
  const std::vector<SampledColumn> columns = sampled_columns(problem);
  for (int k = 0; k < count; ++k) {  // through all shares of the turn
    for (double& score : scores) score = portable::normal_quantile((k + 0.5) / count);
    ASSERT_TRUE(space.draw(0, 0, scores, parameters, values));
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].name == "gear.support.turn") mean += values[c] / count;
  }
  EXPECT_NEAR(mean, std::acos(-1.0), 1e-6);
}

// The disc flies towards a wall and should stay 1 mm away: it comes to its radius plus N(2, 0.2) mm.
std::string flight_to_wall(double face_mm, const std::string& disc) {
  return R"(
[map]
seed = 4
[simulation]
h_ms = 10
duration_s = 0.02
[[body]]
name = "wall"
kind = "fixed"
x_mm = )" +
         std::to_string(face_mm + 5.0) +
         R"(
part = [{ shape = "box", width_mm = 10, height_mm = 100 }]
[[body]]
name = "disc"
mass_kg = 0.1
vx_mm_s = { distribution = "normal", mean = 100, sd = 10 }
)" + disc +
         R"(
[success]
not = { gap_below_mm = 1, of = "disc", from = "wall" }
)";
}

TEST(Rare, SizesOfBodiesAreSoughtOver) {
  const double sd = std::sqrt(0.2 * 0.2 + 0.3 * 0.3);  // of speed and radius
  const Problem problem = parse_problem(flight_to_wall(13.0 + 4.0 * sd,
                                                       "scale = { distribution = \"normal\", mean = 1, sd = 0.03 }\n"
                                                       "part = [{ shape = \"disc\", radius_mm = 10 }]\n"),
                                        "wall.toml");
  ASSERT_TRUE(problem.changes.any());
  RareOptions options;
  options.runs = 8;  // each trial makes a model
  const RareResult result = sought(problem, options);
  expect_holds(result, portable::normal_cdf(-4.0), 0.5);
  std::string why;
  EXPECT_NE(worst_rows(problem, result, why), "") << why;
}

TEST(Rare, VariantsOfBodiesAreSoughtOver) {
  const Problem problem = parse_problem(flight_to_wall(13.8, R"(
[[body.variants]]
name = "small"
weight = 3
part = [{ shape = "disc", radius_mm = 10 }]
[[body.variants]]
name = "large"
part = [{ shape = "disc", radius_mm = 10.1 }]
)"),
                                        "wall.toml");
  ASSERT_TRUE(problem.variants);
  const RareResult result = sought(problem, {}), crew = sought(problem, {}, 3);
  expect_holds(result, 0.75 * portable::normal_cdf(-4.0) + 0.25 * portable::normal_cdf(-3.5), 0.35);
  EXPECT_EQ(rare_csv(result, {}), rare_csv(crew, {}));
  for (const WorstTrial& trial : result.worst) {
    ASSERT_EQ(trial.variants.size(), 1u);
    const double radius = trial.variants[0] == "large" ? 10.1 : 10.0;
    EXPECT_NEAR(trial.measure, 13.8 - 1.0 - radius - 0.02 * 1e3 * trial.values[0], 1e-6) << trial.variants[0];
  }
  const std::string text = rare_text(problem, result, {}, "wall.toml", "worst.csv");
  EXPECT_NE(text.find("--sample 0 --set body.disc.variant=" + result.worst[0].variants[0] + "\n"), std::string::npos)
      << text;
}

TEST(Rare, TwoRunsDoNotShareAJournal) {
  test::Folder folder;
  const std::filesystem::path file = folder.path() / "rare.journal";
  const Trial trial{1.5, true, true};
  {
    MeasureLog first(file, 7, false);
    first.append({&trial, 1});
    EXPECT_THROW(MeasureLog(file, 7, true), PassingError);
  }
  MeasureLog next(file, 7, true);
  Trial found{};
  EXPECT_EQ(next.recall({&found, 1}), 1u);
  EXPECT_EQ(found.distance, 1.5);
}

TEST(Rare, WhatCannotBeSoughtIsRefused) {
  const auto refuse = [](const std::vector<Override>& set, const RareOptions& options, const std::string& part) {
    try {
      sought(parse_problem(flight, "flight.toml", set), options);
      ADD_FAILURE() << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  RareOptions named;
  named.measure = "puck.x_mm";
  refuse({}, named, "no such measure");
  RareOptions beyond;
  beyond.cell = 1;
  refuse({}, beyond, "--cell 1: the problem has cells 0 to 0");
  refuse({{"map.sampling", "\"sobol\""}, {"map.samples", "32"}}, {}, "map.sampling");
  refuse({{"body.disc.vx_mm_s", "100"}, {"body.disc.y_mm", "0"}}, {}, "nothing of the problem is uncertain");
}

TEST(Rare, AMeasureOfOneValueEndsWithoutANumber) {
  const Problem problem = parse_problem(flight, "flight.toml");
  RareOptions options;
  options.measure = "slip_margin";  // 1 throughout: nothing touches
  const RareResult result = sought(problem, options);
  EXPECT_EQ(result.end, End::atoms);
  EXPECT_NE(no_result(result, options).find("100 % of the trials of level 1"), std::string::npos);
  EXPECT_EQ(rare_json(problem, result, options, "f", "").find("\"probability\": 0.0,"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::rare
