// SPDX-License-Identifier: Apache-2.0
// One solve of a problem of the sets, checked independently of what the solver reports.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/reference/mcp/path_library.hpp"
#include "tests/reference/problems/problem_set.hpp"

namespace pegrasp::bench {

enum class Verdict {
  solved,      // natural residual within the tolerance
  sum,         // as a sum of two doubles, mcp::Result::sum_high, by mcp::precise_residual()
  rounded,     // within what the solver says that rounding makes of F there
  infeasible,  // with a certificate that mcp::check_certificate passes, of the problem or of its linear form
  missed,      // the solver gave up
  wrong        // claimed a solution that has too large a residual, or a certificate that proves nothing
};
const char* verdict_name(Verdict verdict);

struct McpOptions {
  std::string solver = "pegrasp";                        // one of mcp_solvers()
  std::shared_ptr<const mcp::PathLibrary> path_library;  // what the solver path_library calls
  double tolerance = 1e-10;
  double tight_tolerance = 1e-12;  // of a second run where the first does not reach it by itself; 0: none
  double time_limit_s = 20.0;      // of one solve, by the clock on the wall
  int certify_nodes = mcp::Options{}.certify_nodes;
  bool sums = true;  // mcp::Options::sums
  int repeats = 3;   // timed runs, fewer where one takes long
};

struct McpRun {
  std::string family, name, solver;
  std::string form, size;  // of steps with contact: how it is written and solved; the range that n is in
  int start = 0;
  int n = 0;
  problems::Answer answer = problems::Answer::unknown;
  Verdict verdict = Verdict::missed;
  mcp::Status status = mcp::Status::no_progress;
  std::string message;
  double residual = 0.0;      // natural residual, computed here
  double sum_residual = 0.0;  // of a sum, in twice the precision
  bool tight = false;         // reached the tight tolerance
  bool slight = false;        // infeasible by a hair, for moderate numbers: Certificate::range
  double seconds = 0.0;       // processor time, median of the repeats
  mcp::Statistics statistics;
};

// pegrasp: mcp::solve(). lemke and josephy_newton: its ancestors, with mcp::Options of these names. textbook_lemke: a
// dense tableau. path_library: PATH itself.
const std::vector<std::string>& mcp_solvers();

// Whether the solver is made for it: Lemke's method is for linear problems.
bool applies(const std::string& solver, const problems::NamedProblem& problem);

// The options' solver, which is not textbook_lemke, on a problem of no set.
mcp::Result call_solver(const McpOptions& options, const mcp::Problem& problem, const mcp::Vector& from,
                        const mcp::Options& made);

// Replaces mcp::solve() of a problem from its start; returns the result with the costs of all that it solves.
using McpSolve = std::function<mcp::Result(const mcp::Options&)>;

// One start of the problem. `solve`, when given, replaces the solver.
McpRun run_mcp(const problems::NamedProblem& problem, int start, const McpOptions& options, const McpSolve& solve = {});
// From every start of the problem.
std::vector<McpRun> run_mcp(const problems::NamedProblem& problem, const McpOptions& options);

}  // namespace pegrasp::bench
