// SPDX-License-Identifier: Apache-2.0
// What the command line has of the reference simulator: its commands and its engine. Implemented twice: by
// src/cli/reference/ in a program that is linked with pegrasp_reference, by reference_absent.cpp in one that is not.
#pragma once

#include <CLI/CLI.hpp>

#include "pegrasp/reference_engine.hpp"

namespace pegrasp::cli {

// Adds validate, dump and solve; `exit_code` is set when one of them ran.
void add_reference_commands(CLI::App& app, int& exit_code);

// The engine for `map --fallback reference`; null where the program has none.
const ReferenceEngine* reference_engine();

}  // namespace pegrasp::cli
