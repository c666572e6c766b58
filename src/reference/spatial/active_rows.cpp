// SPDX-License-Identifier: Apache-2.0
// The limits of joints and the servos that act in a step in 3D.
#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {

std::vector<JointLimit> active_limits(const SpatialScene& scene, std::span<const char> present) {
  std::vector<JointLimit> out;
  int k = 0;
  for (const JointSpec& joint : scene.spec().joints) {
    if (joint_present(joint, present)) {
      if (joint.slide) out.push_back({k, Freedom::slide});
      if (joint.turn || joint.swing) out.push_back({k, Freedom::turn});
    }
    ++k;
  }
  return out;
}

LimitGap limit_gap(const SpatialScene& scene, const JointLimit& limit, const JointAt& at, double last_turn) {
  const JointSpec& joint = scene.spec().joints[static_cast<std::size_t>(limit.joint)];
  const double x = at.coordinate(limit.freedom, last_turn).value;
  const double scale = limit.freedom == Freedom::slide ? 1.0 : scene.joint_arm();
  if (joint.swing) return {scale * (*joint.swing - x), -1.0};
  return reference::limit_gap(limit.freedom == Freedom::slide ? *joint.slide : *joint.turn, x, scale);
}

std::vector<int> active_servos(const SpatialNumbers& numbers, std::span<const char> present, double h) {
  std::vector<int> out;
  int k = -1;
  for (const ActuatorSpec& actuator : numbers.scene().spec().actuators) {
    ++k;
    if (actuator.kind == ActuatorKind::force) continue;
    if (actuator.kind == ActuatorKind::follow) {
      if (present[static_cast<std::size_t>(actuator.body)] != 0) out.push_back(k);
      continue;
    }
    if (!joint_present(numbers.scene().spec().joints[static_cast<std::size_t>(actuator.joint)], present)) continue;
    // Without gains to speak of a position servo does nothing.
    const double gain = (h > 0.0 ? h : 1.0) * numbers.stiffness(k) + numbers.damping(k);
    if (actuator.kind != ActuatorKind::position_servo || (h > 0.0 ? h : 1.0) * gain > least_gain) out.push_back(k);
  }
  return out;
}

}  // namespace pegrasp::reference::spatial
