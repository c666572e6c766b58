// SPDX-License-Identifier: Apache-2.0
// One solve of a problem of the sets, judged without believing the solver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/mcp/path_library.hpp"
#include "reference/problems/problem_set.hpp"

namespace pegrasp::bench {

enum class Verdict {
  solved,      // natural residual within the tolerance
  rounded,     // within what the solver says that rounding makes of F there
  infeasible,  // with a certificate that mcp::check_certificate passes
  missed,      // the solver gave up
  wrong        // claimed a solution that has too large a residual, or a certificate that proves nothing
};
const char* verdict_name(Verdict verdict);

struct ReferenceOptions {
  std::string solver = "pegrasp";                        // one of reference_solvers()
  std::shared_ptr<const mcp::PathLibrary> path_library;  // what the solver path_library calls
  double tolerance = 1e-10;
  double tight_tolerance = 1e-12;  // of a second run where the first does not reach it by itself; 0: none
  double time_limit_s = 60.0;
  int repeats = 3;  // timed runs, fewer where one takes long
};

struct ReferenceRun {
  std::string family, name, solver;
  int start = 0;
  int n = 0;
  problems::Answer answer = problems::Answer::unknown;
  Verdict verdict = Verdict::missed;
  mcp::Status status = mcp::Status::no_progress;
  std::string message;
  double residual = 0.0;  // natural residual, computed here
  bool tight = false;     // reached the tight tolerance
  double seconds = 0.0;   // median of the repeats
  mcp::Statistics statistics;
};

// pegrasp: mcp::solve(). lemke and josephy_newton: its ancestors, with mcp::Options of these names. textbook_lemke: a
// dense tableau. path_library: PATH itself.
const std::vector<std::string>& reference_solvers();

// Whether the solver is made for it: Lemke's method is for linear problems.
bool applies(const std::string& solver, const problems::NamedProblem& problem);

// From every start of the problem.
std::vector<ReferenceRun> run_reference(const problems::NamedProblem& problem, const ReferenceOptions& options);

}  // namespace pegrasp::bench
