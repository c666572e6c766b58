// SPDX-License-Identifier: Apache-2.0
// What pegrasp_reference writes: a table for people, in Markdown, and all runs as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/reference_run.hpp"

namespace pegrasp::bench {

void print_reference_table(std::ostream& out, const std::vector<ReferenceRun>& runs, const ReferenceOptions& options);
void write_reference_json(const std::string& path, const std::vector<ReferenceRun>& runs,
                          const ReferenceOptions& options);

}  // namespace pegrasp::bench
