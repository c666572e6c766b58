// SPDX-License-Identifier: Apache-2.0
// What a joint is, where its rows and coordinates depend on it.
#pragma once

#include "kernels/base/platform.hpp"
#include "kernels/model/model.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether the joint is the distance of two points: without rows, and its slide is that distance.
PEGRASP_HD inline bool is_distance(const ModelView& m, int joint) {
  return m.joint_kind[joint] == static_cast<int>(JointKind::distance);
}

// A distance [m] below which the line through the two points has no direction.
constexpr double shortest_line = 1e-12;

}  // namespace pegrasp::PEGRASP_ARITHMETIC
