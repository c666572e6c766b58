// SPDX-License-Identifier: Apache-2.0
#include "src/reference/common/feasibility.hpp"

namespace pegrasp::reference {

StepProblem without_friction(const StepProblem& step, double granted) {
  StepProblem out = step;
  out.supports.clear();
  out.motors.clear();
  for (Contact& contact : out.contacts) {
    contact.tangents.clear();
    contact.tangent_rate.clear();
    contact.mu = contact.spring = 0.0;
    contact.push = {};  // a proof is about velocities alone
    contact.gap += granted;
  }
  for (Bilateral& bilateral : out.bilaterals) bilateral.push = {};
  return out;
}

bool proven_infeasible(const StepProblem& step, double granted) {
  return solve_exactly(without_friction(step, granted), nullptr).result.status == mcp::Status::infeasible;
}

std::optional<StepSolution> least_violation(const StepProblem& step, double granted) {
  constexpr int doublings = 40;
  for (int i = 0; i < doublings; ++i) {
    granted *= 2.0;
    SolvedStep solved = solve_exactly(without_friction(step, granted), nullptr);
    if (solved.result.status != mcp::Status::solved) continue;
    StepSolution out = std::move(solved.solution);
    out.tangent.clear();
    for (const Contact& contact : step.contacts) out.tangent.emplace_back(contact.tangents.size(), 0.0);
    out.support.clear();
    for (const SupportPoint& support : step.supports) out.support.emplace_back(support.tangents.size(), 0.0);
    out.motor.assign(step.motors.size(), 0.0);
    return out;
  }
  return std::nullopt;
}

}  // namespace pegrasp::reference
