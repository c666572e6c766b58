// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "src/geometry/vectors.hpp"
#include "src/problem/readers.hpp"
#include "src/problem/variants.hpp"
#include "src/scene/body_properties.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

void read_inertia(Section& section, int index, BodySpec& body, const Value& mass) {
  PlanarBody& form = body.planar();
  Uncertainties& uncertain = *section.context().uncertainties;
  if (section.has("inertia", quantity::inertia)) {
    const Value inertia = section.value("inertia", quantity::inertia, {}, positive);
    form.inertia = inertia.nominal;
    uncertain.bind(section.context(), inertia, section.at("inertia"), {Kind::inertia, index});
    return;
  }
  // Only a body that turns needs an inertia.
  if (body.kind != BodyKind::dynamic || body.slide_axis || !body.turns) {
    form.inertia = section.number("inertia", quantity::inertia, 1.0, positive);
    return;
  }
  Vec2 centroid;
  const double per_mass = inertia_per_mass(form.parts, centroid);
  if (!(per_mass > 0.0)) section.fail("", "has no bounded part to compute its inertia from; give inertia_kg_m2");
  const double reach = bounding_radius(body);
  if (length(centroid) > 0.01 * reach) {
    section.fail("", "has its parts centred at (" + write_real(1000.0 * centroid.x) + ", " +
                         write_real(1000.0 * centroid.y) +
                         ") mm, but the origin of a body is its centre of mass; move the parts or give inertia_kg_m2");
  }
  if (mass.parameter < 0) {
    form.inertia = per_mass * mass.nominal;
    if (!has_several_sizes(section)) section.put("inertia_kg_m2", Node::of(form.inertia));
    return;
  }
  // follows the sampled mass, so there is no one number to write out
  form.inertia = per_mass * mass.nominal;
  uncertain.bind(section.context(), mass, section.at("mass"), {Kind::inertia, index}, per_mass);
}

void read_motion(Section& section, BodySpec& body) {
  PlanarBody& form = body.planar();
  const Node* node = section.raw("motion");
  if (node == nullptr) return;
  if (body.kind != BodyKind::kinematic) section.fail("motion", "is for kinematic bodies; set kind = \"kinematic\"");
  for (const char* key : {"x_mm", "x_m", "y_mm", "y_m", "turn_deg", "turn_rad", "follows_grid", "vx_mm_s", "vy_mm_s"}) {
    if (section.has(key))
      section.fail(key, "cannot stand beside motion, which prescribes the pose; remove one of them");
  }
  std::vector<Node> resolved;
  for (const Node* item : table_list(section.context(), node, section.at("motion"))) {
    Section key(section.context(), item, section.at("motion") + "[" + std::to_string(resolved.size()) + "]",
                keys::keyframe);
    Keyframe frame;
    frame.time = key.number("time", quantity::long_duration, {}, not_negative);
    frame.pose.x = key.number("x", quantity::length, 0.0);
    frame.pose.y = key.number("y", quantity::length, 0.0);
    frame.pose.theta = key.number("turn", quantity::angle, 0.0, Range{-1e5, 1e5});
    if (!form.motion.empty() && !(frame.time > form.motion.back().time)) {
      key.fail("", "must be later than the keyframe before it; put keyframes in order of time");
    }
    form.motion.push_back(frame);
    resolved.push_back(key.finish(false));
  }
  if (form.motion.empty()) section.fail("motion", "has no keyframes; write motion = [{ time_s = 0, x_mm = 0 }, ...]");
  form.pose = form.motion.front().pose;
  section.put("motion", Node::list(std::move(resolved)));
}

void read_pose_and_velocity(Section& section, int index, BodySpec& body, BodyReadings& readings) {
  PlanarBody& form = body.planar();
  Uncertainties& uncertain = *section.context().uncertainties;
  const auto bound = [&](const char* key, const Quantity& quantity, TargetSlot slot, const Range& range) {
    const Value value = section.value(key, quantity, 0.0, range);
    uncertain.bind(section.context(), value, section.at(key), slot);
    return value.nominal;
  };
  if (form.motion.empty()) {
    form.pose.x = bound("x", quantity::length, {Kind::pose, index, 0}, any_number);
    form.pose.y = bound("y", quantity::length, {Kind::pose, index, 1}, any_number);
    const Range turns{-1e5, 1e5};
    const Value turn = section.value("turn", quantity::angle, 0.0, any_number);
    if (!(std::abs(turn.nominal) <= turns.high))
      section.fail("turn_deg", "is beyond 1e5 rad; reduce it by whole turns");
    uncertain.bind(section.context(), turn, section.at("turn"), {Kind::pose, index, 2});
    form.pose.theta = turn.nominal;
    readings.grid_factor.push_back(read_follows_grid(section));
  } else {
    readings.grid_factor.push_back({});
  }
  if (body.kind == BodyKind::fixed || !form.motion.empty() || section.has("oscillation")) return;
  form.velocity.vx = bound("vx", quantity::speed, {Kind::velocity, index, 0}, any_number);
  form.velocity.vy = bound("vy", quantity::speed, {Kind::velocity, index, 1}, any_number);
  form.velocity.omega = bound("omega", quantity::angular_speed, {Kind::velocity, index, 2}, any_number);
}

Node read_planar_parts(ReadContext& context, const Node* node, const std::string& path,
                       std::vector<ConvexPart>& parts) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, path)) {
    Node one;
    parts.push_back(read_part(context, *item, path + "[" + std::to_string(resolved.size()) + "]", parts, one));
    resolved.push_back(std::move(one));
  }
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

Node read_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings) {
  static const std::vector<std::string> kinds{"dynamic", "fixed", "kinematic"};
  const std::string path = "body[" + std::to_string(index) + "]";
  Section section(context, &node, path, keys::body);
  BodySpec body;
  body.name = section.text("name", {});
  if (!is_name(body.name)) section.fail("name", name_rule);
  for (const BodySpec& other : scene.bodies) {
    if (other.name == body.name)
      section.fail("name", "\"" + printable(body.name) + "\" is taken; give each body its own name");
  }
  section.set_label(body.name);
  body.kind = static_cast<BodyKind>(section.choice("kind", kinds, 0));
  const bool dynamic = body.kind == BodyKind::dynamic;
  read_turns(section, body);
  Uncertainties& uncertain = *context.uncertainties;

  Value mass{1.0};
  if (dynamic) {
    mass = section.value("mass", quantity::mass, {}, positive);
    uncertain.bind(context, mass, section.at("mass"), {Kind::mass, index});
    body.mass = mass.nominal;
    if (section.has("slide_axis")) body.slide_axis = section.direction("slide_axis", {});
  }

  body.shell = read_shell(section);
  read_variants(section, [&](const Node* list, const std::string& at) {
    std::vector<ConvexPart> unused;
    return read_planar_parts(context, list, at, unused);
  });
  Node parts = read_planar_parts(context, section.raw("part"), path + ".part", body.planar().parts);
  if (parts.items.empty()) section.fail("", "has no parts; add [[body.part]] with a shape");
  read_scale(section, index, body, readings);

  if (dynamic) read_inertia(section, index, body, mass);
  read_motion(section, body);
  read_repeats(section, body);
  read_oscillation(section, index, body);
  read_pose_and_velocity(section, index, body, readings);
  body.friction = section.number("friction", quantity::friction, 0.0, not_negative);
  const Value drop = section.value("drop_time", quantity::long_duration, 0.0, not_negative);
  uncertain.bind(context, drop, section.at("drop_time"), {Kind::drop_time, index});
  body.drop_time = drop.nominal;

  if (const Node* support = section.raw("support")) {
    if (!dynamic) section.fail("support", "is for dynamic bodies, which slide on the plane; remove it");
    section.put("support", read_support(context, *support, path + ".support", index, body, mass, readings));
  }
  section.put("part", std::move(parts));
  scene.bodies.push_back(std::move(body));
  read_force_limit(section, index, scene);
  return section.finish(true);
}

}  // namespace

Vec2 read_follows_grid(Section& section) {
  const Node* node = section.raw("follows_grid");
  if (node == nullptr || node->type == Node::Type::boolean) {
    const double factor = node != nullptr && node->boolean ? 1.0 : 0.0;
    section.put("follows_grid", Node::list({Node::of(factor), Node::of(factor)}));
    return {factor, factor};
  }
  if (node->type != Node::Type::array) {
    section.fail("follows_grid", "must be true, false or two factors; write true, or [1, 0] to follow in x alone");
  }
  return section.point("follows_grid", quantity::number, {});
}

std::vector<const Node*> table_list(ReadContext& context, const Node* node, const std::string& path) {
  std::vector<const Node*> out;
  if (node == nullptr) return out;
  const bool list = node->type == Node::Type::array;
  if (!list)
    context.fail(node, path,
                 std::string("must be a list of tables, got ") + type_name(*node) + "; write [[" + path + "]]");
  for (const Node& item : node->items) {
    if (item.type != Node::Type::table) {
      context.fail(&item, path,
                   std::string("must be a list of tables, got ") + type_name(item) + " in it; write [[" + path + "]]");
    }
    out.push_back(&item);
  }
  return out;
}

int find_body(ReadContext& context, const Node* node, const std::string& path, const SceneSpec& scene,
              const std::string& name) {
  std::vector<std::string> names;
  for (const BodySpec& body : scene.bodies) names.push_back(body.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    context.fail(node, path, "there is no body \"" + printable(name) + "\"" + suggestion(name, names));
  }
  return static_cast<int>(found - names.begin());
}

Node read_bodies(ReadContext& context, const Node* node, SceneSpec& scene, BodyReadings& readings) {
  std::vector<Node> resolved;
  for (const Node* item : table_list(context, node, "body")) {
    const int index = static_cast<int>(resolved.size());
    resolved.push_back(scene.spatial ? read_spatial_body(context, *item, index, scene, readings)
                                     : read_body(context, *item, index, scene, readings));
    drop_keys_of_variants(resolved.back());
  }
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

}  // namespace pegrasp
