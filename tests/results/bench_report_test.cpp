// SPDX-License-Identifier: Apache-2.0
// The CSV of pegrasp_bench: every line has the same columns, whether or not phases were measured.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

// The fields of a line; those in quotes may hold commas.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    if (c == ',' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

bench::Measurement measured(const std::string& name) {
  bench::Measurement one;
  one.name = name;
  one.backend = "cpu";
  one.wall = {1.0, 2.0};
  one.steps = 10;
  one.scenes = 2;
  return one;
}

TEST(BenchReport, PhasesAndShapesAreColumnsOfTheCsv) {
  bench::Report report;
  report.arithmetic = "strict";
  report.measurements = {measured("first"), measured("second")};
  report.measurements[0].shape = "teams of 8, 100 bytes in shared memory";
  report.measurements[1].phases.microseconds = {{"solve", 1.5}, {"other", 0.25}};
  const test::Folder folder;
  const std::filesystem::path file = folder.path() / "bench.csv";
  bench::write_csv(file.string(), report);

  std::istringstream text(test::content(file));
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(fields(line));
  ASSERT_EQ(lines.size(), 3u);
  const auto value = [&](std::size_t line, const std::string& column) -> std::string {
    for (std::size_t i = 0; i < lines[0].size(); ++i) {
      if (lines[0][i] == column) return lines[line].at(i);
    }
    return "no such column";
  };
  EXPECT_EQ(lines[1].size(), lines[0].size());
  EXPECT_EQ(lines[2].size(), lines[0].size());
  EXPECT_EQ(value(1, "benchmark"), "first");
  EXPECT_EQ(value(1, "phase_solve_us"), "");
  EXPECT_EQ(value(2, "phase_solve_us"), "1.5");
  EXPECT_EQ(value(2, "phase_other_us"), "0.25");
  EXPECT_EQ(value(1, "shape"), "\"teams of 8, 100 bytes in shared memory\"");
  EXPECT_EQ(value(2, "shape"), "");
  EXPECT_EQ(value(2, "arithmetic"), "strict");
  EXPECT_NE(value(1, "revision"), "");
}

}  // namespace
}  // namespace pegrasp
