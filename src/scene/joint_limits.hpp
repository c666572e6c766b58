// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/scene.hpp"

namespace pegrasp {

// [rad] A cone narrower than the first is an axis that is held; in one wider than the second no way back can be reported from another.
inline constexpr double least_swing = 0.01;
inline constexpr double most_swing = 3.0;
// [rad] Of targets by axis: sines of angles beyond a quarter of a million turns lose digits (kernels/base/sincos.hpp).
inline constexpr double farthest_turn = 1e5;

// Whether a file's joint has an axis. That of a spherical joint is for its swing; without a limit it may be left out.
inline bool joint_has_axis(const SceneSpec& scene, JointKind kind, bool given, bool swing_limited) {
  if (!scene.spatial) return kind == JointKind::prismatic;
  return kind == JointKind::spherical ? given || swing_limited : kind != JointKind::fixed;
}

}  // namespace pegrasp
