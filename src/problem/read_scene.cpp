// SPDX-License-Identifier: Apache-2.0
// Readers of [[friction]], of the pairs without contact and of [[actuator]].
#include <algorithm>

#include "pegrasp/names.hpp"
#include "src/problem/readers.hpp"
#include "src/sampling/distributions.hpp"
#include "src/scene/coupling.hpp"
#include "src/scene/motor_limits.hpp"
#include "src/text/default_names.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

std::array<int, 2> read_between(Section& section, const SceneSpec& scene) {
  const std::vector<std::string> names = section.texts("between", 2, 2);
  ReadContext& context = section.context();
  const Node* node = section.raw("between");
  const std::array<int, 2> pair{find_body(context, node, section.at("between"), scene, names[0]),
                                find_body(context, node, section.at("between"), scene, names[1])};
  if (pair[0] == pair[1]) section.fail("between", "names the same body twice; name two bodies");
  return pair;
}

bool same_pair(int a, int b, int c, int d) { return (a == c && b == d) || (a == d && b == c); }

// The target key and its quantity for one kind of actuator, along an axis and about z.
struct DriveKeys {
  const char* target;
  const Quantity* target_quantity;
  const char* limit;
  const Quantity* limit_quantity;
};

DriveKeys drive_keys(ActuatorKind kind, bool rotary) {
  using namespace quantity;
  const char* limit = rotary ? "max_torque" : "max_force";
  const Quantity* limit_quantity = rotary ? &torque : &force;
  switch (kind) {
    case ActuatorKind::force:
      return {rotary ? "torque" : "force", rotary ? &torque : &force, nullptr, nullptr};
    case ActuatorKind::velocity_servo:
      return {"speed", rotary ? &angular_speed : &speed, limit, limit_quantity};
    case ActuatorKind::position_servo:
    case ActuatorKind::follow:  // no kind that files have
      break;
  }
  return {"position", rotary ? &angle : &quantity::length, limit, limit_quantity};
}

// Reads the body or the joint that an actuator drives; returns its name.
std::string read_driven(Section& section, const SceneSpec& scene, ActuatorSpec& actuator) {
  ReadContext& context = section.context();
  if (section.has("joint") || (scene.spatial && !section.has("body"))) {
    if (section.has("body")) section.fail("body", "stands beside joint; name what is driven once");
    actuator.joint = read_joint_name(section, "joint", scene);
    return scene.joints[static_cast<std::size_t>(actuator.joint)].name;
  }
  const std::string body = section.text("body", {});
  actuator.body = find_body(context, section.raw("body"), section.at("body"), scene, body);
  if (scene.bodies[static_cast<std::size_t>(actuator.body)].kind != BodyKind::dynamic) {
    section.fail("body", "\"" + printable(body) + "\" is not dynamic, so nothing can push it; name a dynamic body");
  }
  if (scene.spatial) section.fail("body", "is driven through a joint in 3D; add [[joint]] and name it here");
  return body;
}

Node read_actuator(ReadContext& context, const Node& node, int index, SceneSpec& scene) {
  Section section(context, &node, "actuator[" + std::to_string(index) + "]", keys::actuator);
  const int slot = static_cast<int>(scene.actuators.size());  // behind the motors of bodies with a limited force
  ActuatorSpec actuator;
  const std::string driven = read_driven(section, scene, actuator);
  actuator.name = section.text("name", default_actuator_name(driven, static_cast<std::size_t>(index)));
  // The default is made of the name of a joint or body, which may come from a URDF and hold points.
  const bool by_default = actuator.name == default_actuator_name(driven, static_cast<std::size_t>(index));
  if (!by_default && !is_name(actuator.name)) section.fail("name", name_rule);
  for (const ActuatorSpec& other : scene.actuators) {
    if (other.name == actuator.name) section.fail("name", "is the name of another actuator; give each its own");
  }
  section.set_label(actuator.name);
  actuator.kind = static_cast<ActuatorKind>(section.choice("kind", actuator_names(), {}));
  const JointSpec* joint = actuator.joint < 0 ? nullptr : &scene.joints[static_cast<std::size_t>(actuator.joint)];
  actuator.rotary = section.boolean(
      "rotary", joint != nullptr && (joint->kind == JointKind::revolute || joint->kind == JointKind::spherical));
  if (!actuator.rotary && joint == nullptr) actuator.axis = section.direction("axis", Vec2{1.0, 0.0});

  const auto bound = [&](const std::string& key, const Quantity& quantity, int component, const Range& range,
                         std::optional<double> fallback) {
    const Value value = section.value(key, quantity, fallback, range);
    context.uncertainties->bind(context, value, section.at(key), {Kind::actuator, slot, component});
    return value.nominal;
  };
  const DriveKeys keys = drive_keys(actuator.kind, actuator.rotary);
  const bool ball = drives_ball(scene, actuator);
  if (ball && !actuator.rotary) section.fail("rotary", "is false, but a spherical joint only turns; remove it");
  if (ball) refuse_scalar_target(section, keys.target, *keys.target_quantity);
  read_program(section, keys.target, *keys.target_quantity, ball, actuator);
  const std::optional<double> no_target = actuator.program.empty() && !ball ? std::optional<double>{} : 0.0;
  const auto target = [&](const std::string& key, int component) {
    const bool turn = ball && actuator.kind == ActuatorKind::position_servo;
    return bound(key, *keys.target_quantity, ParameterLayout::target_component(component),
                 turn ? spatial_turns : any_number, no_target);
  };
  if (ball) {
    const std::string base = keys.target;
    actuator.ball = {target(base + "_x", 0), target(base + "_y", 1), target(base + "_z", 2)};
  } else {
    actuator.target = target(keys.target, 0);
  }
  if (keys.limit != nullptr) {
    const bool known = joint != nullptr && joint->most_force > 0.0;
    actuator.limit = bound(keys.limit, *keys.limit_quantity, 1, not_negative,
                           known ? std::optional<double>{joint->most_force} : std::nullopt);
  }
  if (actuator.kind == ActuatorKind::position_servo) {
    const bool rotary = actuator.rotary;
    actuator.stiffness =
        bound("stiffness", rotary ? quantity::rotary_stiffness : quantity::stiffness, 2, not_negative, {});
    actuator.damping = bound("damping", rotary ? quantity::rotary_damping : quantity::damping, 3, not_negative, 0.0);
  }
  if (const auto fault = motor_fault(scene, actuator)) section.fail("kind", *fault);
  scene.actuators.push_back(actuator);
  return section.finish(true);
}

Node expanded_list(std::vector<Node> items) {
  Node list = Node::list(std::move(items));
  list.expanded = true;
  return list;
}

}  // namespace

void begin_servos(ReadContext& context, const Node* node, Problem& problem) {
  SceneSpec& scene = problem.scene;
  for (ActuatorSpec& actuator : scene.actuators) {
    if (actuator.joint < 0) continue;
    double start = start_coordinate(scene, scene.joints[static_cast<std::size_t>(actuator.joint)]);
    for (const JointOffset& offset : problem.joint_offsets) {
      if (offset.joint != actuator.joint) continue;
      start += offset.nominal;
      if (offset.parameter < 0) continue;
      const auto drawn = static_cast<std::size_t>(offset.parameter);
      start += offset.factor * central_value(problem.uncertain[drawn].distribution);
    }
    if (const auto fault = begin_no_faster(scene, start, actuator))
      context.fail(node, "actuator", "\"" + printable(actuator.name) + "\" " + *fault);
  }
}

Node read_no_contact(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "no_contact")) {
    Section section(context, item, "no_contact[" + std::to_string(resolved.size()) + "]", keys::no_contact);
    scene.ignored_pairs.push_back(read_between(section, scene));
    resolved.push_back(section.finish(true));
  }
  return expanded_list(std::move(resolved));
}

Node read_friction(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "friction")) {
    Section section(context, item, "friction[" + std::to_string(resolved.size()) + "]", keys::friction);
    const std::array<int, 2> pair = read_between(section, scene);
    for (const FrictionPair& other : scene.friction) {
      if (same_pair(other.body_a, other.body_b, pair[0], pair[1])) {
        section.fail("between", "names a pair that has its friction already; remove one of the two");
      }
    }
    if (!may_touch(scene, pair[0], pair[1])) {
      section.fail("between", "names two bodies that can never touch (neither is dynamic, or no_contact); remove it");
    }
    section.set_label("friction." + scene.bodies[static_cast<std::size_t>(pair[0])].name + "." +
                      scene.bodies[static_cast<std::size_t>(pair[1])].name);
    const Value mu = section.value("mu", quantity::friction, {}, not_negative);
    context.uncertainties->bind(context, mu, section.at("mu"), {Kind::friction, pair[0], pair[1]});
    FrictionPair friction{pair[0], pair[1], mu.nominal};
    if (scene.spatial) {
      friction.torsion = section.number("torsion", quantity::length, 0.0, not_negative);
      friction.rolling = section.number("rolling", quantity::length, 0.0, not_negative);
    }
    scene.friction.push_back(friction);
    resolved.push_back(section.finish(true));
  }
  return expanded_list(std::move(resolved));
}

Node read_actuators(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "actuator")) {
    resolved.push_back(read_actuator(context, *item, static_cast<int>(resolved.size()), scene));
  }
  return expanded_list(std::move(resolved));
}

}  // namespace pegrasp
