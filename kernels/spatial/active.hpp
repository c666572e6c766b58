// SPDX-License-Identifier: Apache-2.0
// In 3D a step works on the bodies of one island at a time (kernels/step/islands.hpp), and on the kinematic bodies,
// which all islands see. The batched strategy steps all islands of a scene at once: then the whole scene is active.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether all bodies of the scene are active: so it is on the batched strategy.
PEGRASP_HD inline bool whole_scene(const SceneView& s) { return s.tally->islands.active_count < 0; }
PEGRASP_HD inline int active_count(const SceneView& s) {
  return whole_scene(s) ? s.model->body_count : s.tally->islands.active_count;
}
PEGRASP_HD inline int active_body(const SceneView& s, int i) { return whole_scene(s) ? i : s.active[i]; }
PEGRASP_HD inline int active_nodes(const SceneView& s) {
  return whole_scene(s) ? s.model->node_count : s.tally->islands.own_count;
}
// Whether the body is a dynamic body of the island at hand.
PEGRASP_HD inline bool is_own(const SceneView& s, int body) {
  return whole_scene(s) || s.island_of[body] == s.tally->islands.island;
}
PEGRASP_HD inline bool is_active(const SceneView& s, int body) { return is_own(s, body) || is_kinematic(s, body); }
PEGRASP_HD inline bool joint_active(const SceneView& s, int joint) {
  const int a = s.model->joint_body_a[joint];
  return is_own(s, s.model->joint_body_b[joint]) || (a >= 0 && is_own(s, a));
}
// Whether the bodies of the motor's joint, or the body that it drives itself, are active.
PEGRASP_HD inline bool actuator_active(const SceneView& s, int actuator) {
  const int joint = s.model->actuator_joint[actuator];
  return joint >= 0 ? joint_active(s, joint) : is_own(s, s.model->actuator_body[actuator]);
}
// Whether joints hold active bodies: what is done for their sake must not show in islands that have none.
PEGRASP_HD inline bool has_joints(const SceneView& s) {
  return s.model->joint_count > 0 && (whole_scene(s) || s.tally->islands.jointed != 0);
}
// The number of impulses in the list of this step that belong to islands which are done.
PEGRASP_HD inline int kept_elsewhere(const SceneView& s) { return s.tally->islands.kept_count; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
