// SPDX-License-Identifier: Apache-2.0
// What the host and the kernels both ask of a solver's kind.
#pragma once

#include "kernels/base/platform.hpp"
#include "pegrasp/options.hpp"

namespace pegrasp {

// Both forms of the augmented Lagrangian with Newton steps; they differ in their penalties.
PEGRASP_HD constexpr bool is_newton(SolverKind solver) {
  return solver == SolverKind::newton || solver == SolverKind::stiff_newton;
}

// Projected Gauss-Seidel and Jacobi, and what builds on one sweep of them. They need most iterations, so that where
// they start matters most.
PEGRASP_HD constexpr bool is_sweeping(SolverKind solver) {
  return solver == SolverKind::pgs || solver == SolverKind::jacobi || solver == SolverKind::nncg;
}

}  // namespace pegrasp
