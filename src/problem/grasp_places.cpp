// SPDX-License-Identifier: Apache-2.0
#include "src/problem/grasp_places.hpp"

#include <algorithm>
#include <utility>

#include "src/geometry/placement.hpp"
#include "src/text/document.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr double beyond_limit = 1e-4;  // [m | rad] by which a file may round a coordinate out of its joint's range

// The scene without the shapes, which do not matter here and may be large.
SceneSpec without_shapes(SceneSpec scene) {
  for (BodySpec& body : scene.bodies) body.spatial().parts.clear();
  return scene;
}

void append_pose(std::vector<double>& out, const SpatialPose& pose) {
  const Vec3 p = pose.position;
  const Quaternion q = pose.turn;
  out.insert(out.end(), {p.x, p.y, p.z, q.w, q.x, q.y, q.z});
}

[[noreturn]] void fail(const std::string& what) { throw UnfitGrasp(what); }

}  // namespace

const double* value_of(const std::vector<GraspJoint>& list, const std::string& name) {
  for (const GraspJoint& one : list) {
    if (one.name == name) return &one.value;
  }
  return nullptr;
}

std::vector<double> GraspCells::values(std::size_t first, std::size_t count) const {
  std::vector<double> out;
  out.reserve(count * slot.size());
  list->for_each(first, count, [&](const Grasp& grasp) { append_values(grasp, out); });
  return out;
}

GraspPlaces::GraspPlaces(const SceneSpec& scene, int base, int part, const GraspFrames& frames,
                         const ProtocolStart& start, std::vector<Finger> fingers)
    : scene_(without_shapes(scene)),
      gripper_(scene_, base),
      part_(start_pose(scene_.bodies[static_cast<std::size_t>(part)].spatial())),
      frames_(frames),
      start_(start),
      fingers_(std::move(fingers)) {}

void GraspPlaces::append(const Grasp& grasp, std::vector<double>& out) const {
  SpatialPose base = part_ * gripper_pose(grasp, frames_);
  base.position = base.position + turned(base.turn, start_.own) + start_.world;
  const std::vector<SpatialPose> frames = gripper_.place(coordinates(grasp));
  append_pose(out, base);
  for (std::size_t k = 1; k < frames.size(); ++k) append_pose(out, frames[k]);
}

std::vector<double> GraspPlaces::coordinates(const Grasp& grasp) const {
  std::vector<double> out = gripper_.described();
  const std::vector<std::string> known = gripper_.joint_names();
  for (const std::vector<GraspJoint>* list : {&grasp.joints, &grasp.open_joints}) {
    for (const GraspJoint& one : *list) {
      if (std::find(known.begin(), known.end(), one.name) != known.end()) continue;
      fail("the gripper has no joint \"" + printable(one.name) + "\"" + suggestion(one.name, known));
    }
  }
  double sharing = 0.0;  // fingers, which share an opening
  for (const Finger& finger : fingers_) sharing += gripper_.joints_with(finger.joint);
  for (const Finger& finger : fingers_) {
    double& at = out[gripper_.index_of(finger.joint)];
    at = finger.open;
    if (!grasp.opening) continue;
    const double sign = finger.closed < finger.open ? 1.0 : -1.0;
    at = finger.closed + sign * *grasp.opening / sharing;
    if (joint(finger.joint).kind == JointKind::revolute)
      fail("has an opening, but the fingers turn; give their angles");
  }
  for (const int number : gripper_.joints()) {
    const std::string& name = joint(number).name;
    const double* open = value_of(grasp.open_joints, name);
    const double* held = value_of(grasp.joints, name);
    double& at = out[gripper_.index_of(number)];
    if (open != nullptr) {
      at = *open;
    } else if (held != nullptr && !grasp.opening) {
      at = *held;
    }
  }
  gripper_.couple(out);
  for (const int number : gripper_.joints()) {
    const std::string& name = joint(number).name;
    double& at = out[gripper_.index_of(number)];
    const std::optional<JointRange> range = gripper_.range(number);
    if (!range) continue;
    if (at < range->low - beyond_limit || at > range->high + beyond_limit) {
      fail("places joint \"" + name + "\" at " + write_real(at) + ", outside of its limits " + write_real(range->low) +
           " to " + write_real(range->high) + "; correct the grasp or the limits");
    }
    at = std::clamp(at, range->low, range->high);
  }
  return out;
}

}  // namespace pegrasp
