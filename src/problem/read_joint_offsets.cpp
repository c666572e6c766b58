// SPDX-License-Identifier: Apache-2.0
// Reader of [[joint_offset]]: joints that start beside where the scene describes their bodies.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "pegrasp/names.hpp"
#include "src/problem/readers.hpp"
#include "src/scene/coupling.hpp"
#include "src/text/name_rule.hpp"

namespace pegrasp {
namespace {

bool has_turn(const JointSpec& joint) { return joint.kind == JointKind::revolute; }
const JointSpec& joint_at(const SceneSpec& scene, int joint) { return scene.joints[static_cast<std::size_t>(joint)]; }
const BodySpec& body_at(const SceneSpec& scene, int body) { return scene.bodies[static_cast<std::size_t>(body)]; }

// A joint that moves by `factor` times the offset.
struct MovedJoint {
  int joint;
  double factor;
};

// The joint itself and those that couplings move along with it.
std::vector<MovedJoint> moved_joints(Section& section, const SceneSpec& scene, int joint) {
  std::vector<MovedJoint> out{{joint, 1.0}};
  const auto add = [&](int other, double factor) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const MovedJoint& m) { return m.joint == other; });
    if (!known) out.push_back({other, factor});
  };
  for (std::size_t k = 0; k < out.size(); ++k) {
    const MovedJoint from = out[k];
    for (const CouplingSpec& coupling : scene.couplings) {
      if (coupling.of_joint == from.joint) add(coupling.joint, from.factor * coupling.factor);
      if (coupling.joint != from.joint) continue;
      if (coupling.factor == 0.0) {
        section.fail("joint", "is held by coupling \"" + coupling.name + "\", whose factor is 0; remove the offset");
      }
      add(coupling.of_joint, from.factor / coupling.factor);
    }
  }
  return out;
}

// The smallest and the largest coordinate at which the scene, or a grasp, lets a joint start.
JointRange described_range(const Problem& problem, const JointSpec& joint) {
  const double described = start_coordinate(problem.scene, joint);
  JointRange range{described, described};
  const GraspCells& cells = problem.grasps;
  const auto place = [&](int body) {
    return static_cast<std::size_t>(std::find(cells.gripper.begin(), cells.gripper.end(), body) -
                                    cells.gripper.begin());
  };
  if (!cells.given() || joint.body_a < 0 || place(joint.body_b) >= cells.gripper.size()) return range;
  SceneSpec scene;  // the two bodies and nothing else
  scene.spatial = true;
  scene.bodies = {body_at(problem.scene, joint.body_a), body_at(problem.scene, joint.body_b)};
  JointSpec own = joint;
  own.body_a = 0;
  own.body_b = 1;
  bool first = true;
  std::vector<double> values;
  cells.list->for_each([&](const Grasp& grasp) {
    values.clear();
    cells.append_values(grasp, values);
    const auto put = [&](int body, std::size_t at) {
      if (at == 0 || at >= cells.gripper.size()) return;  // the base carries the others from where it is described
      const double* v = &values[at * 7];
      scene.bodies[static_cast<std::size_t>(body)].spatial().pose = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    };
    put(0, place(joint.body_a));
    put(1, place(joint.body_b));
    const double at = start_coordinate(scene, own);
    range = first ? JointRange{at, at} : JointRange{std::min(range.low, at), std::max(range.high, at)};
    first = false;
  });
  return range;
}

// What the limits of the joints that it moves leave to an offset. A turn stays within half a turn.
Range allowed_offsets(const Problem& problem, const std::vector<MovedJoint>& moved) {
  constexpr double half_turn = 3.14159265358979312;
  // The coordinates are known up to rounding, and a finger that is open as far as it goes may start there.
  const auto tidy = [](double x) { return std::fabs(x) < 1.0 ? std::round(1e9 * x) / 1e9 : x; };
  Range out;
  for (const MovedJoint& m : moved) {
    const JointSpec& joint = joint_at(problem.scene, m.joint);
    std::optional<JointRange> limits = has_turn(joint) ? joint.turn : joint.slide;
    const JointRange at = described_range(problem, joint);
    if (!limits && has_turn(joint)) limits = JointRange{at.low - half_turn, at.high + half_turn};
    if (!limits || m.factor == 0.0) continue;
    double low = (limits->low - at.low) / m.factor, high = (limits->high - at.high) / m.factor;
    if (m.factor < 0.0) std::swap(low, high);
    out.low = std::max(out.low, tidy(low));
    out.high = std::min(out.high, tidy(high));
  }
  return out;
}

// Finds the bodies beyond a joint: its second one and those that joints hang on it.
std::vector<int> bodies_beyond(const SceneSpec& scene, const JointSpec& first) {
  std::vector<int> out{first.body_b};
  for (std::size_t k = 0; k < out.size(); ++k) {
    for (const JointSpec& joint : scene.joints) {
      if (joint.kind == JointKind::distance) continue;  // springs hold nothing
      const bool known = std::find(out.begin(), out.end(), joint.body_b) != out.end();
      if (joint.body_a == out[k] && !known && joint.body_b != first.body_a) out.push_back(joint.body_b);
    }
  }
  return out;
}

// What keeps the bodies beyond a joint from being moved, after "joint ...", or nothing.
std::string hindrance(const SceneSpec& scene, int number, const std::vector<int>& moved,
                      const std::vector<char>& varies) {
  const auto is_moved = [&](int body) { return std::find(moved.begin(), moved.end(), body) != moved.end(); };
  for (const int body : moved) {
    const std::string name = "body \"" + body_at(scene, body).name + "\", ";
    if (body_at(scene, body).kind != BodyKind::dynamic) return name + "which is not dynamic; swap `between`";
    if (follows_keyframes(scene, body)) return name + "which follows a motion of its own; make its motion uncertain";
    if (varies[static_cast<std::size_t>(body)] != 0) return name + "whose own pose varies; remove one of the two";
  }
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    const JointSpec& joint = scene.joints[k];
    if (joint.kind == JointKind::distance) continue;
    const bool torn = (joint.body_a >= 0 && is_moved(joint.body_a)) != is_moved(joint.body_b);
    if (torn && static_cast<int>(k) != number) {
      return "a body that joint \"" + joint.name + "\" holds as well, and would tear that; remove the offset";
    }
  }
  return {};
}

}  // namespace

Node read_joint_offsets(ReadContext& context, const Node* node, Problem& problem) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "joint_offset")) {
    Section section(context, item, "joint_offset[" + std::to_string(resolved.size()) + "]", keys::joint_offset);
    const int number = read_joint_name(section, "joint", problem.scene);
    const JointSpec& joint = joint_at(problem.scene, number);
    if (is_spring(joint)) section.fail("joint", "names a spring, which holds no body in a place; name a joint");
    if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic) {
      section.fail("joint", "is neither revolute nor prismatic; make the pose of its second body uncertain");
    }
    section.set_label(joint.name);
    const std::vector<MovedJoint> moved = moved_joints(section, problem.scene, number);
    for (const MovedJoint& m : moved) {
      for (const JointOffset& other : problem.joint_offsets) {
        if (other.joint != m.joint) continue;
        section.fail("joint", "moves joint \"" + joint_at(problem.scene, m.joint).name +
                                  "\", which another offset moves already; keep one of them");
      }
    }
    const Value value = section.value("offset", has_turn(joint) ? quantity::angle : quantity::length, {},
                                      allowed_offsets(problem, moved));
    context.uncertainties->use(value);
    const bool drawn = value.parameter >= 0;
    for (const MovedJoint& m : moved) {
      JointOffset offset;
      offset.joint = m.joint;
      offset.parameter = value.parameter;
      offset.nominal = drawn && !value.add ? 0.0 : m.factor * value.nominal;
      offset.factor = m.factor * value.factor;
      offset.entry = static_cast<int>(resolved.size());
      problem.joint_offsets.push_back(std::move(offset));
    }
    resolved.push_back(section.finish(true));
  }
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

void place_joint_offsets(ReadContext& context, const Node* node, Problem& problem) {
  if (problem.joint_offsets.empty()) return;
  const std::vector<char> varies = varying_poses(problem);
  for (JointOffset& offset : problem.joint_offsets) {
    const JointSpec& joint = joint_at(problem.scene, offset.joint);
    offset.moved = bodies_beyond(problem.scene, joint);
    offset.as_described = joint.body_a >= 0 && varies[static_cast<std::size_t>(joint.body_a)] != 0;
    const std::string what = hindrance(problem.scene, offset.joint, offset.moved, varies);
    if (what.empty()) continue;
    const auto entry = static_cast<std::size_t>(offset.entry);
    context.fail(&node->items[entry], "joint_offset[" + std::to_string(entry) + "]",
                 "joint \"" + joint.name + "\" would move " + what);
  }
}

}  // namespace pegrasp
