// SPDX-License-Identifier: Apache-2.0
// Reader of [[urdf]]: robots.
#include <algorithm>
#include <iterator>
#include <utility>

#include "src/formats/urdf.hpp"
#include "src/problem/readers.hpp"
#include "src/text/name_rule.hpp"

namespace pegrasp {
namespace {

// Reads the coordinates of joints at the start, such as `turns_deg = { elbow = 30 }`.
void read_starts(Section& section, const std::string& base, const Quantity& quantity, UrdfStart::Kind kind,
                 UrdfPlacement& placement) {
  for (const Unit& unit : quantity.units) {
    const std::string key = unit_key(base, unit);
    const Node* node = section.raw(key);
    if (node == nullptr) continue;
    if (node->type != Node::Type::table) section.fail(key, "must be a table; write { NAME_OF_A_JOINT = 30 }");
    for (const auto& [name, value] : node->members) {
      const auto same = [&joint = name](const UrdfStart& start) { return start.joint == joint; };
      if (std::any_of(placement.joints.begin(), placement.joints.end(), same)) {
        section.fail(key, "places joint \"" + printable(name) + "\" twice; keep one of them");
      }
      const std::string path = section.at(key) + "." + printable(name);
      placement.joints.push_back(
          {name, checked_number(section.context(), value, path, quantity, unit, any_number), kind});
    }
    section.put(key, *node);
  }
}

Node read_robot(ReadContext& context, const Node& node, const std::string& path, SceneSpec& scene,
                std::vector<ActuatorSpec>& resistance) {
  static const std::vector<std::string> bases{"fixed", "kinematic", "free"};
  static constexpr BodyKind kinds[] = {BodyKind::fixed, BodyKind::kinematic, BodyKind::dynamic};
  Section section(context, &node, path, keys::urdf);
  UrdfPlacement placement;
  if (section.has("name")) {
    placement.prefix = section.text("name", {});
    if (!is_name(placement.prefix)) section.fail("name", name_rule);
  }
  const std::filesystem::path file = section.file("file");
  placement.base = kinds[section.choice("base", bases, 0)];
  if (section.has("motion")) {
    if (placement.base != BodyKind::kinematic) section.fail("motion", "needs base = \"kinematic\"; set it");
    BodySpec base;
    base.form = SpatialBody{};
    base.kind = placement.base;
    read_motion_in_3d(section, base);
    placement.motion = base.spatial().motion;
  } else {
    placement.pose = read_certain_pose(section);
  }
  read_starts(section, "turns", quantity::angle, UrdfStart::Kind::turn, placement);
  read_starts(section, "slides", quantity::length, UrdfStart::Kind::slide, placement);
  placement.friction = section.number("friction", quantity::friction, 0.0, not_negative);
  placement.self_contact = section.boolean("self_contact", true);
  if (section.has("exact_cylinders")) placement.exact_cylinders = section.boolean("exact_cylinders", false);
  if (placement.exact_cylinders && section.has("cylinder_sides"))
    section.fail("cylinder_sides", "is for prisms; remove it, or set exact_cylinders = false");
  if (!placement.exact_cylinders)
    placement.cylinder_sides = static_cast<int>(section.integer("cylinder_sides", 16, 3, 32));
  placement.hull = section.boolean("hull", false);
  placement.convexify = section.boolean("convexify", false);
  try {
    UrdfParts parts = add_urdf(scene, file, placement);
    section.check_contents(parts.fingerprint);
    std::move(parts.actuators.begin(), parts.actuators.end(), std::back_inserter(resistance));
  } catch (const ShapeError& error) {
    context.fail(&node, path, printable_line(error.what()));
  }
  return section.finish(true);
}

}  // namespace

Node read_urdf_list(ReadContext& context, const Node* node, SceneSpec& scene, std::vector<ActuatorSpec>& resistance) {
  std::vector<Node> resolved;
  if (node != nullptr && !scene.spatial) context.fail(node, "urdf", "is for scenes in 3D; set dim = 3");
  for (const Node* item : table_list(context, node, "urdf")) {
    resolved.push_back(read_robot(context, *item, "urdf[" + std::to_string(resolved.size()) + "]", scene, resistance));
  }
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

}  // namespace pegrasp
