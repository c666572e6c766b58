// SPDX-License-Identifier: Apache-2.0
// In 2D a step works on all bodies of the scene.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline int active_count(const SceneView& s) { return s.model->body_count; }
PEGRASP_HD inline int active_body(const SceneView&, int i) { return i; }
PEGRASP_HD inline int active_nodes(const SceneView& s) { return s.model->node_count; }
PEGRASP_HD inline bool is_own(const SceneView&, int) { return true; }
PEGRASP_HD inline bool is_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool joint_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool actuator_active(const SceneView&, int) { return true; }
PEGRASP_HD inline bool has_joints(const SceneView& s) { return s.model->joint_count > 0; }
PEGRASP_HD inline int kept_elsewhere(const SceneView&) { return 0; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
