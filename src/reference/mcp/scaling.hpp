// SPDX-License-Identifier: Apache-2.0
// Scaling of a linear model by powers of two, which changes no digit: z = s C z~, F = s R^-1 F~. Scaling does not
// affect complementarity, but the absolute tolerances of the pivotal engine: the impulses of a small part are
// thousandths of a newton second.
#pragma once

#include "src/reference/mcp/pivot_engine.hpp"

namespace pegrasp::mcp {

struct Scaling {
  Vector row, column;  // R, C: diagonals, powers of two
  double size = 1.0;   // s
};

// Scales rows and columns so that entries are around one (geometric means, two sweeps), and chooses s such that F~ at z
// is around one.
Scaling choose_scaling(const LinearModel& model, const Vector& z);

LinearModel scaled(const LinearModel& model, const Scaling& scaling);
Vector to_scaled(const Vector& z, const Scaling& scaling);
Vector from_scaled(const Vector& z, const Scaling& scaling);

}  // namespace pegrasp::mcp
