// SPDX-License-Identifier: Apache-2.0
// Maps with [[axis]] on the command line: check, map and picture, run, validate, best, explain, compare, bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/decide/stored_map.hpp"
#include "tests/cli/child.hpp"
#include "tests/results/has_matplotlib.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;

const std::string mu = "[[axis]]\nkey = \"uncertain.table.mean\"\nfrom = 0.1\nto = 0.5\ncount = 4\nscale = \"log\"\n";
const std::string radius = "[[axis]]\nkey = \"body.puck.part.0.radius_mm\"\nvalues = [10, 20]\n";
const std::string contact = "[[axis]]\nkey = \"simulation.contact\"\nvalues = [\"peg\", \"standard\"]\n";

// The puck of examples/puck with axes in front.
std::string puck_with(const Folder& folder, const std::string& axes, const std::string& name) {
  const std::filesystem::path file = folder.path() / name;
  std::ofstream(file, std::ios::binary) << axes << R"(
[map]
samples = 12
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = { distribution = "uniform", low = 100, high = 400 }
support = { radius_mm = 7, friction = "table" }
part = [{ shape = "disc", radius_mm = 10 }]
[uncertain]
table = { distribution = "truncated_normal", mean = 0.3, sd = 0.1, low = 0.05, high = 0.6 }
[success]
displacement_below_mm = 10
of = "puck"
)";
  return file.string();
}

TEST(AxesCommand, ATrialOfTheMapIsRunAgain) {
  const Folder folder;
  const std::string problem = puck_with(folder, mu + radius + contact, "puck.toml"), out = folder.path() / "out";
  const Finished map = pegrasp_run(folder, {"map", problem, "--out", out, "--quiet"});
  ASSERT_EQ(map.code, 0) << map.err;
  EXPECT_EQ(std::filesystem::exists(out + "/map.png"), test::has_matplotlib());
  const decide::StoredMap stored = decide::read_stored_map(out, decide::Trials::all);
  ASSERT_EQ(stored.cells.size(), 16u);
  for (const std::string& file : {problem, out + "/problem.toml"}) {
    for (const std::size_t trial : {std::size_t{5 * 12 + 3}, std::size_t{14 * 12 + 7}}) {
      const Finished run = pegrasp_run(folder, {"run", file, "--cell", std::to_string(trial / 12), "--sample",
                                                std::to_string(trial % 12), "--json"});
      ASSERT_EQ(run.code, 0) << run.err;
      const auto json = nlohmann::json::parse(run.out);
      EXPECT_EQ(json["success"].get<bool>() ? 1 : 0, stored.success[trial]);
      EXPECT_EQ(json["contact"], trial / 12 >= 8 ? "standard" : "peg");
    }
  }
  for (const char* command : {"best", "explain"}) {
    const Finished decided = pegrasp_run(folder, {command, out, "--quiet"});
    EXPECT_EQ(decided.code, 0) << command << decided.err;
    EXPECT_EQ(decided.err, "") << command;
  }
  const Finished compared = pegrasp_run(folder, {"compare", out, out, "--out", folder.path() / "compared", "--quiet"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.err, "");
}

TEST(AxesCommand, EveryNumberOfAxesHasItsPicture) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "no matplotlib";
  const Folder folder;
  const std::vector<std::string> axes{mu, contact, mu + radius};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string out = folder.path() / std::to_string(i);
    const Finished map = pegrasp_run(folder, {"map", puck_with(folder, axes[i], "puck.toml"), "--out", out, "--quiet",
                                              "--samples", "4", "--no-step-check"});
    EXPECT_EQ(map.code, 0) << map.err;
    EXPECT_EQ(map.err, "");
    EXPECT_TRUE(std::filesystem::exists(out + "/map.png")) << i;
  }
}

TEST(AxesCommand, CheckNamesTheAxesAndValidateTakesGroups) {
  const Folder folder;
  const std::string problem = puck_with(folder, radius + mu, "puck.toml");
  const Finished check = pegrasp_run(folder, {"check", problem});
  ASSERT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("# 8 cells, 12 samples per cell, 96 trials"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("# axis radius_mm [mm]: 10, 20 (2)"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("8 groups of cells"), std::string::npos) << check.out;
  const Finished validate =
      pegrasp_run(folder, {"validate", puck_with(folder, radius, "few.toml"), "--samples", "4", "--json"});
  if (validate.err.find("without the reference simulator") != std::string::npos) GTEST_SKIP();
  ASSERT_EQ(validate.code, 0) << validate.err << validate.out;
  EXPECT_EQ(nlohmann::json::parse(validate.out)["groups"].size(), 2u);
}

// Friction decides: halving the distances twice where the map is steep keeps the map and adds cells to it.
TEST(AxesCommand, AMapIsRefined) {
  const Folder folder;
  const std::string problem = puck_with(folder, mu + contact, "puck.toml"), out = folder.path() / "out";
  const auto map_into = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"map", problem, "--out", out, "--samples", "40", "--no-step-check"};
    words.insert(words.end(), more.begin(), more.end());
    return pegrasp_run(folder, words);
  };
  ASSERT_EQ(map_into({"--quiet", "--no-plot"}).code, 0);
  const std::string plain = test::content(out + "/map.csv");
  const Finished map = map_into({"--refine", "levels=2", "--refine", "difference=0.1"});
  ASSERT_EQ(map.code, 0) << map.err;
  EXPECT_NE(map.out.find("\nrefined     "), std::string::npos) << map.out;
  EXPECT_NE(map.out.find(", refined.csv"), std::string::npos) << map.out;
  EXPECT_EQ(std::filesystem::exists(out + "/map.png"), test::has_matplotlib()) << map.err;
  EXPECT_EQ(test::content(out + "/map.csv"), plain);
  const std::string refined = test::content(out + "/refined.csv");
  EXPECT_EQ(refined.rfind("level,mean,contact,samples,", 0), 0u) << refined;
  EXPECT_NE(refined.find("\n2,"), std::string::npos) << refined;
  const auto summary = nlohmann::json::parse(test::content(out + "/summary.json"));
  EXPECT_GT(summary["refined"]["cells_of_levels"][0].get<int>(), 0);
  EXPECT_EQ(summary["trials"], 320) << "of the map itself";
  // Parts hold the cells of the map; who joins them adds the others.
  const std::string parts = folder.path() / "parts";
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const Finished part =
        pegrasp_run(folder, {"map", problem, "--out", parts, "--samples", "40", "--no-step-check", "--quiet",
                             "--refine", "levels=2", "--refine", "difference=0.1", "--shard", shard});
    ASSERT_EQ(part.code, 0) << part.err;
  }
  const Finished merged = pegrasp_run(folder, {"merge", parts, "--no-plot", "--quiet", "--threads", "2"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  for (const char* name : {"map.csv", "refined.csv", "map.h5", "problem.toml"})
    EXPECT_EQ(test::content(parts + "/" + name), test::content(out + "/" + name)) << name;
  for (const char* command : {"best", "explain"})
    EXPECT_EQ(pegrasp_run(folder, {command, out, "--quiet", "--no-plot"}).code, 0) << command;
}

TEST(AxesCommand, WhatIsNotRefinedIsSaidInOneLine) {
  const Folder folder;
  const std::string problem = puck_with(folder, mu + contact, "puck.toml"), out = folder.path() / "out";
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"--refine", "2"}, "--refine 2: is none of levels=N, difference=D"},
      {{"--refine", "levels=0"}, "map.refine.levels"},
      {{"--refine", "axes=[\"contact\"]"}, "map.refine.axes: contact has no values that rise or fall"}};
  for (const auto& [more, says] : refused) {
    std::vector<std::string> words{"map", problem, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const Finished map = pegrasp_run(folder, words);
    EXPECT_EQ(map.code, 2) << says;
    EXPECT_NE(map.err.find(says), std::string::npos) << map.err;
    EXPECT_EQ(std::count(map.err.begin(), map.err.end(), '\n'), 1) << map.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << says;
  }
}

TEST(AxesCommand, BadValuesEndInOneLine) {
  const Folder folder;
  const std::string axis = "[[axis]]\nkey = \"body.puck.mass_kg\"\nvalues = [0.1, -1]\n";
  const Finished map =
      pegrasp_run(folder, {"map", puck_with(folder, axis, "bad.toml"), "--out", folder.path() / "out"});
  EXPECT_EQ(map.code, 2);
  EXPECT_NE(map.err.find("mass_kg = -1"), std::string::npos) << map.err;
  EXPECT_EQ(std::count(map.err.begin(), map.err.end(), '\n'), 1) << map.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

}  // namespace
}  // namespace pegrasp
