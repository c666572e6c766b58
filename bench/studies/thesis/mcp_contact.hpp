// SPDX-License-Identifier: Apache-2.0
// Steps of scenes with contact (tests/reference/problems/contact_sets.hpp) as problems for the MCP solver: every
// contact model, with and without friction, at three step sizes, in every form.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/studies/thesis/mcp_run.hpp"
#include "tests/reference/problems/contact_sets.hpp"

namespace pegrasp::bench {

struct ContactOptions {
  int more = 1;                    // times as many scenes
  std::vector<std::string> names;  // of problems; none: all
  // Wall time of one solve: a hundred times the time of nearly all solves.
  double time_limit_s = 3.0;
};

// Calls `take` with every step in every form, the forms of a step one after the other; the quadratic form only where
// there is friction. `cold`: the step is of the scenes that are also tried from a cold start in the quadratic form.
void for_each_contact_step(
    const ContactOptions& contact,
    const std::function<void(const reference::test::CapturedProblem& captured, bool cold)>& take);

problems::NamedProblem named(const reference::test::CapturedProblem& captured);

// Limits of a single step's solve.
McpOptions contact_options(const ContactOptions& contact, const McpOptions& options);

// Calls `take` for every run. The forms are `lcp`, `mixed` and, for steps with friction, `quadratic` twice: `quadratic,
// cold` by mcp::solve() from the free velocity, in a few scenes only, and `quadratic` by solve_step(), with statistics
// and time of all its solves. A quadratic problem in 2D has the solutions of its linear form, since two directions are
// no approximation there. If that form is shown to have none, the runs of the quadratic one count as infeasible, too.
void run_contacts(const ContactOptions& contact, const McpOptions& options, const std::function<void(McpRun)>& take);

// The name of the range that n is in: "n <= 60", "61-150", "151-300", "> 300".
std::string size_range(int n);

}  // namespace pegrasp::bench
