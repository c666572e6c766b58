// SPDX-License-Identifier: Apache-2.0
// A step of a scene as a friction-contact problem in fclib's local form.
#pragma once

#include "src/reference/io/stored_problem.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// W = G' A G and q = G' nu_free + (psi / h + rate of the gap, rates of sliding), where A is M^-1 with the joints held and
// nu_free the motion without contact; the contacts are the step's unilateral ones, in their order. Throws
// std::invalid_argument, one line, for what the local form has no place for: disjunctions, support points, motors; and for
// no contacts at all.
FrictionProblem friction_problem(const StepProblem& step);

}  // namespace pegrasp::reference
