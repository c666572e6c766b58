// SPDX-License-Identifier: Apache-2.0
// The map in small blocks, as a terminal shows it.
#include "src/cli/terminal.hpp"
#include "src/cli/sweep_text.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace pegrasp {
namespace {

// Cells of 4 samples; all of the left half succeed.
SuccessMap half_map(int columns, int rows) {
  SuccessMap map;
  map.columns = columns;
  map.rows = rows;
  for (int i = 0; i < columns * rows; ++i) {
    MapCell cell;
    cell.x = 0.001 * (i % columns);
    cell.y = 0.001 * (i / columns);
    cell.samples = 4;
    cell.successes = i % columns < columns / 2 ? 4 : 0;
    cell.p = cell.successes / 4.0;
    map.cells.push_back(cell);
  }
  return map;
}

std::vector<std::string> lines_of(const SuccessMap& map, int width) {
  std::vector<std::string> lines;
  std::istringstream text(cli::heat_map(map, false, width));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(HeatMap, ACellIsTwoCharacters) {
  const auto lines = lines_of(half_map(4, 2), 80);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "       1 @@@@    ");
  EXPECT_EQ(lines[1], "       0 @@@@    ");
}

TEST(HeatMap, AWideMapIsMergedToTheWidth) {
  for (const int width : {12, 40, 80, 200}) {
    for (const int columns : {35, 36, 37, 101, 10000}) {
      const SuccessMap map = half_map(columns, 3);
      const auto lines = lines_of(map, width);
      for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
        EXPECT_LE(lines[i].size(), static_cast<std::size_t>(width)) << columns;
      }
    }
  }
  const auto lines = lines_of(half_map(72, 5), 80);  // capacity for 35: three by three
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].substr(0, 9), "     3.5 ");
  EXPECT_EQ(lines[1].substr(0, 9), "       1 ");
  EXPECT_EQ(lines[1].substr(9), std::string(24, '@') + std::string(24, ' '));
  EXPECT_EQ(lines[3], "  3 x 3 cells per block; map.csv has every cell");
}

// A map of axes with these numbers of values, whose cell c succeeds in c of 100 trials.
SuccessMap sweep_map(const std::vector<std::size_t>& sizes) {
  SuccessMap map;
  std::size_t cells = 1;
  for (const std::size_t size : sizes) {
    Axis axis;
    axis.name = "axis" + std::to_string(map.axes.size() + 1);
    for (std::size_t i = 0; i < size; ++i) axis.numbers.push_back(0.5 * static_cast<double>(i));
    map.axes.push_back(axis);
    cells *= size;
  }
  for (std::size_t c = 0; c < cells; ++c) {
    MapCell cell;
    cell.samples = 100;
    cell.successes = static_cast<int>(c);
    cell.p = 0.01 * static_cast<double>(c);
    cell.ci_low = cell.p;
    cell.ci_high = cell.p + 0.5;
    map.cells.push_back(cell);
  }
  return map;
}

std::vector<std::string> lines_in(const std::string& all) {
  std::vector<std::string> lines;
  std::istringstream text(all);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(SweepText, OneAxisIsALineForEachValue) {
  const auto lines = lines_in(cli::sweep_text(sweep_map({3}), false, 80));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "  axis1, p with its interval");
  EXPECT_EQ(lines[3], "          1 | #--------------              |  0.020  [0.020, 0.520]");
  EXPECT_EQ(lines_in(cli::sweep_text(sweep_map({1, 90}), false, 80)).size(), 42u) << "40 of 90, and what says so";
}

TEST(SweepText, MoreAxesAreHeatMaps) {
  const auto two = lines_in(cli::sweep_text(sweep_map({10, 1, 9}), false, 80));
  ASSERT_EQ(two.size(), 10u);
  EXPECT_EQ(two[0].substr(0, 12), "          4 ");
  EXPECT_EQ(two[0].substr(12), "****################") << "p is 0.80 to 0.89";
  EXPECT_NE(two[9].find("up: axis3, across: axis1 0 .. 4.5"), std::string::npos) << two[9];
  const auto three = lines_in(cli::sweep_text(sweep_map({2, 3, 2}), false, 80));
  ASSERT_EQ(three.size(), 9u);
  EXPECT_EQ(three[0], "  axis3 = 0");
  EXPECT_EQ(three[4], "  axis3 = 0.5");
  const auto narrow = lines_in(cli::sweep_text(sweep_map({10, 9}), false, 20));  // four blocks
  EXPECT_EQ(narrow.size(), 5u);
  EXPECT_EQ(narrow.back(), "  3 x 3 cells per block; map.csv has every cell");
}

}  // namespace
}  // namespace pegrasp
