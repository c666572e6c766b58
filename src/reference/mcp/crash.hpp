// SPDX-License-Identifier: Apache-2.0
// The crash phase (Dirkse and Ferris 1997): projected Newton steps that look for the right active set before the first
// linear model is solved. It is off by default, because a warm start is better.
#pragma once

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// One step from x, with f = F(x) and its Jacobian: Newton's direction in the variables that no bound holds, then an
// Armijo search on the merit along the projected arc. If the merit decreases, x is moved and true is returned.
bool crash_step(const Problem& problem, const SparseMatrix& jacobian, Vector& x, const Vector& f, double merit_at_x);

}  // namespace pegrasp::mcp
