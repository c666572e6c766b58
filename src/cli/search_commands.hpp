// SPDX-License-Identifier: Apache-2.0
// What the commands that search over rows of parameters share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp::cli {

// A problem, of a file or of a text of the console, with its [[design]] and parameters besides.
RowEvaluator read_rows(const std::string& name, const std::vector<Override>& overrides,
                       const std::vector<DesignParameter>& further);

// The backend of a search that follows its trials step by step, which the host's cores alone do. what: follows, for
// the message in which "cuda" is refused.
std::unique_ptr<Backend> following_backend(const std::string& name, const std::string& what, Arithmetic arithmetic,
                                           int threads);

// Says that the journal of an interrupted run is in the folder of results, and is about to go.
void warn_of_interrupted_run(const std::filesystem::path& out);

void add_optimise_command(CLI::App& app, int& exit_code);
void add_identify_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);

}  // namespace pegrasp::cli
