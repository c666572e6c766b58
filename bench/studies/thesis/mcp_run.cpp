// SPDX-License-Identifier: Apache-2.0
#include "bench/studies/thesis/mcp_run.hpp"

#include <algorithm>
#include <stdexcept>

#include "src/reference/mcp/lexicographic_lemke.hpp"
#include "src/reference/mcp/thread_time.hpp"

namespace pegrasp::bench {
namespace {

mcp::Options solver_options(const McpOptions& options, double tolerance) {
  mcp::Options made;
  if (options.solver == "lemke") made = mcp::Options::lemke();
  if (options.solver == "josephy_newton") made = mcp::Options::josephy_newton();
  made.tolerance = tolerance;
  made.time_limit_s = options.time_limit_s;
  made.certify_nodes = options.certify_nodes;
  made.sums = options.sums;
  return made;
}

mcp::Result solve_with(const McpOptions& options, double tolerance, const problems::NamedProblem& problem,
                       const mcp::Vector& from, const McpSolve& solve) {
  const mcp::Options made = solver_options(options, tolerance);
  if (solve) return solve(made);
  if (options.solver == "textbook_lemke") {
    return mcp::solve_lexicographic_lemke(problem.linear->m, problem.linear->q, problem.problem.lower,
                                          problem.problem.upper, made.max_pivots, tolerance);
  }
  return call_solver(options, problem.problem, from, made);
}

// Of the answer's x, from F itself; infinite where x is not within its bounds.
double residual_of(const mcp::Problem& problem, const mcp::Vector& x) {
  mcp::Vector f;
  if (x.size() != problem.lower.size()) return mcp::infinity;
  if ((x.array() < problem.lower.array()).any() || (x.array() > problem.upper.array()).any()) return mcp::infinity;
  if (!problem.evaluate(x, f, nullptr)) return mcp::infinity;
  return mcp::natural_residual(x, f, problem.lower, problem.upper);
}

}  // namespace

mcp::Result call_solver(const McpOptions& options, const mcp::Problem& problem, const mcp::Vector& from,
                        const mcp::Options& made) {
  if (options.solver != "path_library") return mcp::solve(problem, from, made);
  if (!options.path_library) throw std::runtime_error("the solver path_library needs --path-library FILE");
  return options.path_library->solve(problem, from, made);
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::solved:
      return "solved";
    case Verdict::sum:
      return "sum";
    case Verdict::rounded:
      return "rounded";
    case Verdict::infeasible:
      return "infeasible";
    case Verdict::missed:
      return "missed";
    case Verdict::wrong:
      return "wrong";
  }
  return "?";
}

const std::vector<std::string>& mcp_solvers() {
  static const std::vector<std::string> names = {"pegrasp", "lemke", "josephy_newton", "textbook_lemke",
                                                 "path_library"};
  return names;
}

bool applies(const std::string& solver, const problems::NamedProblem& problem) {
  return (solver != "lemke" && solver != "textbook_lemke") || problem.linear.has_value();
}

McpRun run_mcp(const problems::NamedProblem& problem, int start, const McpOptions& options, const McpSolve& solve) {
  McpRun run;
  run.family = problem.family;
  run.name = problem.name;
  run.solver = options.solver;
  run.start = start;
  run.n = static_cast<int>(problem.size());
  run.answer = problem.answer;
  const mcp::Vector& from = problem.starts[static_cast<std::size_t>(start)];
  mcp::Result result;
  std::vector<double> seconds;
  double spent = 0.0;
  do {
    const double begin = mcp::thread_seconds();
    result = solve_with(options, options.tolerance, problem, from, solve);
    seconds.push_back(mcp::thread_seconds() - begin);
    spent += seconds.back();
  } while (static_cast<int>(seconds.size()) < options.repeats && spent < 0.5);
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  run.seconds = seconds[seconds.size() / 2];
  run.status = result.status;
  run.message = result.message;
  run.statistics = result.statistics;
  run.residual = residual_of(problem.problem, result.x);
  if (options.solver == "textbook_lemke" && run.residual > options.tolerance) {
    // Its tolerance is a relative one, so this is no false claim; only not what is asked for here.
    run.verdict = Verdict::missed;
  } else if (result.status == mcp::Status::solved && result.sum_high.size() > 0 && problem.linear) {
    run.sum_residual = mcp::precise_residual(problem.linear->m, problem.linear->q, problem.problem.lower,
                                             problem.problem.upper, result.sum_high, result.sum_low);
    run.verdict = run.sum_residual <= options.tolerance ? Verdict::sum : Verdict::wrong;
  } else if (result.status == mcp::Status::solved) {
    run.verdict = run.residual <= options.tolerance ? Verdict::solved
                  : run.residual <= result.rounding ? Verdict::rounded
                                                    : Verdict::wrong;
  } else if (result.status == mcp::Status::infeasible) {
    const bool proven = problem.linear && problem.answer != problems::Answer::solvable &&
                        mcp::check_certificate(problem.linear->m, problem.linear->q, problem.problem.lower,
                                               problem.problem.upper, result.certificate, &run.message);
    run.verdict = proven ? Verdict::infeasible : Verdict::wrong;
    run.slight = result.certificate.range.size() > 0;
  }
  if (run.verdict == Verdict::solved && options.tight_tolerance > 0.0) {
    run.tight = run.residual <= options.tight_tolerance;
    if (!run.tight) {
      const mcp::Vector x = solve_with(options, options.tight_tolerance, problem, from, solve).x;
      run.tight = residual_of(problem.problem, x) <= options.tight_tolerance;
    }
  }
  return run;
}

std::vector<McpRun> run_mcp(const problems::NamedProblem& problem, const McpOptions& options) {
  std::vector<McpRun> runs;
  for (int start = 0; start < static_cast<int>(problem.starts.size()); ++start) {
    runs.push_back(run_mcp(problem, start, options));
  }
  return runs;
}

}  // namespace pegrasp::bench
