// SPDX-License-Identifier: Apache-2.0
// Whether any motion obeys the contacts, joints and limits of a step, whatever friction and motors do.
//
// Without them the step is a strictly convex problem: of the velocities that obey the rows, the one nearest to the free
// motion. Its conditions are an MCP whose solver ends with a solution or with a certificate that there is none
// (pegrasp_reference/mcp.hpp).
#pragma once

#include <optional>

#include "src/reference/common/step_solver.hpp"

namespace pegrasp::reference {

// The step without friction, supports and motors, where every contact may end deeper by `granted` [m].
StepProblem without_friction(const StepProblem& step, double granted);

// A certificate shows that no motion obeys the step, also if every contact may end deeper by `granted` [m].
bool proven_infeasible(const StepProblem& step, double granted);

// Of a step that no motion obeys: the motion without friction if every contact may end deeper by as much as it takes,
// found by doubling from `granted` [m] on. None where no depth within reason is enough.
std::optional<StepSolution> least_violation(const StepProblem& step, double granted);

}  // namespace pegrasp::reference
