// SPDX-License-Identifier: Apache-2.0
// Lemke's method in some 32 decimals (DoubleDouble, lemke_tableau.hpp): for linear problems that contradict themselves but
// for a hair, whose bases are singular to all of a double's digits. Dense: a pivot takes n^2 operations, n some hundreds.
#pragma once

#include <chrono>
#include <cstdint>

#include "reference/mcp/pivot_engine.hpp"

namespace pegrasp::mcp {

constexpr int largest_precise = 1000;  // rows: the tableau of as many takes 32 MB

// From the ray z = 0. True: x (n) is the solution, rounded. False: a ray, a limit, free variables that their rows do not
// determine, or more rows than largest_precise. `pivots` counts.
bool solve_precisely(const LinearModel& model, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
                     std::int64_t& pivots, Vector& x);

}  // namespace pegrasp::mcp
