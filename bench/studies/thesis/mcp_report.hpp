// SPDX-License-Identifier: Apache-2.0
// The output of pegrasp_mcp_bench: a table in Markdown, and all runs as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/studies/thesis/mcp_run.hpp"

namespace pegrasp::bench {

void print_mcp_table(std::ostream& out, const std::vector<McpRun>& runs, const McpOptions& options);
void write_mcp_json(const std::string& path, const std::vector<McpRun>& runs, const McpOptions& options);

}  // namespace pegrasp::bench
