// SPDX-License-Identifier: Apache-2.0
// The bodies that the phases of a step work on: in 2D all of the scene, in 3D those of the island at hand
// (kernels/step/islands.hpp) and the kinematic ones, which all islands see. Fixed bodies are none of them: a step leaves them alone.
#pragma once

#include "kernels/base/team.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

#if defined(PEGRASP_SPATIAL)
// On the batched strategy.
PEGRASP_HD inline bool whole_scene(const SceneView& s) { return s.tally->islands.active_count < 0; }
PEGRASP_HD inline int active_count(const SceneView& s) {
  return whole_scene(s) ? s.model->body_count : s.tally->islands.active_count;
}
PEGRASP_HD inline int active_body(const SceneView& s, int i) { return whole_scene(s) ? i : s.active[i]; }
PEGRASP_HD inline int active_nodes(const SceneView& s) {
  return whole_scene(s) ? s.model->node_count : s.tally->islands.own_count;
}
// Whether it is a dynamic body of the island.
PEGRASP_HD inline bool is_own(const SceneView& s, int body) {
  return whole_scene(s) || s.island_of[body] == s.tally->islands.island;
}
PEGRASP_HD inline bool is_active(const SceneView& s, int body) {
  return is_own(s, body) || (s.model->body_kind[body] == static_cast<int>(BodyKind::kinematic) && s.present[body] != 0);
}
PEGRASP_HD inline bool joint_active(const SceneView& s, int joint) {
  const int a = s.model->joint_body_a[joint];
  return is_own(s, s.model->joint_body_b[joint]) || (a >= 0 && is_own(s, a));
}
// Of a motor: the bodies of its joint, or the body that it drives itself.
PEGRASP_HD inline bool actuator_active(const SceneView& s, int actuator) {
  const int joint = s.model->actuator_joint[actuator];
  return joint >= 0 ? joint_active(s, joint) : is_own(s, s.model->actuator_body[actuator]);
}
// Whether joints are at hand: what is done for their sake must not show in islands that have none.
PEGRASP_HD inline bool has_joints(const SceneView& s) {
  return s.model->joint_count > 0 && (whole_scene(s) || s.tally->islands.jointed != 0);
}
// Impulses in the list of this step that belong to islands which are done.
PEGRASP_HD inline int kept_elsewhere(const SceneView& s) { return s.tally->islands.kept_count; }
#else
PEGRASP_HD inline int active_count(const SceneView& s) { return s.model->body_count; }
PEGRASP_HD inline int active_body(const SceneView&, int i) { return i; }
PEGRASP_HD inline int active_nodes(const SceneView& s) { return s.model->node_count; }
PEGRASP_HD inline bool is_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool joint_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool actuator_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool has_joints(const SceneView& s) { return s.model->joint_count > 0; }
PEGRASP_HD inline int kept_elsewhere(const SceneView&) { return 0; }
#endif

// f(body)
template <class Team, class F>
PEGRASP_HD inline void for_each_active(Team& team, const SceneView& s, const F& f) {
  for_each(team, active_count(s), [&](int i) { f(active_body(s, i)); });
}

// f(i), i an index of vectors of velocities
template <class Team, class F>
PEGRASP_HD inline void for_each_velocity(Team& team, const SceneView& s, const F& f) {
#if defined(PEGRASP_SPATIAL)
  for_each(team, dof * active_count(s), [&](int i) { f(dof * active_body(s, i / dof) + i % dof); });
#else
  for_each(team, dof * s.model->body_count, f);
#endif
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
