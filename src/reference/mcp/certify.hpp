// SPDX-License-Identifier: Apache-2.0
// Looks for a proof that a mixed linear complementarity problem has no solution.
//
// First without complementarity: bounds of x, signs of F. Where these agree, an index that violates complementarity at
// the point found is chosen and each of its alternatives looked at by itself, depth first (Beale and Tomlin's branching
// on disjunctions): x = l and F >= 0, F = 0, x = u and F <= 0. What a
// proof rested on is remembered, with the proof: where it holds again nothing is computed, and where all of it but one
// alternative does, that alternative is out. Exponential at worst, and ends at options.certify_nodes.
#pragma once

#include <optional>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// more: in long double, which takes longer, for contradictions that are slight (certificate.hpp); and for
// unknowns of moderate size only (Certificate::range).
enum class Digits { usual, more };

// Which alternative of an index is looked at first: the one that the point of the linear program is nearer to, or the one
// that the hint is nearer to. The second comes to where walls contradict each other by a hair in a few branchings, if the
// hint nearly solves the problem; the first now and then meets contradictions elsewhere, which need no branching at all.
enum class Branching { at_point, at_hint };

// A certificate that check_certificate() takes, or none: a solution was met, the limits of nodes or of time were, or
// rounding spoilt a leaf. `hint` is where a solver ended: boxed variables start at the bound nearer to it. A solution
// that was met, to about 1e-7 in scaled numbers, goes to `solution` when that is not null, which is else left alone.
std::optional<Certificate> find_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower,
                                            const Vector& upper, const Vector& hint, const Options& options = {},
                                            Vector* solution = nullptr, Digits digits = Digits::usual,
                                            Branching branching = Branching::at_point);

}  // namespace pegrasp::mcp
