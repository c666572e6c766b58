// SPDX-License-Identifier: Apache-2.0
// In 2D a pair whose parts may pass through each other within a step keeps the mode that was chosen along its motion.
// No poses between the start and the end are measured.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The separation [m] on the way from the start to the end pose: that at the end.
PEGRASP_HD inline double way_separation(const SceneView&, const NearPair& pair, double) { return pair.s_end; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
