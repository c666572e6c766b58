// SPDX-License-Identifier: Apache-2.0
// Bodies of problems in space (dim = 3).
#include <algorithm>
#include <cmath>

#include "problem/default_names.hpp"
#include "problem/readers.hpp"
#include "scene/body_properties.hpp"
#include "scene/name_rule.hpp"
#include "scene/turn.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

constexpr Range turns{-1e5, 1e5};

Vec3 read_point(Section& section, const std::string& base, const Quantity& quantity,
                const std::vector<double>& fallback) {
  const std::vector<double> v = section.numbers(base, quantity, 3, 3, any_number, fallback);
  return {v[0], v[1], v[2]};
}

Vec3 read_axis(Section& section, const std::string& key, const std::vector<double>& fallback) {
  const Vec3 v = read_point(section, key, quantity::number, fallback);
  const double size = length(v);
  if (!(size > 0.0)) section.fail(key, "has no direction; give a vector such as [0, 0, 1]");
  return (1.0 / size) * v;
}

// Turned about an axis through the origin, then moved to the centre.
SpatialPose read_placement(Section& section) {
  SpatialPose place;
  place.position = read_point(section, "centre", quantity::length, {0.0, 0.0, 0.0});
  const double angle = section.number("turn", quantity::angle, 0.0, turns);
  if (angle != 0.0 || section.has("turn_axis")) {
    place.turn = turn_by(angle * read_axis(section, "turn_axis", {0.0, 0.0, 1.0}));
  }
  return place;
}

Polyhedron read_shape(Section& section, int shape) {
  std::vector<Vec3> points;
  if (shape == 0) {
    for (const auto& row : section.rows("vertices", quantity::length, 3, 4)) points.push_back({row[0], row[1], row[2]});
    return make_polyhedron(points);
  }
  if (shape == 1) {
    const std::vector<double> size = section.numbers("size", quantity::length, 3, 3, positive);
    for (int k = 0; k < 8; ++k) {
      points.push_back(
          {(k & 1 ? 0.5 : -0.5) * size[0], (k & 2 ? 0.5 : -0.5) * size[1], (k & 4 ? 0.5 : -0.5) * size[2]});
    }
  } else {
    // a prism whose corners lie on the cylinder
    const double radius = section.number("radius", quantity::length, {}, positive);
    const double half = 0.5 * section.number("height", quantity::length, {}, positive);
    const auto sides = static_cast<int>(section.integer("sides", 16, 3, 32));
    const Quaternion turn = turn_of_z_to(read_axis(section, "axis", {0.0, 0.0, 1.0}));
    for (int k = 0; k < sides; ++k) {
      const double angle = 2.0 * 3.14159265358979323846 * (k + 0.5) / sides;
      const Vec3 rim{radius * std::cos(angle), radius * std::sin(angle), 0.0};
      for (const double z : {-half, half}) points.push_back(turned(turn, rim + Vec3{0.0, 0.0, z}));
    }
  }
  const SpatialPose place = read_placement(section);
  for (Vec3& x : points) x = transformed(place, x);
  return make_polyhedron(points);
}

SolidPart read_part(ReadContext& context, const Node& node, const std::string& path,
                    const std::vector<SolidPart>& earlier, Node& resolved) {
  static const std::vector<std::string> shapes{"hull", "box", "cylinder"};
  Section section(context, &node, path, keys::spatial_part);
  const std::string name = section.text("name", default_part_name(earlier.size()));
  if (!is_name(name)) section.fail("name", name_rule);
  if (std::any_of(earlier.begin(), earlier.end(), [&](const SolidPart& part) { return part.name == name; })) {
    section.fail("name", "\"" + printable(name) + "\" is the name of another part of this body; give each its own");
  }
  const int shape = section.choice("shape", shapes, {});
  try {
    SolidPart part{name, read_shape(section, shape)};
    resolved = section.finish(true);
    return part;
  } catch (const ShapeError& error) {
    context.fail(&node, path, printable(error.what()));
  }
}

class BodyReader {
 public:
  BodyReader(ReadContext& context, const Node& node, int index, const SceneSpec& scene, BodyReadings& readings)
      : context_(context),
        path_("body[" + std::to_string(index) + "]"),
        section_(context, &node, path_, keys::spatial_body),
        index_(index),
        scene_(scene),
        readings_(readings) {}

  Node read(BodySpec& body) {
    static const std::vector<std::string> kinds{"dynamic", "fixed", "kinematic"};
    body.name = section_.text("name", {});
    if (!is_name(body.name)) section_.fail("name", name_rule);
    for (const BodySpec& other : scene_.bodies) {
      if (other.name == body.name)
        section_.fail("name", "\"" + printable(body.name) + "\" is taken; give each body its own name");
    }
    section_.set_label(body.name);
    body.kind = static_cast<BodyKind>(section_.choice("kind", kinds, 0));
    read_parts(body);
    if (body.kind == BodyKind::dynamic) read_mass(body);
    read_motion(body);
    read_pose(body);
    read_velocity(body);
    body.friction = section_.number("friction", quantity::friction, 0.0, not_negative);
    body.drop_time = bound("drop_time", quantity::long_duration, {Kind::drop_time, index_}, 0.0, not_negative);
    return section_.finish(true);
  }

 private:
  double bound(const std::string& key, const Quantity& quantity, TargetSlot slot, std::optional<double> fallback,
               const Range& range) {
    const Value value = section_.value(key, quantity, fallback, range);
    context_.uncertainties->bind(context_, value, section_.at(key), slot);
    return value.nominal;
  }

  void read_parts(BodySpec& body) {
    std::vector<Node> parts;
    for (const Node* item : table_list(context_, section_.raw("part"), path_ + ".part")) {
      Node resolved;
      const std::string path = path_ + ".part[" + std::to_string(parts.size()) + "]";
      body.space.parts.push_back(read_part(context_, *item, path, body.space.parts, resolved));
      parts.push_back(std::move(resolved));
    }
    if (parts.empty()) section_.fail("", "has no parts; add [[body.part]] with a shape");
    Node list = Node::list(std::move(parts));
    list.expanded = true;
    section_.put("part", std::move(list));
  }

  // The solid's own, for what is not given: its inertia is proportional to the mass, sampled or not.
  void read_mass(BodySpec& body) {
    const Value mass = section_.value("mass", quantity::mass, {}, positive);
    context_.uncertainties->bind(context_, mass, section_.at("mass"), {Kind::mass, index_});
    body.mass = mass.nominal;
    const SolidProperties solid = body_properties(body.space);
    const double density = body.mass / solid.volume;
    InertiaTensor& inertia = body.space.inertia;
    if (section_.has("inertia", quantity::inertia)) {
      const std::vector<double> moments = section_.numbers("inertia", quantity::inertia, 3, 3, positive);
      inertia = {moments[0], moments[1], moments[2], 0.0, 0.0, 0.0};
    } else {
      for (const Unit& unit : quantity::inertia.units) section_.raw(unit_key("inertia", unit));
      const InertiaTensor& i = solid.inertia;
      inertia = {density * i.xx, density * i.yy, density * i.zz, density * i.xy, density * i.xz, density * i.yz};
      const double each[6] = {inertia.xx, inertia.xy, inertia.xz, inertia.yy, inertia.yz, inertia.zz};
      for (int k = 0; k < 6 && mass.parameter >= 0; ++k) {
        context_.uncertainties->bind(context_, mass, section_.at("mass"), {Kind::inertia, index_, k},
                                     each[k] / body.mass);
      }
    }
    const Vec3 c = solid.centroid;
    const double per_mm = 1000.0;  // fallbacks are in the key's first unit
    body.space.centre = {bound("centre_x", quantity::length, {Kind::centre, index_, 0}, per_mm * c.x, any_number),
                         bound("centre_y", quantity::length, {Kind::centre, index_, 1}, per_mm * c.y, any_number),
                         bound("centre_z", quantity::length, {Kind::centre, index_, 2}, per_mm * c.z, any_number)};
  }

  Quaternion read_quaternion() {
    const std::vector<double> q =
        section_.numbers("quaternion", quantity::number, 4, 4, any_number, {1.0, 0.0, 0.0, 0.0});
    const Quaternion turn{q[0], q[1], q[2], q[3]};
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(norm - 1.0) < 1e-6))
      section_.fail("quaternion", "is not of unit length; give [w, x, y, z] of length 1");
    return normalised(turn);
  }

  void read_motion(BodySpec& body) {
    const Node* node = section_.raw("motion");
    if (node == nullptr) return;
    if (body.kind != BodyKind::kinematic) section_.fail("motion", "is for kinematic bodies; set kind = \"kinematic\"");
    for (const char* key : {"x_mm", "x_m", "y_mm", "y_m", "z_mm", "z_m", "turn_x_deg", "turn_y_deg", "turn_z_deg"}) {
      if (section_.has(key))
        section_.fail(key, "cannot stand beside motion, which prescribes the pose; remove one of them");
    }
    const Quaternion base = read_quaternion();
    std::vector<Node> resolved;
    std::vector<SpatialKeyframe>& motion = body.space.motion;
    for (const Node* item : table_list(context_, node, section_.at("motion"))) {
      Section key(context_, item, section_.at("motion") + "[" + std::to_string(resolved.size()) + "]",
                  keys::spatial_keyframe);
      SpatialKeyframe frame;
      frame.time = key.number("time", quantity::long_duration, {}, not_negative);
      frame.pose.position = {key.number("x", quantity::length, 0.0), key.number("y", quantity::length, 0.0),
                             key.number("z", quantity::length, 0.0)};
      const Vec3 turn{key.number("turn_x", quantity::angle, 0.0, turns),
                      key.number("turn_y", quantity::angle, 0.0, turns),
                      key.number("turn_z", quantity::angle, 0.0, turns)};
      frame.pose.turn = normalised(turn_by(turn) * base);
      if (!motion.empty() && !(frame.time > motion.back().time)) {
        key.fail("", "must be later than the keyframe before it; put keyframes in order of time");
      }
      motion.push_back(frame);
      resolved.push_back(key.finish(false));
    }
    if (motion.empty()) section_.fail("motion", "has no keyframes; write motion = [{ time_s = 0, x_mm = 0 }, ...]");
    body.space.pose = motion.front().pose;
    section_.put("motion", Node::list(std::move(resolved)));
  }

  // The turns about x, y and z are one rotation vector, in the world, on top of the quaternion. What is certain of it goes into the
  // pose, what is drawn into the body's parameters.
  void read_pose(BodySpec& body) {
    readings_.grid_factor.push_back(read_follows_grid(section_));
    if (!body.space.motion.empty()) return;
    SpatialPose& pose = body.space.pose;
    pose.position = {bound("x", quantity::length, {Kind::pose, index_, 0}, 0.0, any_number),
                     bound("y", quantity::length, {Kind::pose, index_, 1}, 0.0, any_number),
                     bound("z", quantity::length, {Kind::pose, index_, 2}, 0.0, any_number)};
    const Quaternion base = read_quaternion();
    double certain[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
      const std::string key = std::string("turn_") + "xyz"[k];
      const Value turn = section_.value(key, quantity::angle, 0.0, turns);
      context_.uncertainties->bind(context_, turn, section_.at(key), {Kind::tilt, index_, k});
      if (turn.parameter < 0 || turn.add) certain[k] = turn.nominal;
    }
    pose.turn = normalised(turn_by({certain[0], certain[1], certain[2]}) * base);
  }

  void read_velocity(BodySpec& body) {
    if (body.kind == BodyKind::fixed || !body.space.motion.empty()) return;
    double v[6];
    for (int k = 0; k < 6; ++k) {
      const std::string key = std::string(k < 3 ? "v" : "omega_") + "xyz"[k % 3];
      v[k] =
          bound(key, k < 3 ? quantity::speed : quantity::angular_speed, {Kind::velocity, index_, k}, 0.0, any_number);
    }
    body.space.velocity = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }

  ReadContext& context_;
  std::string path_;
  Section section_;
  int index_;
  const SceneSpec& scene_;
  BodyReadings& readings_;
};

}  // namespace

Node read_spatial_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings) {
  BodySpec body;
  Node resolved = BodyReader(context, node, index, scene, readings).read(body);
  scene.bodies.push_back(std::move(body));
  return resolved;
}

}  // namespace pegrasp
