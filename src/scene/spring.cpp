// SPDX-License-Identifier: Apache-2.0
// Springs between two points (Berard's thesis, 2.125-2.132): a distance joint, and servos on it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "pegrasp/names.hpp"
#include "pegrasp/scene.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

constexpr double no_bound = 1e9;  // on the force of a spring [N]

JointSpec distance_joint(const SceneSpec& scene, const SpringSpec& spring) {
  const Vec3 apart = spring.point_b - spring.point_a;
  Vec3 axis = scene.spatial ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0};
  if (length(apart) > 0.0) axis = (1.0 / length(apart)) * apart;
  const auto at = [&](Vec3 point) {
    return make_joint(scene, spring.name, JointKind::distance, spring.body_a, spring.body_b, point, axis);
  };
  JointSpec joint = at(spring.point_a);
  const JointSpec second = at(spring.point_b);
  if (scene.spatial) {
    joint.spatial().b = second.spatial().b;
  } else {
    joint.planar().b = second.planar().b;
  }
  joint.collide = true;
  return joint;
}

void check(const SpringSpec& spring) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("spring \"" + spring.name + "\": " + what);
  };
  const auto counts = [](double value) { return value >= 0.0 && std::isfinite(value); };
  if (!counts(spring.stiffness)) refuse("its stiffness must be a number, 0 or more");
  if (!counts(spring.rest_length)) refuse("its length at rest must be a number, 0 or more");
  if (!counts(spring.damping) || !counts(spring.across_damping)) refuse("its damping must be a number, 0 or more");
}

}  // namespace

std::string joint_words(const JointSpec& joint) {
  return (is_spring(joint) ? "spring \"" : "joint \"") + joint.name + "\"";
}

std::string joint_words(const SceneSpec& scene) {
  return std::all_of(scene.joints.begin(), scene.joints.end(), is_spring) ? "springs" : "joints";
}

std::string motor_words(const SceneSpec& scene, const ActuatorSpec& actuator) {
  const bool held = actuator.joint >= 0 && actuator.joint < static_cast<int>(scene.joints.size());
  if (held && is_spring(scene.joints[static_cast<std::size_t>(actuator.joint)]))
    return joint_words(scene.joints[static_cast<std::size_t>(actuator.joint)]);
  return "motor \"" + actuator.name + "\"";
}

int add_spring(SceneSpec& scene, const SpringSpec& spring) {
  check(spring);
  JointSpec joint = distance_joint(scene, spring);
  const int first = static_cast<int>(scene.actuators.size());
  ActuatorSpec along;
  along.name = spring.name;
  along.joint = static_cast<int>(scene.joints.size());
  along.kind = ActuatorKind::position_servo;
  along.target = spring.rest_length;
  along.limit = no_bound;
  along.stiffness = spring.stiffness;
  along.damping = spring.damping;
  scene.joints.push_back(joint);
  scene.actuators.push_back(along);
  if (!spring.damps_across) return first;
  const int directions = scene.spatial ? 2 : 1;
  for (int k = 1; k <= directions; ++k) {
    ActuatorSpec across = along;
    across.name += directions == 1 ? ".across" : ".across_" + std::to_string(k);
    across.component = k;
    across.target = across.stiffness = 0.0;
    across.damping = spring.across_damping;
    scene.actuators.push_back(across);
  }
  return first;
}

}  // namespace pegrasp
