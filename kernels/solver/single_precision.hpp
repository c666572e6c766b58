// SPDX-License-Identifier: Apache-2.0
// When a scene gives up single precision, in which fast arithmetic solves. A float has seven digits: where a light body
// is held by large forces, velocities are sums of numbers so large that their rounding exceeds the tolerance, and a
// solver then iterates in vain. That shows in the iterations: a scene may spend so many beyond what solves usually
// take, in all, which is less than double precision takes for the whole scene. Then, or where a solve fails and no
// smaller step is left, the scene ends with status_single_precision, and the host runs it again in double precision.
// Counters alone decide, so that results repeat. In double precision nothing here has an effect.
#pragma once

#include "kernels/scene/scene.hpp"
#include "kernels/solver/kind.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr bool in_single_precision = sizeof(SolverReal) < sizeof(double);

// Iterations that a solve usually takes at most; how many more the solves of a scene may take in all, at the beginning;
// and what each solve adds to that.
PEGRASP_HD inline int usual_iterations(SolverKind solver) { return is_newton(solver) ? 16 : 500; }
PEGRASP_HD inline int spare_iterations(SolverKind solver) { return is_newton(solver) ? 250 : 5000; }
PEGRASP_HD inline int spare_a_solve(SolverKind solver) { return is_newton(solver) ? 2 : 50; }

// Iterations that a solve may take at most.
PEGRASP_HD inline int most_iterations(const StepOptions& options) {
  constexpr int most_newton = 500, most_of_others = 10'000;
  if (!in_single_precision) return options.max_iterations;
  return min2(options.max_iterations, is_newton(options.solver) ? most_newton : most_of_others);
}

// Counts the iterations of a solve. failed: it missed the tolerance, and no smaller step is left.
PEGRASP_HD inline void count_iterations(SceneTally& t, const StepOptions& options, int iterations, bool failed) {
  t.outcome.iterations += iterations;
  if (!in_single_precision) return;
  t.iterations_beyond += max2(0, iterations - usual_iterations(options.solver));
  const std::int64_t spare = spare_iterations(options.solver) + spare_a_solve(options.solver) * t.outcome.solves;
  if (failed || t.iterations_beyond > spare) t.step_status |= status_single_precision;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
