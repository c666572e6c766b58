// SPDX-License-Identifier: Apache-2.0
// What becomes of a finished map on the command line: files, picture, words.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "pegrasp/map.hpp"

namespace pegrasp::cli {

struct MapOutput {
  bool no_plot = false, quiet = false, json = false;

  // --no-plot, --quiet, --json.
  void add(CLI::App& app);
  bool talks() const { return !quiet && !json; }
};

double seconds_since(std::chrono::steady_clock::time_point begin);

// Writes and draws the map, which has its times of reading and simulating, and says what was done. Throws as
// write_map() does.
void write_and_tell(SuccessMap& map, const Problem& problem, const std::filesystem::path& out, const MapOutput& output);

}  // namespace pegrasp::cli
