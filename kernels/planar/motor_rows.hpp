// SPDX-License-Identifier: Apache-2.0
// The rows of the motor of a spherical joint: planar scenes have none.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Never called.
PEGRASP_HD inline void ball_motor_rows(const SceneView&, int, Row*, double) {}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
