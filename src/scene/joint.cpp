// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "pegrasp/scene.hpp"
#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

// A pose of the world in the frame of a body at the start, or (body < 0) in the world.
SpatialPose seen_from(const SceneSpec& scene, int body, const SpatialPose& pose) {
  return body < 0 ? pose : inverse(start_pose(scene.bodies[static_cast<std::size_t>(body)].spatial())) * pose;
}

Pose seen_from(const SceneSpec& scene, int body, const Pose& pose) {
  if (body < 0) return pose;
  const Pose base = scene.bodies[static_cast<std::size_t>(body)].planar().pose;
  const double c = std::cos(base.theta);
  const double s = std::sin(base.theta);
  const double x = pose.x - base.x;
  const double y = pose.y - base.y;
  return {c * x + s * y, c * y - s * x, pose.theta - base.theta};
}

}  // namespace

bool drives_ball(const SceneSpec& scene, const ActuatorSpec& actuator) {
  return actuator.joint >= 0 && actuator.joint < static_cast<int>(scene.joints.size()) &&
         scene.joints[static_cast<std::size_t>(actuator.joint)].kind == JointKind::spherical;
}

JointSpec make_joint(const SceneSpec& scene, const std::string& name, JointKind kind, int body_a, int body_b,
                     Vec3 anchor, Vec3 axis) {
  const int count = static_cast<int>(scene.bodies.size());
  if (body_a < -1 || body_a >= count || body_b < 0 || body_b >= count || body_a == body_b) {
    throw std::invalid_argument((kind == JointKind::distance ? "spring \"" : "joint \"") + name +
                                "\": it needs two different bodies of the scene");
  }
  JointSpec joint;
  joint.name = name;
  joint.kind = kind;
  joint.body_a = body_a;
  joint.body_b = body_b;
  const double size = length(axis);
  if (scene.spatial) {
    if (!(size > 0.0) || !std::isfinite(size)) {
      throw std::invalid_argument("joint \"" + name + "\": the axis has no direction");
    }
    const SpatialPose place{anchor, turn_of_z_to((1.0 / size) * axis)};
    joint.frames = SpatialFrames{seen_from(scene, body_a, place), seen_from(scene, body_b, place)};
    return joint;
  }
  const bool slides = kind == JointKind::prismatic || kind == JointKind::distance;
  if (slides && (!(std::hypot(axis.x, axis.y) > 0.0) || axis.z != 0.0)) {
    throw std::invalid_argument("joint \"" + name + "\": the axis of a planar sliding joint lies in 2D");
  }
  const Pose place{anchor.x, anchor.y, slides ? std::atan2(axis.y, axis.x) : 0.0};
  joint.frames = PlanarFrames{seen_from(scene, body_a, place), seen_from(scene, body_b, place)};
  return joint;
}

}  // namespace pegrasp
