// SPDX-License-Identifier: Apache-2.0
// Lemke's method with some 32 decimals (DoubleDouble, lemke_tableau.hpp), for linear problems that nearly contradict
// themselves, whose bases are singular to all digits of a double. Dense: a pivot takes 2 n^2 multiplications.
#pragma once

#include <chrono>
#include <cstdint>

#include "src/reference/mcp/pivot_engine.hpp"

namespace pegrasp::mcp {

constexpr int largest_precise = 600;  // rows: a pivot takes milliseconds there

// Starts from the ray z = 0. True: the sum x + x_low (n) is where the path ended, which may or may not be a solution;
// the caller checks, because the end of a ray may be good enough. False, with both untouched: more rows than
// largest_precise (a variable with two bounds has two), free variables that their rows do not determine, numbers that
// overflowed, or no time left. `pivots` is counted up; there are at most max_pivots, and at most about twenty times the
// rows.
bool solve_precisely(const LinearModel& model, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
                     std::int64_t& pivots, Vector& x, Vector& x_low);

}  // namespace pegrasp::mcp
