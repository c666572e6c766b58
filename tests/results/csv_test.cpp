// SPDX-License-Identifier: Apache-2.0
// map.csv byte by byte, and the summary.
#include "src/formats/csv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

TEST(MapCsv, ExactBytes) {
  EXPECT_EQ(map_csv(test::small_map()),
            "x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high\n"
            "-10,-0.7,2,1,0,0.5,0.125,0.875\n"
            "-9.5,-0.7,2,1,0,0.5,0.125,0.875\n"
            "-9,-0.7,2,1,0,0.5,0.125,0.875\n"
            "-10,7,2,1,0,0.5,0.125,0.875\n"
            "-9.5,7,2,1,0,0.5,0.125,0.875\n"
            "-9,7,2,0,2,nan,0.125,1\n");
}

// Positions print as they were typed; 0 has no sign.
TEST(MapCsv, PositionsPrintAsTyped) {
  SuccessMap map = test::small_map();
  map.cells.resize(1);
  const auto printed = [&map](double metres) {
    map.cells[0].x = metres;
    const std::string text = map_csv(map);
    const std::size_t line = text.find('\n') + 1;
    return text.substr(line, text.find(',', line) - line);
  };
  for (int tenth = -300; tenth <= 300; ++tenth) {
    const std::string typed = (tenth < 0 ? "-" : "") + std::to_string(std::abs(tenth) / 10) +
                              (tenth % 10 ? "." + std::to_string(std::abs(tenth) % 10) : "");
    EXPECT_EQ(printed(std::stod(typed) * 1e-3), typed);
    EXPECT_EQ(printed(std::stod(typed) / 1000.0), typed);
  }
  EXPECT_EQ(printed(-0.0), "0");
  EXPECT_EQ(printed(1e-3 / 3.0), "0.333333333");
}

// A probability reads back to the very same double.
TEST(MapCsv, NumbersReadBackTheSame) {
  SuccessMap map = test::small_map();
  map.cells.resize(1);
  for (int samples = 1; samples < 200; ++samples) {
    map.cells[0].p = 1.0 / samples;
    const std::string text = map_csv(map);
    std::size_t at = text.find('\n');
    for (int comma = 0; comma < 5; ++comma) at = text.find(',', at + 1);
    EXPECT_EQ(std::stod(text.substr(at + 1)), 1.0 / samples);
  }
}

TEST(MapSummary, SaysWhatTheMapKnows) {
  const auto json = nlohmann::json::parse(map_summary_json(test::small_map(), test::small_problem()));
  EXPECT_EQ(json["title"], "Zahnrad, 3 µm");
  EXPECT_EQ(json["trials"], 12);
  EXPECT_EQ(json["cells"], 6);
  EXPECT_EQ(json["unresolved"], 2);
  // Both are not converged and too deep.
  const nlohmann::json reasons{
      {"not_converged", 2}, {"capacity", 0}, {"non_finite", 0}, {"too_deep", 2}, {"infeasible", 0}};
  EXPECT_EQ(json["unresolved_by_reason"], reasons);
  EXPECT_EQ(json["successes"], 5);  // of the resolved ones
  EXPECT_DOUBLE_EQ(json["success_rate"], 0.5);
  EXPECT_EQ(json["stopped_still"], 12);
  EXPECT_EQ(json["tripods_redrawn"], 3);
  EXPECT_EQ(json["steps"], 1266);
  EXPECT_EQ(json["substeps_rejected"], 5);
  EXPECT_DOUBLE_EQ(json["solves_per_substep"], 2.0);
  EXPECT_DOUBLE_EQ(json["iterations_per_solve"], 3.0);
  EXPECT_EQ(json["contacts_max"], 6);
  EXPECT_DOUBLE_EQ(json["residual_max_m_s"], 1.2e-6);
  EXPECT_DOUBLE_EQ(json["penetration_max_m"], 1.2e-8);
  EXPECT_DOUBLE_EQ(json["trials_per_s"], 6.0);
  EXPECT_DOUBLE_EQ(json["scene_steps_per_s"], 633.0);
  EXPECT_DOUBLE_EQ(json["seconds"]["sampling"], 0.25);
  EXPECT_DOUBLE_EQ(json["seconds"]["drawing"], 0.5);
  EXPECT_DOUBLE_EQ(json["seconds"]["total"], 3.0);
  EXPECT_EQ(json["solver"], "newton");
  EXPECT_EQ(json["contact"], "peg");
  EXPECT_EQ(json["arithmetic"], "strict");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_DOUBLE_EQ(json["h_s"], 0.005);
}

// Trials that stand though they overlapped by more than is accepted; unresolved ones are counted as such.
TEST(MapSummary, CountsWhatStandsAboveTheAcceptedOverlap) {
  SuccessMap map = test::small_map();  // depths 1e-9, 2e-9, ... 1.2e-8, the last two unresolved
  map.tolerance = 2e-6;
  map.penetration_tolerance = map.outcomes[4].penetration_max;
  const auto json = nlohmann::json::parse(map_summary_json(map, test::small_problem()));
  EXPECT_EQ(json["above_penetration_tolerance"], 5);
  EXPECT_EQ(json["penetration_tolerance_m"], map.penetration_tolerance);
  EXPECT_EQ(json["tolerance_m_s"], 2e-6);
  map.penetration_tolerance = 1.0;
  EXPECT_EQ(nlohmann::json::parse(map_summary_json(map, test::small_problem()))["above_penetration_tolerance"], 0);
}

// Nothing resolved, nothing simulated in this run: numbers all the same, but a rate of nothing is none.
TEST(MapSummary, NothingToDivideBy) {
  SuccessMap map = test::small_map();
  for (SceneOutcome& outcome : map.outcomes) outcome = {.status = status_non_finite};
  map.resumed = map.outcomes.size();
  map.timing = {};
  const auto json = nlohmann::json::parse(map_summary_json(map, test::small_problem()));
  EXPECT_TRUE(json["success_rate"].is_null()) << json["success_rate"];
  EXPECT_EQ(json["above_penetration_tolerance"], 0);
  EXPECT_EQ(json["trials_per_s"], 0.0);
  EXPECT_EQ(json["iterations_per_solve"], 0.0);
}

}  // namespace
}  // namespace pegrasp
