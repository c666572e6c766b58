// SPDX-License-Identifier: Apache-2.0
// Runs PATH and the MCP solver on the same problems, from the same starts, to the same tolerance. Problems that PATH's
// licence does not allow are left out. A problem counts as solved by its residual, which is computed here.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/studies/thesis/mcp_contact.hpp"
#include "bench/studies/thesis/mcp_run.hpp"

namespace pegrasp::bench {

struct BesideRun {
  McpRun ours, path;
};

// Appends nothing if the library may not solve the problem.
void run_beside(const problems::NamedProblem& problem, const McpOptions& options, std::vector<BesideRun>& runs);

// Steps with contact in the forms `lcp`, `mixed` and `quadratic`. Each solver starts the last from its own solution of
// the linearised problem, whose time counts.
void run_contacts_beside(const ContactOptions& contact, const McpOptions& options, std::vector<BesideRun>& runs);

void print_beside_table(std::ostream& out, const std::vector<BesideRun>& runs, const McpOptions& options);
void write_beside_json(const std::string& path, const std::vector<BesideRun>& runs, const McpOptions& options);

}  // namespace pegrasp::bench
