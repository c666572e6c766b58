// SPDX-License-Identifier: Apache-2.0
// Looks for another linearisation, one that the reference simulator's rules allow, which has the product's answer as a
// solution, where the rows that the reference simulator ended with do not. With friction the passes before the last one
// may have several solutions, and an end pose may be accepted by a narrow margin on one side only.
#pragma once

#include "src/reference/validate/step_assessment.hpp"
#include "src/reference/validate/validate.hpp"

namespace pegrasp::reference {

// A step of the product: its start state and its answer. (bodies) each.
struct ProductStep {
  int step = 0;  // 0-based
  std::vector<Pose> poses;
  std::vector<Twist> velocities;     // in the middle of the last (sub)steps
  std::vector<double> last;          // [s] their lengths
  std::vector<Twist> accelerations;  // means where they began
  std::vector<char> present;
  std::vector<Vector3> answer;  // velocities in the middle of its last substep
  std::int64_t substeps = 1;
};

// The reference simulator takes the step from the product's state. Every pass first asks whether the product's
// velocities solve its rows, up to `enough` [m/s]. If they do, the simulation goes on with them, else with a solution
// of its own. It tries the normal acceptance, and one that is tighter and one that is wider by a hundredth, each with
// all ways of halving the step into as many substeps as the product took. With `starts` it also tries random starts of
// the passes. Returns what remains of the product's answer where the reference simulator accepts it, and nothing where
// it never does. Deterministic.
std::optional<Shortfall> other_solution(const ValidateCase& job, std::size_t trial, const ProductStep& step,
                                        double enough, bool starts);

}  // namespace pegrasp::reference
