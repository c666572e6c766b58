// SPDX-License-Identifier: Apache-2.0
// Projected fixed-point iteration on a complementarity problem, linear or not (Williams, table 6.2).
#pragma once

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

// x is a solution where x = P(x - r F(x)), P the projection on [l, u], for any r > 0. Korpelevich's extragradient step,
// x+ = P(x - r F(P(x - r F(x)))), converges for every monotone F, also where the matrix has zeros on its diagonal; r
// adapts so that r |F(x) - F(y)| stays below |x - y| (Khobotov 1987). limits: tolerance on the natural residual,
// time_limit_s. statistics.majors counts the steps, at most most_steps.
mcp::Result solve_fixed_point(const StoredMcp& problem, const Vector& start, const mcp::Options& limits,
                              int most_steps);

}  // namespace pegrasp::reference
