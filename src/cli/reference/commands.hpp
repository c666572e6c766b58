// SPDX-License-Identifier: Apache-2.0
// The commands that need the reference simulator. Each adds its subcommand to the app; `exit_code` is set when it ran.
#pragma once

#include <CLI/CLI.hpp>

namespace pegrasp::cli {

void add_validate_command(CLI::App& app, int& exit_code);
void add_dump_command(CLI::App& app, int& exit_code);
void add_solve_command(CLI::App& app, int& exit_code);

}  // namespace pegrasp::cli
