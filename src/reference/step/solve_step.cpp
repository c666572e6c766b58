// SPDX-License-Identifier: Apache-2.0
// Solves a formulated step. Coulomb's quadratic law starts from the solution with the friction pyramid, in which the
// right contacts already carry about the right impulses: from rest, at p_n = 0, the rows (4.37) to (4.40) have no
// gradient.
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/reference/step/formulate.hpp"
#include "src/reference/step/layout.hpp"

namespace pegrasp::reference {

void add(mcp::Statistics& sum, const mcp::Statistics& more) {
  sum.majors += more.majors;
  sum.pivots += more.pivots;
  sum.factorisations += more.factorisations;
  sum.repeated_factorisations += more.repeated_factorisations;
  sum.function_evaluations += more.function_evaluations;
  sum.jacobian_evaluations += more.jacobian_evaluations;
  sum.restarts += more.restarts;
  sum.gradient_steps += more.gradient_steps;
  sum.watchdog_returns += more.watchdog_returns;
  sum.seconds += more.seconds;
  sum.pivot_seconds += more.pivot_seconds;
}

namespace {

// Form::convex by fixed-point iteration: each program is relaxed by what the last one slips.
SolvedStep solve_convex(const StepProblem& step, Formulation formulation, const mcp::Options& options,
                        const StepSolution* start, mcp::Workspace* workspace) {
  constexpr int most_rounds = 200;
  constexpr double still = 1e-12;  // [m/s] Delta that changes by less is the same
  formulation.relaxation.assign(step.contacts.size(), 0.0);
  const FormulatedStep formulated = formulate(step, formulation);
  SolvedStep solved;
  for (int round = 0; round < most_rounds; ++round) {
    const StepSolution before = solved.solution;
    SolvedStep next = solve_step(step, formulation, options, round > 0 ? &before : start, workspace);
    add(next.statistics, solved.statistics);
    solved = std::move(next);
    if (solved.result.status != mcp::Status::solved) break;
    double change = 0.0;
    for (const FrictionBlock& block : formulated.layout->friction) {
      if (block.support) continue;
      const auto i = static_cast<std::size_t>(block.index);
      const double wanted = step.contacts[i].mu * solved.result.x[block.slip];
      change = std::max(change, std::abs(wanted - formulation.relaxation[i]));
      formulation.relaxation[i] = wanted;
    }
    if (change <= still) break;
  }
  return solved;
}

}  // namespace

SolvedStep solve_step(const StepProblem& step, const Formulation& formulation, const mcp::Options& options,
                      const StepSolution* start, mcp::Workspace* workspace) {
  if (formulation.form == Form::convex && formulation.relaxation.empty() && !step.contacts.empty())
    return solve_convex(step, formulation, options, start, workspace);
  const FormulatedStep formulated = formulate(step, formulation);
  SolvedStep solved;
  bool tried = false;
  // True once the final problem is solved; the best attempt is kept.
  const auto attempt = [&](const mcp::Vector& from) {
    mcp::Result result = mcp::solve(formulated.problem, from, options, workspace);
    add(solved.statistics, result.statistics);
    const bool done = result.status == mcp::Status::solved || result.status == mcp::Status::infeasible;
    if (!tried || done || result.residual < solved.result.residual) solved.result = std::move(result);
    tried = true;
    return done;
  };
  const auto finish = [&] {
    if (solved.result.x.size() == formulated.start.size()) solved.solution = formulated.read(solved.result.x);
    return solved;
  };

  if (start != nullptr && attempt(formulated.write(*start))) return finish();
  if (!formulated.problem.linear) {
    const FormulatedStep pyramid = linearise(step, formulation, formulated).step;
    const mcp::Result result =
        mcp::solve(pyramid.problem, start != nullptr ? pyramid.write(*start) : pyramid.start, options, workspace);
    add(solved.statistics, result.statistics);
    if (result.x.size() == pyramid.start.size() && attempt(formulated.write(pyramid.read(result.x)))) return finish();
  }
  attempt(formulated.start);
  return finish();
}

}  // namespace pegrasp::reference
