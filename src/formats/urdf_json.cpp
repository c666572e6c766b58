// SPDX-License-Identifier: Apache-2.0
#include "src/formats/urdf_json.hpp"

#include <cmath>

#include "src/formats/joint_json.hpp"
#include "src/formats/spatial_json.hpp"
#include "src/formats/urdf.hpp"

namespace pegrasp {
namespace {

BodyKind read_base(const JsonCursor& place) {
  const std::string base = place.text();
  if (base == "fixed") return BodyKind::fixed;
  if (base == "kinematic") return BodyKind::kinematic;
  if (base == "free") return BodyKind::dynamic;
  place.fail("must be one of \"fixed\", \"kinematic\", \"free\"");
}

UrdfPlacement read_placement(const JsonCursor& robot, double friction, bool hull) {
  robot.expect_object({"file", "name", "base", "position", "quaternion_wxyz", "motion", "joints", "friction",
                       "self_contact", "cylinder_sides", "exact_cylinders", "hull", "convexify"});
  UrdfPlacement placement;
  if (robot.has("name")) placement.prefix = robot.at("name").name();
  if (robot.has("base")) placement.base = read_base(robot.at("base"));
  if (robot.has("position")) placement.pose.position = read_vector(robot.at("position"));
  if (robot.has("quaternion_wxyz")) placement.pose.turn = read_quaternion(robot.at("quaternion_wxyz"));
  BodySpec base;  // what read_spatial_motion() fills
  base.form = SpatialBody{};
  base.kind = placement.base;
  read_spatial_motion(robot, base);
  placement.motion = base.spatial().motion;
  if (robot.has("joints")) {
    const JsonCursor joints = robot.at("joints");
    if (!joints.raw().is_object()) joints.fail("must be an object, {\"NAME OF A JOINT\": place at the start, ...}");
    for (const auto& [name, value] : joints.raw().items()) {
      placement.joints.push_back({name, joints.at(name).number()});
    }
  }
  placement.friction = robot.has("friction") ? robot.at("friction").not_negative() : friction;
  if (robot.has("self_contact")) placement.self_contact = robot.at("self_contact").boolean();
  placement.hull = hull || (robot.has("hull") && robot.at("hull").boolean());
  placement.convexify = robot.has("convexify") && robot.at("convexify").boolean();
  if (robot.has("exact_cylinders")) placement.exact_cylinders = robot.at("exact_cylinders").boolean();
  if (robot.has("cylinder_sides")) {
    if (placement.exact_cylinders)
      robot.at("cylinder_sides").fail("is for prisms: remove it, or set exact_cylinders to false");
    const double sides = robot.at("cylinder_sides").number();
    if (!(sides >= 3.0 && sides <= 32.0) || sides != std::floor(sides)) {
      robot.at("cylinder_sides").fail("must be a whole number between 3 and 32: give one");
    }
    placement.cylinder_sides = static_cast<int>(sides);
  }
  return placement;
}

}  // namespace

std::vector<ActuatorSpec> read_urdf_list(const JsonCursor& root, double friction, bool hull, SceneSpec& scene) {
  std::vector<ActuatorSpec> actuators;
  if (!root.has("urdf")) return actuators;
  const JsonCursor list = root.at("urdf");
  if (!scene.spatial) list.fail("is for scenes in 3D: set \"dim\" to 3");
  for (const JsonCursor& robot : list.items()) {
    const UrdfPlacement placement = read_placement(robot, friction, hull);
    const JsonCursor file = robot.at("file");
    try {
      for (ActuatorSpec& actuator : add_urdf(scene, file.beside(file.text()), placement).actuators) {
        actuators.push_back(std::move(actuator));
      }
    } catch (const ShapeError& error) {
      robot.fail(error.what());
    }
  }
  return actuators;
}

}  // namespace pegrasp
