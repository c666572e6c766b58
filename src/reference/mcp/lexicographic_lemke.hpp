// SPDX-License-Identifier: Apache-2.0
// Lemke's method with the lexicographic ratio test, as in textbooks (lemke_tableau.hpp): dense, one tableau, no
// restarts. It is the baseline for solve(), and the method of older simulators.
#pragma once

#include <cstdint>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// Mixed problems are brought into the form w = M z + q, w, z >= 0, w'z = 0: free variables are eliminated with their
// own rows, and variables with two bounds get a second row. The method starts from the ray z = 0, so that there is no
// start to give.
//
// Statuses: solved (the natural residual is at most `tolerance` times 1 + max |q|); pivot_limit; bad_input; and
// no_progress, with a message, for a ray (which proves nothing about M in general), for free variables whose block of M
// is singular, and for a tableau spoilt by rounding.
Result solve_lexicographic_lemke(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                                 std::int64_t max_pivots, double tolerance = 1e-9);

}  // namespace pegrasp::mcp
