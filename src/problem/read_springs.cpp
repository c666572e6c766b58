// SPDX-License-Identifier: Apache-2.0
// Reader of [[spring]].
#include <stdexcept>
#include <utility>

#include "src/geometry/vectors.hpp"
#include "src/problem/readers.hpp"
#include "src/text/name_rule.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

void read_ends(Section& section, const SceneSpec& scene, SpringSpec& spring) {
  ReadContext& context = section.context();
  const std::vector<std::string> between = section.texts("between", 2, 2);
  const auto body = [&](const std::string& whose) {
    if (whose == "world") return -1;
    return find_body(context, section.raw("between"), section.at("between"), scene, whose);
  };
  spring.body_a = body(between[0]);
  spring.body_b = body(between[1]);
  const auto point = [&](const char* key) {
    const std::size_t size = scene.spatial ? 3 : 2;
    const std::vector<double> v = section.numbers(key, quantity::length, size, size);
    return Vec3{v[0], v[1], scene.spatial ? v[2] : 0.0};
  };
  spring.point_a = point("from");
  spring.point_b = point("to");
  if (spring.body_a == spring.body_b)
    section.fail("between", "names one body twice, and a spring acts between two; name another one");
  const auto moves = [&](int k) {
    return k >= 0 && scene.bodies[static_cast<std::size_t>(k)].kind == BodyKind::dynamic;
  };
  if (!moves(spring.body_a) && !moves(spring.body_b))
    section.fail("between", "names no body that a spring could move; name a dynamic body");
  if (spring.body_b < 0) {  // the world comes first
    std::swap(spring.body_a, spring.body_b);
    std::swap(spring.point_a, spring.point_b);
  }
}

Node read_spring(ReadContext& context, const Node& node, std::size_t index, SceneSpec& scene) {
  Section section(context, &node, "spring[" + std::to_string(index) + "]", keys::spring);
  SpringSpec spring;
  spring.name = section.text("name", "spring_" + std::to_string(index + 1));
  if (!is_name(spring.name)) section.fail("name", name_rule);
  for (const JointSpec& other : scene.joints) {
    if (other.name == spring.name) section.fail("name", "is the name of a joint or of another spring; give it its own");
  }
  for (const ActuatorSpec& other : scene.actuators) {
    if (other.name == spring.name) section.fail("name", "is the name of an actuator; give the spring its own");
  }
  section.set_label("spring." + spring.name);
  read_ends(section, scene, spring);
  const int slot = static_cast<int>(scene.actuators.size());
  // first, count: of the spring's actuators to which the value belongs
  const auto bound = [&](const std::string& key, const Quantity& quantity, int first, int count, int component,
                         std::optional<double> fallback) {
    const Value value = section.value(key, quantity, fallback, not_negative);
    for (int k = first; k < first + count; ++k) {
      context.uncertainties->bind(context, value, section.at(key), {Kind::actuator, slot + k, component});
    }
    return value.nominal;
  };
  const double begins = quantity::length.units.front().from_si(length(spring.point_b - spring.point_a));
  spring.rest_length = bound("rest_length", quantity::length, 0, 1, 0, begins);
  spring.stiffness = bound("stiffness", quantity::stiffness, 0, 1, ParameterLayout::actuator_stiffness, {});
  spring.damping = bound("damping", quantity::damping, 0, 1, ParameterLayout::actuator_damping, 0.0);
  if (section.has("across_damping", quantity::damping)) {
    spring.damps_across = true;
    spring.across_damping =
        bound("across_damping", quantity::damping, 1, scene.spatial ? 2 : 1, ParameterLayout::actuator_damping, {});
  }
  try {
    add_spring(scene, spring);
  } catch (const std::invalid_argument& error) {
    context.fail(&node, section.path(), error.what());
  }
  return section.finish(true);
}

}  // namespace

Node read_springs(ReadContext& context, const Node* node, SceneSpec& scene) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "spring"))
    resolved.push_back(read_spring(context, *item, resolved.size(), scene));
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

}  // namespace pegrasp
