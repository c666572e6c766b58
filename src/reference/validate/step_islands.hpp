// SPDX-License-Identifier: Apache-2.0
// Splits a spatial step into islands. Bodies that no row couples, in any of several linearisations, do not act on each
// other. Whether the velocities of an island solve its rows does not depend on the other islands.
#pragma once

#include <span>
#include <vector>

#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// Returns for each island, in the order of their first bodies, which coordinates (v) belong to it. body_of: (v) body of
// each coordinate. `passes`: linearisations over the same coordinates, without disjunctions.
std::vector<std::vector<char>> islands_of(std::span<const StepProblem* const> passes, std::span<const int> body_of);

struct IslandStep {
  StepProblem rows;
  StepSolution solution;
};
// The rows that act on these coordinates (v), with their impulses. Velocities and momenta stay those of all bodies.
IslandStep step_of_island(const StepProblem& step, const StepSolution& solution, const std::vector<char>& coordinates);

}  // namespace pegrasp::reference
