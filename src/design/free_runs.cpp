// SPDX-License-Identifier: Apache-2.0
#include "src/design/free_runs.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::design {

FreeRuns::FreeRuns(const Cells& cells) : cells_(cells), blocked_(static_cast<std::size_t>(cells.rows)) {
  begin_.push_back(0);
}

void FreeRuns::block(int row, int first, int last) { blocked_[static_cast<std::size_t>(row)].push_back({first, last}); }

std::size_t FreeRuns::root(std::size_t run) {
  while (runs_[run].group != run) run = runs_[run].group = runs_[runs_[run].group].group;
  return run;
}

// Cells that share an edge or a corner hang together: a path may leave a cell through either.
void FreeRuns::join(std::size_t row_a, std::size_t row_b) {
  for (std::size_t a = begin_[row_a]; a < begin_[row_a + 1]; ++a) {
    for (std::size_t b = begin_[row_b]; b < begin_[row_b + 1]; ++b) {
      if (runs_[a].first > runs_[b].last + 1 || runs_[b].first > runs_[a].last + 1) continue;
      const std::size_t group_a = root(a), group_b = root(b);
      runs_[std::max(group_a, group_b)].group = std::min(group_a, group_b);
    }
  }
}

void FreeRuns::join_turns(std::size_t turn_a, std::size_t turn_b) {
  for (int row = 0; row < cells_.rows; ++row) {
    for (int other = std::max(0, row - 1); other <= std::min(cells_.rows - 1, row + 1); ++other)
      join(row_at(turn_a, row), row_at(turn_b, other));
  }
}

void FreeRuns::finish_turn() {
  const std::size_t turn = (begin_.size() - 1) / static_cast<std::size_t>(cells_.rows);
  for (std::vector<Run>& row : blocked_) {
    std::sort(row.begin(), row.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
    int next = 0;
    for (const Run& one : row) {
      if (one.first > next) runs_.push_back({next, one.first - 1, runs_.size()});
      next = std::max(next, one.last + 1);
    }
    if (next < cells_.columns) runs_.push_back({next, cells_.columns - 1, runs_.size()});
    begin_.push_back(runs_.size());
    row.clear();
  }
  for (int row = 1; row < cells_.rows; ++row) join(row_at(turn, row), row_at(turn, row - 1));
  if (turn > 0) join_turns(turn, turn - 1);
}

void FreeRuns::join_ends() { join_turns(static_cast<std::size_t>(cells_.turns) - 1, 0); }

void FreeRuns::reach(const Pose& low, const Pose& high) {
  reached_.assign(runs_.size(), 0);
  const double half = 0.5 * cells_.side, half_turn = 0.5 * cells_.turn(1);
  const double middle = 0.5 * (low.theta + high.theta), wide = 0.5 * (high.theta - low.theta) + half_turn;
  for (int k = 0; k < cells_.turns; ++k) {
    if (std::fabs(high.theta - low.theta) < 7.0 &&
        std::fabs(std::remainder(cells_.turn(k) - middle, 2.0 * std::numbers::pi)) > wide) {
      continue;
    }
    for (int row = 0; row < cells_.rows; ++row) {
      if (cells_.y(row) + half < low.y || cells_.y(row) - half > high.y) continue;
      const std::size_t at = row_at(static_cast<std::size_t>(k), row);
      for (std::size_t run = begin_[at]; run < begin_[at + 1]; ++run) {
        if (cells_.x(runs_[run].last) + half < low.x || cells_.x(runs_[run].first) - half > high.x) continue;
        reached_[root(run)] = 1;
      }
    }
  }
}

bool FreeRuns::reaches(const Pose& place) {
  const auto row = static_cast<int>(std::floor((place.y - cells_.bottom) / cells_.side));
  const auto column = static_cast<int>(std::floor((place.x - cells_.left) / cells_.side));
  if (row < 0 || row >= cells_.rows) return false;
  const double turns = cells_.turns;
  double k = std::fmod(std::round(place.theta / cells_.turn(1)), turns);
  if (k < 0.0) k += turns;
  const std::size_t at = row_at(static_cast<std::size_t>(k), row);
  for (std::size_t run = begin_[at]; run < begin_[at + 1]; ++run)
    if (runs_[run].first <= column && column <= runs_[run].last) return reached_[root(run)] != 0;
  return false;
}

}  // namespace pegrasp::design
