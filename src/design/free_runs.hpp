// SPDX-License-Identifier: Apache-2.0
// The free cells of places and turns, row by row as runs, and which of them hang together.
#pragma once

#include <cstddef>
#include <numbers>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp::design {

// Cell (column, row, turn) has its middle at (x, y, turn); turns go round.
struct Cells {
  double side = 1e-3, left = 0.0, bottom = 0.0;  // [m]
  int columns = 0, rows = 0, turns = 0;
  double x(int column) const { return left + (column + 0.5) * side; }
  double y(int row) const { return bottom + (row + 0.5) * side; }
  double turn(int k) const { return 2.0 * std::numbers::pi * k / turns; }
};

class FreeRuns {
 public:
  explicit FreeRuns(const Cells& cells);

  // Cells first to last of a row are not free, at the turn that is under way: turns are given in order, from 0.
  void block(int row, int first, int last);
  void finish_turn();
  // After the last one: the last turn and the first one hang together.
  void join_ends();

  // Marks what hangs together with cells that meet this box, whose turns count but for whole turns.
  void reach(const Pose& low, const Pose& high);
  bool reaches(const Pose& place);

 private:
  struct Run {
    int first = 0, last = 0;
    std::size_t group = 0;  // a run of the same group, by which groups are told apart
  };

  std::size_t root(std::size_t run);
  void join(std::size_t row_a, std::size_t row_b);
  void join_turns(std::size_t turn_a, std::size_t turn_b);
  std::size_t row_at(std::size_t turn, int row) const {
    return turn * static_cast<std::size_t>(cells_.rows) + static_cast<std::size_t>(row);
  }

  Cells cells_;
  std::vector<std::vector<Run>> blocked_;  // of the rows of the turn under way
  std::vector<Run> runs_;
  std::vector<std::size_t> begin_;  // (turns * rows + 1) where the runs of a row begin
  std::vector<char> reached_;       // by run, of groups
};

}  // namespace pegrasp::design
