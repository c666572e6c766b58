// SPDX-License-Identifier: Apache-2.0
// A finished map as its folder has it: what the decisions read of map.h5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp::decide {

struct StoredCell {
  int samples = 0, successes = 0, unresolved = 0;
  double p = 0.0, ci_low = 0.0, ci_high = 1.0;  // as the map has them; NaN without a resolved sample
  // Of the step check: trials that were simulated again, and those of them whose outcome half the step changes.
  int rerun = 0, flipped = 0;
};

struct StoredColumn {
  std::string name, unit;
  std::vector<double> values;  // one a trial
};

struct StoredMap {
  std::filesystem::path folder;
  std::string title, problem_toml, version;
  std::uint64_t seed = 0;
  std::int64_t samples_per_cell = 0;
  bool step_check = false;
  bool until = false;      // cells have as many samples as they needed (Problem::until)
  std::vector<Axis> axes;  // the cell number counts along the first one first
  std::vector<StoredCell> cells;

  // One entry a trial, in the order of the cells.
  std::vector<std::int32_t> cell, sample, success, status, stopped_still, contacts_max;
  std::vector<double> slip_margin_end;  // empty where forces were not measured
  std::vector<double> final_pose;       // (trials, bodies, pose_size)
  std::vector<StoredColumn> sampled;
  std::size_t pose_numbers = 0;  // bodies * pose_size
  // Folder and title, for a line on a terminal.
  std::string heading() const;
  bool resolved(std::size_t trial) const { return status[trial] == 0; }
  // The command that simulates a trial again, watched step by step.
  std::string replay(std::size_t cell_number, std::size_t sample_number) const;
  // Where a cell is on an axis, as results have it, and all of its place: in words, and as cells of a CSV file.
  double number_on(std::size_t axis, std::size_t cell_number) const;
  std::string words_of(std::size_t cell_number) const;
  std::string csv_names() const;
  std::string csv_place(std::size_t cell_number) const;
};

// What is wanted beside the cells.
enum class Trials : int { none = 0, outcomes, all };

// Reads the map of a folder. Throws InputError, one line with a remedy, where there is none, where it is not finished
// or damaged, or where trials are wanted that were not stored. name: of the file in it.
StoredMap read_stored_map(const std::filesystem::path& folder, Trials wanted, const std::string& name = "map.h5");

// Whether a place is the folder of a result rather than a problem file.
bool is_result(const std::filesystem::path& place);

}  // namespace pegrasp::decide
