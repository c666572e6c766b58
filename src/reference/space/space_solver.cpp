// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "reference/simulate/residual.hpp"
#include "reference/space/cone_solver.hpp"
#include "reference/space/space_simulation.hpp"

namespace pegrasp::reference::space {
namespace {

// Relative to the step's speeds, and never below what rounding leaves of small ones [m/s].
constexpr double exact = 1e-10;
constexpr double exact_at_rest = 1e-12;
// What is worth another method [m/s].
constexpr double poor = 5e-7;

}  // namespace

StepSolver space_solver() {
  return [mcp_solver = exact_solver()](const StepProblem& step, const StepSolution* start) {
    const auto begin = std::chrono::steady_clock::now();
    const ConeProblem problem(step);
    const double speed = problem.size() > 0 ? problem.offset().lpNorm<Eigen::Infinity>() : 0.0;
    Vector from = start != nullptr ? problem.read(*start) : Vector();
    const double enough = exact * speed + exact_at_rest;
    int before = 0;
    if (problem.has_springs()) {
      const ConeSolution even = solve_cones(problem.on_springs(), from, enough);
      before = even.sweeps + even.newton_steps;
      from = even.impulses;
    }
    ConeSolution found = solve_cones(problem, from, enough);
    if (found.residual > poor && start != nullptr && problem.has_springs()) {
      before += found.sweeps + found.newton_steps;
      const ConeSolution plain = solve_cones(problem, problem.read(*start), enough);
      if (plain.residual < found.residual) found = plain;
    }
    SolvedStep out;
    out.solution = problem.write(found.impulses);
    out.result.status = mcp::Status::solved;
    out.result.residual = speed > 0.0 ? found.residual / speed : found.residual;
    out.statistics.pivots = before + found.sweeps + found.newton_steps;
    if (found.residual > poor) {
      const SolvedStep other = mcp_solver(step, &out.solution);
      const bool there = other.solution.normal.size() == step.contacts.size();
      const Vector p = there ? problem.read(other.solution) : found.impulses;
      const ConeSolution again = solve_cones(problem, p, enough);
      out.statistics.pivots += other.statistics.pivots + again.sweeps + again.newton_steps;
      if (again.residual < found.residual) {
        out.solution = problem.write(again.impulses);
        out.result.residual = again.residual / speed;
      }
    }
    if (out.result.residual * speed > poor) out.result.status = mcp::Status::no_progress;
    out.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  };
}

}  // namespace pegrasp::reference::space
