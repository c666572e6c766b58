// SPDX-License-Identifier: Apache-2.0
// What `map` and `evaluate` share: simulating all trials of a problem, and writing what came of them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "pegrasp/map.hpp"
#include "src/cli/common.hpp"
#include "src/cli/map_output.hpp"

namespace pegrasp::cli {

struct MapArguments {
  std::string file;  // that the problem is from, for messages and the usual output folder
  std::string out;
  std::string backend = "auto";
  std::string fallback = "none";
  int threads = 0, device = -1;
  std::string shard = "1/1";
  double step_check = usual_step_check;
  bool no_step_check = false, step_check_asked = false;
  bool resume = false, counts_only = false;
  MapOutput output;
  ProblemOptions options;
};

// All options but the file.
void add_map_options(CLI::App& app, MapArguments& arguments);

// Exit code. load: reads the problem.
int run_map_job(const MapArguments& arguments, const std::function<Problem()>& load);

}  // namespace pegrasp::cli
