// SPDX-License-Identifier: Apache-2.0
// The rows of contacts with compliant shells in 3D (src/reference/common/shell.hpp).
#pragma once

#include <span>
#include <vector>

#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {

// Makes the rows of a rigid contact those of a shell. depth: at the start [m]. directions: along the surface, world, of
// its first two tangents.
void put_shell_under(const StepView& view, const PairContact& c, double depth, std::span<const Vector3> directions,
                     Contact& out);

// The deflection [m] along the surface, world, that the impulses of the contact leave it with. p: tangential; nu: the
// velocity of the solution.
std::vector<double> deflected(const StepView& view, const PairContact& c, const Contact& row,
                              std::span<const Vector3> directions, std::span<const double> p, const Vector& nu);

}  // namespace pegrasp::reference::spatial
