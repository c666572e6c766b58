// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Smallest and largest swing limit [rad]. A narrower cone amounts to a fixed axis. In a wider one the shortest way back
// is not well defined.
inline constexpr double least_swing = 0.01;
inline constexpr double most_swing = 3.0;
// Largest target by axis [rad]: sines of angles beyond a quarter of a million turns lose digits
// (kernels/base/sincos.hpp).
inline constexpr double farthest_turn = 1e5;

// Whether a joint of a file has an axis. A spherical joint needs one for its swing limit; without a limit it may be
// left out.
inline bool joint_has_axis(const SceneSpec& scene, JointKind kind, bool given, bool swing_limited) {
  if (!scene.spatial) return kind == JointKind::prismatic;
  return kind == JointKind::spherical ? given || swing_limited : kind != JointKind::fixed;
}

}  // namespace pegrasp
