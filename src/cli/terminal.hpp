// SPDX-License-Identifier: Apache-2.0
// What a person at a terminal sees: a progress bar, and the map in small coloured blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "pegrasp/map.hpp"
#include "src/cli/console.hpp"

namespace pegrasp::cli {

// A bar with rate and time left on stderr, redrawn at most ten times a second; silent when stderr is no terminal. It
// tells the console of the thread that made it, too.
class ProgressBar {
 public:
  // what: is counted, in the plural. quiet: nothing is shown for so long [s].
  explicit ProgressBar(bool enabled, std::string what = "trials", double quiet = 0.0);
  void update(std::size_t done, std::size_t total);
  void finish();

 private:
  const Console& console_;
  bool enabled_;
  std::string what_;
  double quiet_;
  bool drawn_ = false;
  std::size_t first_ = 0, done_ = 0;
  bool started_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

bool stdout_is_terminal();
bool colour_wanted();  // NO_COLOR is not set

int terminal_width();  // of standard output [characters], 80 when it does not say

// Two characters that stand for p, which may be NaN, and what they mean.
std::string heat_block(double p, bool colour);
std::string heat_legend(bool colour);

// Two characters a cell, y upwards, with a legend; a map that is wider has square blocks of cells merged.
std::string heat_map(const SuccessMap& map, bool colour, int width);

}  // namespace pegrasp::cli
