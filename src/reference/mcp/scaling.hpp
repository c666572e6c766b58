// SPDX-License-Identifier: Apache-2.0
// Scaling of a linear model by powers of two, which changes no digit: z = s C z~, F = s R^-1 F~. Complementarity does not
// notice, the pivotal engine's absolute tolerances do: impulses of a small part are thousandths of a newton second.
#pragma once

#include "src/reference/mcp/pivot_engine.hpp"

namespace pegrasp::mcp {

struct Scaling {
  Vector row, column;  // R, C: diagonals, powers of two
  double size = 1.0;   // s
};

// Rows and columns with entries around one (geometric means, two sweeps), and s such that F~ at z is around one.
Scaling choose_scaling(const LinearModel& model, const Vector& z);

LinearModel scaled(const LinearModel& model, const Scaling& scaling);
Vector to_scaled(const Vector& z, const Scaling& scaling);
Vector from_scaled(const Vector& z, const Scaling& scaling);

}  // namespace pegrasp::mcp
