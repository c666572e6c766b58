// SPDX-License-Identifier: Apache-2.0
// What the commands that search over rows of parameters share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp::cli {

// A problem, of a file or of a text of the console, with its [[design]] and parameters besides.
RowEvaluator read_rows(const std::string& name, const std::vector<Override>& overrides,
                       const std::vector<DesignParameter>& further);

// Says that the journal of an interrupted run is in the folder of results, and is about to go.
void warn_of_interrupted_run(const std::filesystem::path& out);

void add_optimise_command(CLI::App& app, int& exit_code);
void add_identify_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);

}  // namespace pegrasp::cli
