// SPDX-License-Identifier: Apache-2.0
// The generalised Newton methods and the interior-point method of Williams' table 6.2, for stored complementarity
// problems: for comparison with the pivotal solvers. They prove nothing: a problem without a solution ends as
// no_progress or at a limit.
#pragma once

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

enum class NewtonKind {
  // Phi_i = phi(x_i - l_i, F_i), phi(a, b) = a + b - sqrt(a^2 + b^2) (Fischer; with upper bounds as Billups has it),
  // zero where x solves the problem. Newton steps on Phi with a search along them by 1/2 |Phi|^2.
  fischer,
  // The same with Phi_i = x_i - mid(l_i, u_i, x_i - F_i), the natural map; where no bound is above: min(x_i - l_i,
  // F_i).
  minmap,
};

// limits: tolerance on the natural residual, max_majors (Newton steps), time_limit_s. Where Phi has no Newton step that
// leads downhill, Levenberg and Marquardt's is taken. Quadratic terms are welcome. statistics.majors counts the steps.
mcp::Result solve_newton(const StoredMcp& problem, const Vector& start, NewtonKind kind, const mcp::Options& limits);

// Primal-dual path following with Mehrotra's predictor and corrector, for F = M x + q; with quadratic terms the message
// says that it is not for them (bad_input). Finite bounds have multipliers; free unknowns have none. The method is
// proven for M that is positive semidefinite, which friction is not.
mcp::Result solve_interior_point(const StoredMcp& problem, const Vector& start, const mcp::Options& limits);

}  // namespace pegrasp::reference
