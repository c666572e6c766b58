// SPDX-License-Identifier: Apache-2.0
// When a point counts as a solution.
#pragma once

#include "reference/mcp/scaling.hpp"

namespace pegrasp::mcp {

// The natural residual is within the tolerance; or it is within what rounding makes of F at x, a jam's impulses of 10^7 N s
// being known to no better than 10^-9: in row i, 4 eps / R_i max_k R_k (|f_k| + sum_j |J_kj x_j|), with the row scales R
// that make the rows comparable, and 1e-6 at most. `rounding`: the largest of those bounds that was needed, 0 for none.
bool accepted(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower, const Vector& upper,
              double tolerance, double& rounding);

}  // namespace pegrasp::mcp
