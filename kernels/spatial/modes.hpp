// SPDX-License-Identifier: Apache-2.0
// Pair modes in 3D, of every pair of convex parts.
#pragma once

#include "kernels/spatial/polyhedron_modes.hpp"
#include "kernels/spatial/round_modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Quick looks at a few facets are for 2D: in 3D they are not told apart as cheaply.
PEGRASP_HD inline bool separated_by(const PartView&, const PartView&, const Frame&, const Frame&, double) {
  return false;
}
PEGRASP_HD inline double separation_by(const PartView&, const PartView&, const Frame&, const Frame&, int) {
  return -1e300;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
