// SPDX-License-Identifier: Apache-2.0
// When a point counts as a solution.
#pragma once

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// The natural residual is within the tolerance; or where it is not, it is within what rounding makes of that row of F at
// x, a jam's impulses of 10^7 N s being known to no better than 10^-9: 4 eps (|f_i| + sum_j |J_ij x_j|), and 1e-6 at
// most. Other rows do not excuse it. `rounding`: the largest of those bounds that was needed, 0 for none.
bool accepted(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower, const Vector& upper,
              double tolerance, double& rounding);

}  // namespace pegrasp::mcp
