// SPDX-License-Identifier: Apache-2.0
// The compiled form of joints and of what drives bodies (kernels/joint/).
#pragma once

#include "src/model/model.hpp"

namespace pegrasp {

// Append to the arrays. std::invalid_argument, one line, for joints and actuators that make no sense.
void add_joint(const SceneSpec& scene, const JointSpec& joint, ModelArrays& out);
// After all joints: finds the tree of joints (joint_child, joint_order).
void find_joint_tree(const SceneSpec& scene, ModelArrays& out);
// After all joints.
void add_coupling(const SceneSpec& scene, std::size_t index, ModelArrays& out);
void add_actuator(const SceneSpec& scene, const ActuatorSpec& actuator, ModelArrays& out);

}  // namespace pegrasp
