// SPDX-License-Identifier: Apache-2.0
// The bodies that the phases of a step work on: in 2D all bodies of the scene, in 3D those of the island at hand and
// the kinematic ones. A step leaves fixed bodies alone.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/active.hpp"
#else
#include "kernels/planar/active.hpp"
#endif
#include "kernels/base/team.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Calls f(body) for every active body.
template <class Team, class F>
PEGRASP_HD inline void for_each_active(Team& team, const SceneView& s, const F& f) {
  for_each(team, active_count(s), [&](int i) { f(active_body(s, i)); });
}

// Calls f(i) for every component i of the active bodies' velocities, i being an index into arrays such as SceneView::v.
template <class Team, class F>
PEGRASP_HD inline void for_each_velocity(Team& team, const SceneView& s, const F& f) {
  if constexpr (is_spatial) {
    for_each(team, dof * active_count(s), [&](int i) { f(dof * active_body(s, i / dof) + i % dof); });
  } else {
    for_each(team, dof * s.model->body_count, f);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
