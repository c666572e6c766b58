// SPDX-License-Identifier: Apache-2.0
// Whether given velocities solve a step, by the reference simulator's rows alone. The impulses that belong to the
// velocities are found here.
//
// Take the slip from the given velocities nu* and raise the normal row of every contact by it:
//
//   K holds p   _|_   (w_n(nu) + mu |w_t(nu*)|, w_t(nu)) in the dual cone of K,   K the friction cone
//
// This is a convex problem. Its velocity nu is unique, however many impulses there are, and nu* obeys Coulomb's law
// with some impulses exactly where nu = nu* (the fixed point of Acary, Cadoux, Lemarechal and Malick 2011, ZAMM 91). In
// 2D the cone K has two edges, n + mu t and n - mu t, so that the problem is a step without friction with a contact for
// each.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/reference/planar/rows.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

struct Shortfall {
  double momentum = 0.0;         // [m/s] fastest point of what the velocities and those of the impulses differ by
  double natural = 0.0;          // [m/s] natural map of the rows, at these velocities and impulses
  double complementarity = 0.0;  // natural residual of the complementarity problem there, in its units
  StepSolution solution;         // the velocities with the impulses that fit them best
  // [m/s] The larger of momentum and natural: both must vanish. Infinite where one is not a number.
  double residual() const;
};

class StepAssessment {
 public:
  // present: (bodies), not 0 where a body takes part. velocities: (bodies), the given ones at the end of the step.
  StepAssessment(const PlanarNumbers& numbers, std::vector<char> present, std::vector<Vector3> velocities);

  // `own`: impulses that may belong to the velocities, or null. Where they leave more than `enough` [m/s], the convex
  // problem is solved. Where that leaves more than `enough` as well, its impulses are balanced.
  Shortfall assess(const StepProblem& step, const StepSolution* own, double enough) const;
  // The same for a step without contacts, supports and motors, whose only end is these velocities (bodies).
  Shortfall assess_flight(std::span<const Vector3> velocities) const;
  // Whether these velocities (bodies) are the ones that this solution leads to.
  bool leads_to(const StepProblem& step, const StepSolution& solution, std::span<const Vector3> velocities) const;
  // The difference between these velocities and the given ones, at the fastest point [m/s].
  double apart(std::span<const Vector3> velocities) const;

 private:
  Shortfall measure(const StepProblem& step, StepSolution impulses) const;
  std::optional<StepSolution> fitting(const StepProblem& step, const StepSolution* near) const;
  StepSolution balanced(const StepProblem& step, StepSolution impulses, double closed) const;

  const PlanarScene& scene_;
  std::vector<char> present_;
  PlanarCoordinates coordinates_;
  std::vector<Vector3> velocities_;
  Vector claimed_;  // (v) the same
};

}  // namespace pegrasp::reference
