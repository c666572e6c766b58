// SPDX-License-Identifier: Apache-2.0
// What becomes of joints where the poses of bodies are uncertain or follow the grid. Such a body carries the dynamic
// bodies that joints hang on it (those in which it is the first body, theirs, and so on) unless their own poses vary,
// and each other joint is placed where the bodies start.
#include <string>

#include "src/problem/readers.hpp"

namespace pegrasp {
namespace {

bool is_dynamic(const BodySpec& body) { return body.kind == BodyKind::dynamic; }

// carrier: the body with which each body moves from where the scene describes it: itself where its own pose varies; -1
// where nothing moves it.
class Coupling {
 public:
  Coupling(SceneSpec& scene, const std::vector<char>& varies) : scene_(scene), varies_(varies) {
    for (std::size_t body = 0; body < varies.size(); ++body) {
      carrier_.push_back(varies[body] != 0 ? static_cast<int>(body) : -1);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const JointSpec& joint : scene.joints) {
        if (!holds(joint) || carrier_[index(joint.body_b)] >= 0 || !follows(joint) || carrier_of(joint.body_a) < 0)
          continue;
        carrier_[index(joint.body_b)] = carrier_of(joint.body_a);
        changed = true;
      }
    }
  }

  // Refuses bodies that two joints would carry to different places. robot_joints: those of robots, whose joints come
  // first and cannot be moved.
  void check(ReadContext& context, const Node* node, std::size_t robot_joints) const {
    for (std::size_t k = 0; k < scene_.joints.size(); ++k) {
      const JointSpec& joint = scene_.joints[k];
      const BodySpec& body = scene_.bodies[index(joint.body_b)];
      const bool torn = carrier_of(joint.body_a) != carrier_of(joint.body_b);
      if (!torn || !holds(joint) || (k >= robot_joints && (!follows(joint) || still(joint.body_a)))) continue;
      const int carrier = carrier_of(joint.body_b) >= 0 ? carrier_of(joint.body_b) : carrier_of(joint.body_a);
      const bool listed = node != nullptr && k >= robot_joints;
      context.fail(listed ? &node->items[k - robot_joints] : node, "joint." + joint.name,
                   "cannot hold body \"" + body.name + "\", which other joints carry along with body \"" +
                       scene_.bodies[index(carrier)].name +
                       "\", whose pose varies; let the poses of both its bodies vary together, or of neither");
    }
  }

  void apply() const {
    for (std::size_t body = 0; body < carrier_.size(); ++body) {
      scene_.bodies[body].carried_by = varies_[body] != 0 ? -1 : carrier_[body];
    }
    for (JointSpec& joint : scene_.joints) {
      if (!holds(joint) || carrier_of(joint.body_a) == carrier_of(joint.body_b)) continue;
      joint.anchor = carrier_of(joint.body_b) >= 0 ? JointAnchor::by_second : JointAnchor::by_first;
    }
  }

 private:
  static bool holds(const JointSpec& joint) { return joint.kind != JointKind::distance; }
  static std::size_t index(int body) { return static_cast<std::size_t>(body); }
  int carrier_of(int body) const { return body < 0 ? -1 : carrier_[index(body)]; }
  // Whether the second body of the joint goes where the first one goes.
  bool follows(const JointSpec& joint) const {
    return is_dynamic(scene_.bodies[index(joint.body_b)]) && varies_[index(joint.body_b)] == 0;
  }
  // Whether a body, or the world, stays where it is described whatever its joints hold.
  bool still(int body) const { return body < 0 || (!is_dynamic(scene_.bodies[index(body)]) && carrier_of(body) < 0); }

  SceneSpec& scene_;
  const std::vector<char>& varies_;
  std::vector<int> carrier_;
};

}  // namespace

std::vector<char> varying_poses(const Problem& problem) {
  const ParameterLayout layout = parameter_layout(problem.scene);
  std::vector<char> varies(problem.scene.bodies.size(), 0);
  const auto look_at = [&](const std::vector<int>& slots) {
    for (const int slot : slots) {
      for (int body = 0; body < layout.body_count; ++body) {
        const auto within = [slot](int first, int count) { return slot >= first && slot < first + count; };
        const bool turned = layout.spatial && (within(layout.tilt(body), 3) || slot == layout.yaw(body));
        if (turned || within(layout.pose(body), layout.pose_size())) varies[static_cast<std::size_t>(body)] = 1;
      }
    }
  };
  for (const UncertainParameter& parameter : problem.uncertain) look_at(parameter.target);
  look_at(problem.grid.x_target);
  look_at(problem.grid.y_target);
  // Of a gripper that grasps place, the base carries the others.
  if (!problem.grasps.gripper.empty()) look_at({layout.pose(problem.grasps.gripper.front())});
  return varies;
}

void couple_bodies(ReadContext& context, const Node* node, Problem& problem, std::size_t robot_joints) {
  if (problem.scene.joints.empty()) return;
  const std::vector<char> varies = varying_poses(problem);
  const Coupling coupling(problem.scene, varies);
  coupling.check(context, node, robot_joints);
  coupling.apply();
}

}  // namespace pegrasp
