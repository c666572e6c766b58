// SPDX-License-Identifier: Apache-2.0
// solve(), the public function. It checks the input, solves linear problems by paths and nonlinear ones by repeated
// linearisation with a globalised search, restarts with other settings where that fails, and asks for a certificate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/linear_solver.hpp"
#include "src/reference/mcp/newton_search.hpp"
#include "src/reference/mcp/pivot_orders.hpp"

namespace pegrasp::mcp {
namespace {

constexpr double counts_as_infinite = 1e20;

double bound(double x) { return x >= counts_as_infinite ? infinity : (x <= -counts_as_infinite ? -infinity : x); }

// Returns what is wrong with the input, or an empty text.
std::string refusal(const Problem& problem, const Vector& start, const Options& options) {
  const Eigen::Index n = problem.lower.size();
  if (problem.upper.size() != n) {
    return "lower has " + std::to_string(n) + " entries, upper " + std::to_string(problem.upper.size());
  }
  if (start.size() != n) {
    return "the start has " + std::to_string(start.size()) + " entries, the bounds " + std::to_string(n);
  }
  if (!problem.evaluate) return "the problem has no function";
  for (Eigen::Index i = 0; i < n; ++i) {
    const double l = bound(problem.lower[i]), u = bound(problem.upper[i]);
    if (std::isnan(l) || std::isnan(u)) return "bound " + std::to_string(i) + " is not a number";
    if (l > u) return "lower bound " + std::to_string(i) + " is above the upper";
    if (l == infinity || u == -infinity) return "bound " + std::to_string(i) + " leaves no finite value";
    if (!std::isfinite(start[i])) return "entry " + std::to_string(i) + " of the start is not finite";
  }
  if (!(options.tolerance > 0.0)) return "the tolerance must be positive";
  if (!(options.time_limit_s >= 0.0)) return "the time limit must not be negative";
  if (options.max_majors < 0 || options.max_pivots < 0) return "the limits of majors and pivots must not be negative";
  if (options.certify_nodes < 0) return "certify_nodes must not be negative";
  if (options.memory < 1) return "memory must be 1 or more";
  if (options.refactor_interval < 1) return "refactor_interval must be 1 or more";
  if (!(options.regularisation >= 0.0) || !std::isfinite(options.regularisation)) {
    return "the regularisation must be finite and not negative";
  }
  if (!(options.pivot_tolerance > 0.0 && options.pivot_tolerance < 1.0)) {
    return "pivot_tolerance must be between 0 and 1";
  }
  if (!(options.feasibility_tolerance > 0.0 && options.feasibility_tolerance < 1.0)) {
    return "feasibility_tolerance must be between 0 and 1";
  }
  return {};
}

}  // namespace

Options Options::lemke() {
  Options o;
  o.globalise = o.restarts = o.regular_start = o.perturb = o.certify = false;
  return o;
}

Options Options::josephy_newton() {
  Options o;
  o.globalise = o.restarts = o.perturb = false;
  return o;
}

struct Workspace::Contents {
  PivotOrders orders;
};

Workspace::Workspace() = default;
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::Contents& Workspace::contents() {
  if (!contents_) contents_ = std::make_unique<Contents>();
  return *contents_;
}

Result solve(const Problem& given, const Vector& start, const Options& options, Workspace* workspace) {
  const auto begin = Clock::now();
  Result result;
  result.x = start;
  result.message = refusal(given, start, options);
  if (!result.message.empty()) {
    result.status = Status::bad_input;
    return result;
  }
  Problem problem = given;
  problem.lower = given.lower.unaryExpr(&bound);
  problem.upper = given.upper.unaryExpr(&bound);
  result.x = start.cwiseMax(problem.lower).cwiseMin(problem.upper);
  Budget budget{options.max_pivots, Clock::time_point::max()};
  if (std::isfinite(options.time_limit_s)) {
    budget.deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(options.time_limit_s, 1e9)));
  }
  if (start.size() == 0) {
    result.status = Status::solved;
    result.residual = 0.0;
  } else {
    PivotOrders own;
    NewtonSearch search(problem, options, budget, workspace != nullptr ? workspace->contents().orders : own, result);
    search.run();
  }
  result.statistics.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace pegrasp::mcp
