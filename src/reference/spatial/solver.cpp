// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/reference/common/residual.hpp"
#include "src/reference/spatial/cone_solver.hpp"
#include "src/reference/spatial/simulation.hpp"

namespace pegrasp::reference::spatial {
namespace {

// The accuracy that is asked for, relative to the speeds of the step, and at least what rounding leaves of small speeds
// [m/s].
constexpr double exact = 1e-10;
constexpr double exact_at_rest = 1e-12;
// The same where impulses balance: free motion is a million times faster than what is left of it.
constexpr double exact_in_balance = 1e-15;
// Residuals [m/s]. Above the first another method is tried. The second is good enough where a further proximal point
// does not halve the residual: there may be no answer nearby without any residual, and the way to the next such answer
// can be long, along directions that nothing decides.
constexpr double poor = 5e-7;
constexpr double fair = 1e-7;

// The constant c of docs/explanation/solvers.md, "Load sharing": the last value, on which the kernels and the reference
// simulator have to agree, the factor between stages, and how close two stages may be. A stage counts as solved at ten
// times the accuracy of the step, or at this residual [m/s].
constexpr double first_softness = 1.0, last_softness = 1e-3;
constexpr double stiffening = 0.1, least_stiffening = 1.0 / 1.2;
constexpr double settled = 1e-9;

// The MCP has friction in two directions only. It has no moments, and no motors that share a bound.
bool has_no_mcp(const StepProblem& step) {
  return std::any_of(step.contacts.begin(), step.contacts.end(),
                     [](const Contact& c) { return c.tangents.size() > 2; }) ||
         std::any_of(step.motors.begin(), step.motors.end(), [](const Motor& m) { return m.mates > 0; });
}

struct LoadSharing {
  Vector impulses;
  int effort = 0;
};

// Starts with springs so soft that there is one answer, and makes them stiffer, each stage starting from the last one.
// Where a stage is not solved, stages between are tried.
LoadSharing load_sharing(const ConeProblem& problem, double enough) {
  LoadSharing out{Vector::Zero(problem.size()), 0};
  double reached = 0.0;
  double softness = first_softness;
  while (true) {
    const ConeSolution even = solve_cones(problem.on_springs(softness), out.impulses, enough);
    out.effort += even.sweeps + even.newton_steps;
    const bool solved = even.residual <= std::max(settled, 10.0 * enough);
    if (solved || reached == 0.0) out.impulses = even.impulses;
    if (!solved && reached == 0.0) return out;
    if (solved) reached = softness;
    if (reached <= last_softness) return out;
    softness = solved ? std::max(last_softness, stiffening * softness) : std::sqrt(softness * reached);
    if (softness > least_stiffening * reached) return out;
  }
}

}  // namespace

StepSolver spatial_solver() {
  return [mcp_solver = exact_solver()](const StepProblem& step, const StepSolution* start) {
    const auto begin = std::chrono::steady_clock::now();
    const ConeProblem problem(step);
    const double speed = problem.size() > 0 ? problem.offset().lpNorm<Eigen::Infinity>() : 0.0;
    Vector from = start != nullptr ? problem.read(*start) : Vector();
    const double enough = (step.balance ? exact_in_balance : exact) * speed + exact_at_rest;
    int before = 0;
    if (problem.has_springs()) {
      LoadSharing even = load_sharing(problem, enough);
      before = even.effort;
      from = std::move(even.impulses);
    }
    ConeSolution found = solve_cones(problem, from, enough, fair);
    if (found.residual > poor && start != nullptr && problem.has_springs()) {
      before += found.sweeps + found.newton_steps;
      const ConeSolution plain = solve_cones(problem, problem.read(*start), enough, fair);
      if (plain.residual < found.residual) found = plain;
    }
    SolvedStep out;
    out.solution = problem.write(found.impulses);
    out.result.status = mcp::Status::solved;
    out.result.residual = speed > 0.0 ? found.residual / speed : found.residual;
    out.statistics.pivots = before + found.sweeps + found.newton_steps;
    if (found.residual > poor && !has_no_mcp(step)) {
      const SolvedStep other = mcp_solver(step, &out.solution);
      const bool there = other.solution.normal.size() == step.contacts.size();
      const Vector p = there ? problem.read(other.solution) : found.impulses;
      const ConeSolution again = solve_cones(problem, p, enough, fair);
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

}  // namespace pegrasp::reference::spatial
