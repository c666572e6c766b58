// SPDX-License-Identifier: Apache-2.0
// The map in small blocks, as a terminal shows it.
#include "src/cli/terminal.hpp"

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

}  // namespace
}  // namespace pegrasp
