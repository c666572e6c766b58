// SPDX-License-Identifier: Apache-2.0
// The Fischer-Burmeister reformulation of a mixed complementarity problem (Fischer 1992; Billups 1995 for two bounds):
//   phi(a, b) = a + b - sqrt(a^2 + b^2) is zero exactly where 0 <= a ⊥ b >= 0, and
//   Phi_i = phi(x - l, F), -phi(u - x, -F), phi(x - l, -phi(u - x, -F)) or F, by the bounds that are finite.
// Its merit psi = |Phi|^2 / 2 is smooth, which the normal map's is not.
#pragma once

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// psi at x with f = F(x).
double merit(const Vector& x, const Vector& f, const Vector& lower, const Vector& upper);

// The gradient of psi; jacobian: of F at x.
Vector merit_gradient(const Vector& x, const Vector& f, const SparseMatrix& jacobian, const Vector& lower,
                      const Vector& upper);

}  // namespace pegrasp::mcp
