// SPDX-License-Identifier: Apache-2.0
// Lemke's method in some 32 decimals (DoubleDouble, lemke_tableau.hpp): for linear problems that contradict themselves but
// for a hair, whose bases are singular to all of a double's digits. Dense: a pivot takes 2 n^2 multiplications.
#pragma once

#include <chrono>
#include <cstdint>

#include "src/reference/mcp/pivot_engine.hpp"

namespace pegrasp::mcp {

constexpr int largest_precise = 600;  // rows: a pivot takes milliseconds there

// From the ray z = 0. True: the sum x + x_low (n) is where the path ended, a solution or not: the caller looks, for the end
// of a ray may be good enough. False, and both untouched: more rows than largest_precise (a variable with two bounds has
// two), free variables that their rows do not determine, numbers that overflowed, or the time was up before it began. `pivots` counts; there are at most max_pivots, and at most
// some twenty times the rows.
bool solve_precisely(const LinearModel& model, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
                     std::int64_t& pivots, Vector& x, Vector& x_low);

}  // namespace pegrasp::mcp
