// SPDX-License-Identifier: Apache-2.0
// In 2D a pair that may pass through another within a step keeps the mode that was chosen along its motion, pass by
// pass: nothing is looked at on the way.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline double way_separation(const SceneView&, const NearPair& pair, double) { return pair.s_end; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
