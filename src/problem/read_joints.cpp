// SPDX-License-Identifier: Apache-2.0
// Readers of [[joint]], of [[coupling]] and of the programs of actuators.
#include <algorithm>
#include <stdexcept>

#include "pegrasp/names.hpp"
#include "src/problem/readers.hpp"
#include "src/scene/coupling.hpp"
#include "src/scene/joint_limits.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

Vec3 read_vector(Section& section, const std::string& base, const Quantity& quantity, bool spatial,
                 const std::vector<double>& fallback = {}) {
  const std::vector<double> v = section.numbers(base, quantity, spatial ? 3 : 2, spatial ? 3 : 2, any_number, fallback);
  return {v[0], v[1], spatial ? v[2] : 0.0};
}

std::optional<JointRange> read_range(Section& section, const std::string& base, const Quantity& quantity) {
  if (!section.has(base, quantity)) {
    for (const Unit& unit : quantity.units) section.raw(unit_key(base, unit));
    return {};
  }
  const std::vector<double> ends = section.numbers(base, quantity, 2, 2);
  if (!(ends[0] <= ends[1])) section.fail(base, "must be [low, high] with low <= high; swap the two");
  return JointRange{ends[0], ends[1]};
}

// index: of the entry in the file, where scene.joints holds those of robots and grippers too.
Node read_joint(ReadContext& context, const Node& node, std::size_t index, SceneSpec& scene) {
  Section section(context, &node, "joint[" + std::to_string(index) + "]", keys::joint);
  const std::string name = section.text("name", "joint_" + std::to_string(scene.joints.size() + 1));
  if (!is_name(name)) section.fail("name", name_rule);
  for (const JointSpec& other : scene.joints) {
    if (other.name == name) section.fail("name", "is the name of another joint; give each its own");
  }
  section.set_label(name);
  const auto kind = static_cast<JointKind>(section.choice("kind", joint_names(), {}));
  const std::vector<std::string> between = section.texts("between", 2, 2);
  const auto body = [&](const std::string& whose) {
    return find_body(context, section.raw("between"), section.at("between"), scene, whose);
  };
  if (between[0] == "world") {
    for (const BodySpec& other : scene.bodies) {
      if (other.name == "world")
        section.fail("between", "may mean the world or the body \"world\"; give the body another name");
    }
  }
  const int a = between[0] == "world" ? -1 : body(between[0]);
  const int b = body(between[1]);
  const Vec3 anchor = read_vector(section, "anchor", quantity::length, scene.spatial);
  const bool has_axis = joint_has_axis(scene, kind, section.has("axis"), section.has("swing", quantity::angle));
  const Vec3 axis = has_axis ? read_vector(section, "axis", quantity::number, scene.spatial) : Vec3{0.0, 0.0, 1.0};
  try {
    JointSpec joint = make_joint(scene, name, kind, a, b, anchor, axis);
    joint.slide = read_range(section, "slide", quantity::length);
    joint.turn = read_range(section, "turn", quantity::angle);
    if (section.has("swing", quantity::angle)) {
      joint.swing = section.number("swing", quantity::angle, {}, Range{least_swing, most_swing});
    }
    joint.collide = section.boolean("collide", false);
    scene.joints.push_back(joint);
  } catch (const std::invalid_argument& error) {
    context.fail(&node, section.path(), error.what());
  }
  return section.finish(true);
}

Node read_coupling(ReadContext& context, const Node& node, std::size_t index, SceneSpec& scene) {
  Section section(context, &node, "coupling[" + std::to_string(index) + "]", keys::coupling);
  CouplingSpec coupling;
  coupling.name = section.text("name", "coupling_" + std::to_string(scene.couplings.size() + 1));
  if (!is_name(coupling.name)) section.fail("name", name_rule);
  for (const CouplingSpec& other : scene.couplings) {
    if (other.name == coupling.name) section.fail("name", "is the name of another coupling; give each its own");
  }
  section.set_label(coupling.name);
  coupling.joint = read_joint_name(section, "joint", scene);
  coupling.of_joint = read_joint_name(section, "of_joint", scene);
  coupling.factor = section.number("factor", quantity::number, 1.0);
  const bool turns = scene.joints[static_cast<std::size_t>(coupling.joint)].kind == JointKind::revolute;
  coupling.offset = section.number("offset", turns ? quantity::angle : quantity::length, 0.0);
  scene.couplings.push_back(coupling);
  if (const auto fault = coupling_fault(scene, scene.couplings.size() - 1)) section.fail("", *fault);
  return section.finish(true);
}

}  // namespace

int read_joint_name(Section& section, const std::string& key, const SceneSpec& scene) {
  const std::string name = section.text(key, {});
  std::vector<std::string> names;
  for (const JointSpec& joint : scene.joints) names.push_back(joint.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    section.fail(key, "there is no joint \"" + printable(name) + "\"" + suggestion(name, names));
  }
  return static_cast<int>(found - names.begin());
}

Node read_couplings(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "coupling"))
    resolved.push_back(read_coupling(context, *item, resolved.size(), scene));
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

Node read_joints(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "joint")) {
    resolved.push_back(read_joint(context, *item, resolved.size(), scene));
  }
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

void refuse_scalar_target(const Section& section, const std::string& target, const Quantity& quantity) {
  for (const Unit& unit : quantity.units) {
    if (!section.has(unit_key(target, unit))) continue;
    const auto key = [&](const char* axis) { return unit_key(target + axis, unit); };
    section.fail(unit_key(target, unit), "is one number, but a spherical joint turns about three axes; give " +
                                             key("_x") + ", " + key("_y") + ", " + key("_z"));
  }
}

void read_program(Section& section, const std::string& target, const Quantity& quantity, bool ball,
                  ActuatorSpec& actuator) {
  const Node* node = section.raw("program");
  if (node == nullptr) return;
  std::vector<Node> resolved;
  for (const Node* item : table_list(section.context(), node, section.at("program"))) {
    Section key(section.context(), item, section.at("program") + "[" + std::to_string(resolved.size()) + "]",
                keys::program);
    TargetKey entry;
    entry.time = key.number("time", quantity::long_duration, {}, not_negative);
    if (ball) {
      refuse_scalar_target(key, target, quantity);
      const Range& range = actuator.kind == ActuatorKind::position_servo ? spatial_turns : any_number;
      const auto component = [&](const char* axis) { return key.number(target + axis, quantity, 0.0, range); };
      entry.ball = {component("_x"), component("_y"), component("_z")};
    } else {
      entry.target = key.number(target, quantity, {});
    }
    if (!actuator.program.empty() && !(entry.time > actuator.program.back().time)) {
      key.fail("", "must be later than the key before it; put keys in order of time");
    }
    actuator.program.push_back(entry);
    resolved.push_back(key.finish(false));
  }
  if (actuator.program.empty()) section.fail("program", "has no keys; write program = [{ time_s = 0, ... }, ...]");
  section.put("program", Node::list(std::move(resolved)));
}

}  // namespace pegrasp
