// SPDX-License-Identifier: Apache-2.0
// Which of its solutions a step is solved for, docs/validate.md: where a face rests on more corners than three, solves start from the least
// squares among the impulses of the same force and moments that do not pull.
#pragma once

#include <vector>

#include "reference/space/space_rows.hpp"
#include "reference/step/step_problem.hpp"

namespace pegrasp::reference::space {

// start.normal and start.tangent: impulses of `contacts`, those of a pair one after the other.
void even_out(const std::vector<PairContact>& contacts, StepSolution& start);

}  // namespace pegrasp::reference::space
