// SPDX-License-Identifier: Apache-2.0
// Where the product's answer to a step is not a solution of the rows that the reference ended with: does another
// linearisation, which the reference's rules allow, have it as a solution? With friction the passes before the last one
// may have several solutions, and an end pose may be accepted by a hair's breadth on one side only.
#pragma once

#include "src/reference/validate/step_assessment.hpp"
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

// A step of the product: what it started from and came to. (bodies) each.
struct ProductStep {
  int step = 0;  // 0-based
  std::vector<Pose> poses;
  std::vector<Twist> velocities;
  std::vector<char> present;
  std::vector<Vector3> answer;  // velocities at the end
  std::int64_t substeps = 1;
};

// The reference takes the step from the product's state. In every pass it asks first whether the product's velocities
// solve the rows, to `enough` [m/s], and goes on with them if they do, else with a solution of its own. Tried are its
// own acceptance, one that is tighter and one that is wider by a hundredth, each with all halvings into as many substeps
// as the product had; with `starts`, random starts of the passes, too. Returned is what remains of the product's answer where the
// reference accepts it, nothing where it never does. Deterministic.
std::optional<Shortfall> other_solution(const ValidateCase& job, std::size_t trial, const ProductStep& step,
                                        double enough, bool starts);

}  // namespace pegrasp::reference
