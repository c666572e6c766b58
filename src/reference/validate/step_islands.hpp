// SPDX-License-Identifier: Apache-2.0
// A step in 3D by islands. Bodies that no row couples, in any of several linearisations, do not act on each other: each island's velocities
// solve its own rows or do not, whatever the others do.
#pragma once

#include <span>
#include <vector>

#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// The coordinates of each island, in the order of their first bodies. body_of: (v) body of each coordinate; `passes`: linearisations over the same coordinates, without disjunctions.
std::vector<std::vector<char>> islands_of(std::span<const StepProblem* const> passes, std::span<const int> body_of);

struct IslandStep {
  StepProblem rows;
  StepSolution solution;
};
// The rows that act on these coordinates (v), and their impulses. Velocities and momenta stay those of all.
IslandStep step_of_island(const StepProblem& step, const StepSolution& solution, const std::vector<char>& coordinates);

}  // namespace pegrasp::reference
