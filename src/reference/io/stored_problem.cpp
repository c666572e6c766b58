// SPDX-License-Identifier: Apache-2.0
#include "src/reference/io/stored_problem.hpp"

#include "src/reference/step/assembly.hpp"

namespace pegrasp::reference {
namespace {

StoredMcp stored_form(const FormulatedStep& step) {
  StoredMcp stored;
  stored.m = step.m;
  stored.m.makeCompressed();
  stored.q = step.q;
  stored.lower = step.problem.lower;
  stored.upper = step.problem.upper;
  stored.start = step.start;
  stored.quadratic = step.quadratic;
  stored.kinds = step.kinds;
  return stored;
}

}  // namespace

mcp::Problem to_problem(const StoredMcp& stored) {
  return make_problem(stored.m, stored.q, stored.quadratic, stored.lower, stored.upper);
}

StoredMcp to_stored(const StepProblem& step, const Formulation& formulation) {
  const FormulatedStep formulated = formulate(step, formulation);
  StoredMcp stored = stored_form(formulated);
  if (stored.quadratic.empty()) return stored;
  const LinearisedStep linear = linearise(step, formulation, formulated);
  stored.linearised =
      std::make_shared<const StoredLinearisation>(StoredLinearisation{stored_form(linear.step), linear.back});
  return stored;
}

}  // namespace pegrasp::reference
