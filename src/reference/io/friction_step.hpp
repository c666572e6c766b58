// SPDX-License-Identifier: Apache-2.0
// A step of a scene as a friction-contact problem in fclib's local form.
#pragma once

#include "src/reference/io/stored_problem.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// W = G' A G and q = G' nu_free + (psi / h + rate of the gap, rates of sliding), where A is M^-1 with the joints held
// and nu_free the motion without contact. The contacts are the unilateral ones of the step, in their order. Throws
// std::invalid_argument, one line, for what the local form cannot express (disjunctions, support points, motors) and
// for a step without contacts.
FrictionProblem friction_problem(const StepProblem& step);

}  // namespace pegrasp::reference
