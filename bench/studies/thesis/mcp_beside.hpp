// SPDX-License-Identifier: Apache-2.0
// PATH beside ours: both on the same problems, from the same starts, to the same tolerance; what the library's licence
// does not allow is left out. A problem counts as solved by its residual, measured here, whatever the solver says.
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

// Nothing is appended where the library may not solve the problem.
void run_beside(const problems::NamedProblem& problem, const McpOptions& options, std::vector<BesideRun>& runs);

// Steps with contact: the forms `lcp`, `mixed` and `quadratic`, the last from the solution of the linearised problem,
// which each solver finds itself and which counts.
void run_contacts_beside(const ContactOptions& contact, const McpOptions& options, std::vector<BesideRun>& runs);

void print_beside_table(std::ostream& out, const std::vector<BesideRun>& runs, const McpOptions& options);
void write_beside_json(const std::string& path, const std::vector<BesideRun>& runs, const McpOptions& options);

}  // namespace pegrasp::bench
