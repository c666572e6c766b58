// SPDX-License-Identifier: Apache-2.0
// The test whether a point counts as a solution.
#pragma once

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// A point is accepted if every row of its natural residual is within the tolerance, or within the rounding of that row
// of F at x: 4 eps (|f_i| + sum_j |J_ij x_j|), and 1e-6 at most. A jam has impulses of 10^7 N s, which are known to no
// better than 10^-9. `rounding`: the largest of those bounds that was needed, 0 for none.
bool accepted(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower, const Vector& upper,
              double tolerance, double& rounding);

}  // namespace pegrasp::mcp
