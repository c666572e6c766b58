// SPDX-License-Identifier: Apache-2.0
// pegrasp map --samples-from, end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

std::string row_file(const Folder& folder, const std::string& text) {
  const std::filesystem::path file = folder.path() / "rows.csv";
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::vector<std::string> rows_job(const std::string& rows, const std::filesystem::path& out,
                                  const std::vector<std::string>& more) {
  std::vector<std::string> words{"map",
                                 source_file("tests/problem/dependent.toml"),
                                 "--out",
                                 out.string(),
                                 "--no-plot",
                                 "--quiet",
                                 "--backend",
                                 "cpu",
                                 "--samples-from",
                                 rows};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Slow pucks on rough tables stop early, fast ones on smooth tables late: v^2 / (2 mu g) against 20 mm.
TEST(CliRows, OutcomesComeBackRowByRow) {
  const Folder folder;
  std::string text = "body.puck.support.friction,speed,puck.vy\n";
  std::vector<int> expected;
  for (int k = 0; k < 12; ++k) {
    const double mu = 0.1 + 0.04 * (k % 4), speed = 0.1 + 0.02 * k;
    text += std::to_string(mu) + ',' + std::to_string(speed) + ",0\n";
    const double slide = speed * speed / (2.0 * mu * 9.81);
    ASSERT_GT(std::fabs(slide - 0.02), 0.002) << k;
    expected.push_back(slide < 0.02 ? 1 : 0);
  }
  const std::string rows = row_file(folder, text);
  const std::filesystem::path whole = folder.path() / "whole", parts = folder.path() / "parts";
  const Finished done = pegrasp_run(folder, rows_job(rows, whole, {"--threads", "1"}));
  ASSERT_EQ(done.code, 0) << done.err;
  std::istringstream lines(content(whole / "rows_out.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("cell,sample,body.puck.support.friction,speed,puck.vy,success,reason,", 0), 0u) << line;
  std::vector<int> found;
  while (std::getline(lines, line)) {
    std::istringstream of_line(line);
    std::string cell;
    for (int k = 0; k < 6; ++k) std::getline(of_line, cell, ',');
    found.push_back(std::stoi(cell));
  }
  EXPECT_EQ(found, expected);

  for (const char* shard : {"1/2", "2/2"}) {
    const Finished part = pegrasp_run(folder, rows_job(rows, parts, {"--threads", "2", "--shard", shard}));
    ASSERT_EQ(part.code, 0) << part.err;
  }
  ASSERT_EQ(pegrasp_run(folder, {"merge", parts.string(), "--no-plot", "--quiet"}).code, 0);
  for (const char* name : {"rows_out.csv", "map.h5", "map.csv", "problem.toml"}) {
    EXPECT_EQ(content(parts / name), content(whole / name)) << name;
  }

  // a row again, by the file of rows or by the resolved problem
  for (const int sample : {0, 11}) {
    for (const bool resolved : {false, true}) {
      std::vector<std::string> words{"run", source_file("tests/problem/dependent.toml"), "--samples-from", rows};
      if (resolved) words = {"run", (whole / "problem.toml").string()};
      for (const char* word : {"--cell", "0", "--json", "--sample"}) words.emplace_back(word);
      words.push_back(std::to_string(sample));
      const Finished run = pegrasp_run(folder, words);
      ASSERT_EQ(run.code, 0) << run.err;
      EXPECT_EQ(nlohmann::json::parse(run.out)["success"].get<bool>(), expected[static_cast<std::size_t>(sample)] == 1)
          << run.out;
    }
  }
}

TEST(CliRows, BadOnesAreRefusedBeforeAnythingIsMade) {
  const Folder folder;
  const std::filesystem::path out = folder.path() / "out";
  const std::string rows = row_file(folder, "speed\n0.1\nfast\n");
  const Finished bad = pegrasp_run(folder, rows_job(rows, out, {}));
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("rows.csv: line 3, column \"speed\": must be a finite number, got \"fast\""),
            std::string::npos)
      << bad.err;
  EXPECT_EQ(std::count(bad.err.begin(), bad.err.end(), '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(out));
  const Finished both = pegrasp_run(folder, rows_job(rows, out, {"--samples", "3"}));
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("leave it out"), std::string::npos) << both.err;
  row_file(folder, "speed\n0.1\n0.2\n");
  const Finished beyond = pegrasp_run(folder, {"run", source_file("tests/problem/dependent.toml"), "--samples-from",
                                               rows, "--cell", "0", "--sample", "2"});
  EXPECT_EQ(beyond.code, 2);
  EXPECT_NE(beyond.err.find("from 0 to 1: a row of"), std::string::npos) << beyond.err;
}

}  // namespace
}  // namespace pegrasp
