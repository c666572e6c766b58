// SPDX-License-Identifier: Apache-2.0
// Runs any solver on any stored problem and assesses all results in the same way. `pegrasp solve` uses this.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/reference/io/stored_problem.hpp"
#include "src/reference/mcp/path_library.hpp"

namespace pegrasp::reference {

enum class Outcome {
  solved,          // the residual is within the tolerance, measured here
  infeasible,      // a certificate, checked here, shows that there is no solution
  unsolved,        // neither
  not_applicable,  // the solver is not for such problems
};
const char* outcome_name(Outcome outcome);

struct Attempt {
  Outcome outcome = Outcome::unsolved;
  double residual = mcp::infinity;  // natural_residual(), friction_residual()
  double seconds = 0.0;             // processor time of the solving thread
  std::int64_t iterations = 0;      // pivots; sweeps or steps of the solvers without pivots
  std::string message;              // one line, may be empty
};

struct AttemptOptions {
  double tolerance = 1e-6;
  double time_limit_s = 60.0;        // a problem, by the clock on the wall
  int max_majors = 500;              // linearisations of path, josephy-newton, path-library and the Newton methods
  std::int64_t max_pivots = 200000;  // of path, josephy-newton, path-library and lemke
  int max_iterations = 10000;        // of the first-order solvers
  double augmentation = 0.5;         // added to the diagonal by jacobi-augmented and pgs-augmented
  std::shared_ptr<const mcp::PathLibrary> library = {};  // for path-library
  const std::atomic<bool>* stop = nullptr;  // ends an attempt soon after it was set, as at its time limit; not PATH's
};

// Names of the solvers: path, josephy-newton, lemke, path-library, fischer-newton, minmap-newton, interior-point,
// fixed-point, jacobi, pgs, nncg, aj, jacobi-augmented, pgs-augmented.
const std::vector<std::string>& compared_solvers();

// Friction problems go to the complementarity solvers as linearised_mcp() in 2D, where that is exact, and in 3D as
// quadratic_mcp(), started from the solution of the pyramid (lemke: not applicable). Quadratic problems that come with
// their linearisation start from its solution. Time and iterations are those of all that is solved.
Attempt attempt(const StoredProblem& problem, const std::string& solver, const AttemptOptions& options);

}  // namespace pegrasp::reference
