// SPDX-License-Identifier: Apache-2.0
// Searches for a proof that a mixed linear complementarity problem has no solution.
//
// The first attempt leaves complementarity out: only bounds of x and signs of F. If these do not contradict each other,
// an index that violates complementarity at the point found is chosen, and each of its alternatives is examined on its
// own, depth first (Beale and Tomlin's branching on disjunctions): x = l and F >= 0, F = 0, x = u and F <= 0. The fixed
// alternatives that a proof needed are remembered with the proof. Where they hold again, nothing is computed. Where all
// but one of them hold, that alternative is excluded. The search is exponential at worst and ends at
// options.certify_nodes.
#pragma once

#include <optional>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// more: search in long double, which takes longer, for slight contradictions (certificate.hpp), and for unknowns of
// moderate size only (Certificate::range).
enum class Digits { usual, more };

// Which alternative of an index is examined first: the one that is nearer to the point of the linear program, or the
// one that is nearer to the hint. If the hint nearly solves the problem, the second choice reaches slight
// contradictions between walls in a few branchings. The first choice sometimes meets contradictions elsewhere, which
// need no branching.
enum class Branching { at_point, at_hint };

// Returns a certificate that check_certificate() accepts, or none: if a solution was met, if the limits of nodes,
// pivots or time were reached, or if rounding spoilt a leaf. `hint` is the point where a solver ended; boxed variables
// start at the bound nearer to it. If a solution is met, to about 1e-7 in scaled numbers, it is stored in `solution`
// unless that is null.
std::optional<Certificate> find_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower,
                                            const Vector& upper, const Vector& hint, const Options& options = {},
                                            Vector* solution = nullptr, Digits digits = Digits::usual,
                                            Branching branching = Branching::at_point);

}  // namespace pegrasp::mcp
