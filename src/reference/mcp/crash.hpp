// SPDX-License-Identifier: Apache-2.0
// The crash phase (Dirkse and Ferris 1997): projected Newton steps that look for the right active set before the first
// linear model is solved. Off by default: a warm start is worth more.
#pragma once

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {

// One step from x, with f = F(x) and its Jacobian: Newton's direction in the variables that are not held by a bound, then
// Armijo on the merit along the projected arc. x is moved and true returned when the merit falls.
bool crash_step(const Problem& problem, const SparseMatrix& jacobian, Vector& x, const Vector& f, double merit_at_x);

}  // namespace pegrasp::mcp
