// SPDX-License-Identifier: Apache-2.0
#include "src/scene/coupling.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

SpatialPose placed_frame(const SceneSpec& scene, int body, const SpatialPose& frame) {
  return body < 0 ? frame : start_pose(scene.bodies[static_cast<std::size_t>(body)].spatial()) * frame;
}

Pose placed_frame(const SceneSpec& scene, int body, const Pose& frame) {
  if (body < 0) return frame;
  const Pose base = scene.bodies[static_cast<std::size_t>(body)].planar().pose;
  const double c = std::cos(base.theta);
  const double s = std::sin(base.theta);
  return {base.x + c * frame.x - s * frame.y, base.y + s * frame.x + c * frame.y, base.theta + frame.theta};
}

// Whether a coupling before this one connects its two joints already, directly or through others.
bool closes_cycle(const SceneSpec& scene, std::size_t index) {
  std::vector<std::size_t> root(scene.joints.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto root_of = [&](int joint) {
    auto at = static_cast<std::size_t>(joint);
    while (root[at] != at) at = root[at];
    return at;
  };
  for (std::size_t k = 0; k < index; ++k) {
    root[root_of(scene.couplings[k].joint)] = root_of(scene.couplings[k].of_joint);
  }
  return root_of(scene.couplings[index].joint) == root_of(scene.couplings[index].of_joint);
}

}  // namespace

std::optional<std::string> coupling_fault(const SceneSpec& scene, std::size_t index) {
  const CouplingSpec& coupling = scene.couplings[index];
  const int count = static_cast<int>(scene.joints.size());
  for (const int joint : {coupling.joint, coupling.of_joint}) {
    if (joint < 0 || joint >= count) return "names no joint of the scene; name two of its joints";
  }
  for (const int joint : {coupling.joint, coupling.of_joint}) {
    const JointSpec& spec = scene.joints[static_cast<std::size_t>(joint)];
    if (spec.kind == JointKind::revolute || spec.kind == JointKind::prismatic) continue;
    const char* kind = spec.kind == JointKind::fixed      ? "is fixed"
                       : spec.kind == JointKind::distance ? "is a spring"
                                                          : "has several coordinates";
    return "joint \"" + spec.name + "\" " + kind + "; couple revolute and prismatic joints";
  }
  const std::string& name = scene.joints[static_cast<std::size_t>(coupling.joint)].name;
  if (coupling.joint == coupling.of_joint) {
    return "joint \"" + name + "\" cannot depend on itself; name two different joints";
  }
  if (closes_cycle(scene, index)) {
    return "closes a cycle: couplings before it connect joint \"" + name + "\" with joint \"" +
           scene.joints[static_cast<std::size_t>(coupling.of_joint)].name + "\" already; remove one of them";
  }
  if (!std::isfinite(coupling.factor) || !std::isfinite(coupling.offset)) {
    return "factor and offset must be finite numbers";
  }
  return {};
}

double start_coordinate(const SceneSpec& scene, const JointSpec& joint) {
  const bool turns = joint.kind == JointKind::revolute;
  if (!scene.spatial) {
    const Pose a = placed_frame(scene, joint.body_a, joint.planar().a);
    const Pose b = placed_frame(scene, joint.body_b, joint.planar().b);
    if (joint.kind == JointKind::distance) return std::hypot(b.x - a.x, b.y - a.y);
    return turns ? b.theta - a.theta : std::cos(a.theta) * (b.x - a.x) + std::sin(a.theta) * (b.y - a.y);
  }
  const SpatialPose apart = inverse(placed_frame(scene, joint.body_a, joint.spatial().a)) *
                            placed_frame(scene, joint.body_b, joint.spatial().b);
  if (joint.kind == JointKind::distance) return length(apart.position);
  if (!turns) return apart.position.z;
  constexpr double whole = 6.283185307179586;
  const double turn = 2.0 * std::atan2(apart.turn.z, apart.turn.w);
  return turn - whole * std::round(turn / whole);
}

}  // namespace pegrasp
