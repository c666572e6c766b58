// SPDX-License-Identifier: Apache-2.0
// First-order solvers for stored problems (docs/reference/stored-problems.md), independent of kernels/: projected
// Jacobi, projected Gauss-Seidel, nonsmooth nonlinear conjugate gradients, accelerated projected Jacobi. For comparison
// with the pivotal ones.
#pragma once

#include <string>

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

enum class IterativeMethod {
  jacobi,  // x+ = P(x - lambda w / A_ii); lambda 1/2, halved whenever the residual has grown fourfold over the best
  pgs,     // sweeps over the blocks in their order
  nncg,    // Silcowitz, Niebe, Erleben 2010: Fletcher and Reeves' direction over the sweeps of pgs
  // Jacobi with Nesterov's momentum; steps by row sums; restart on the generalised gradient
  // (docs/explanation/solvers.md);
  aj,
  // none once it circles
};

struct IterativeOptions {
  double tolerance = 1e-6;  // on the residual: natural_residual() or friction_residual()
  int max_iterations = 10000;
  double time_limit_s = mcp::infinity;
  // Added to the diagonal, so that rows without one can be divided by it (Williams, 2.5.3). The residual stays that of
  // the problem as it is: what such a method converges to solves another one.
  double augmentation = 0.0;
};

struct IterativeResult {
  bool applies = true;  // false: the method is not defined for the problem; message says why
  mcp::Status status = mcp::Status::no_progress;
  mcp::Vector x;  // the best point seen
  double residual = mcp::infinity;
  int iterations = 0;
  std::string message;
};

// F = M x + q, projected on [l, u]. Needs a positive diagonal (with the augmentation) and no quadratic terms.
IterativeResult solve_iterative(const StoredMcp& problem, IterativeMethod method, const IterativeOptions& options = {});

// u = W r + q, at every contact r_n >= 0 and |r_t| <= mu r_n: the normal component first, then the disc of the new
// normal one (kernels' law, docs/explanation/solvers.md); needs a positive diagonal.
IterativeResult solve_iterative(const FrictionProblem& problem, IterativeMethod method,
                                const IterativeOptions& options = {});

}  // namespace pegrasp::reference
