// SPDX-License-Identifier: Apache-2.0
// Readers of the bodies of problems in 3D (dim = 3).
#include <cmath>

#include "src/geometry/placement.hpp"
#include "src/problem/readers.hpp"
#include "src/problem/variants.hpp"
#include "src/scene/body_properties.hpp"
#include "src/text/name_rule.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

class BodyReader {
 public:
  BodyReader(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings)
      : context_(context),
        path_("body[" + std::to_string(index) + "]"),
        section_(context, &node, path_, keys::spatial_body),
        index_(index),
        scene_(scene),
        readings_(readings) {}

  // Appends the body to the scene.
  Node read() {
    BodySpec body;
    body.form = SpatialBody{};
    static const std::vector<std::string> kinds{"dynamic", "fixed", "kinematic"};
    body.name = section_.text("name", {});
    if (!is_name(body.name)) section_.fail("name", name_rule);
    for (const BodySpec& other : scene_.bodies) {
      if (other.name == body.name)
        section_.fail("name", "\"" + printable(body.name) + "\" is taken; give each body its own name");
    }
    section_.set_label(body.name);
    body.kind = static_cast<BodyKind>(section_.choice("kind", kinds, 0));
    body.shell = read_shell(section_);
    read_variants(section_, [&](const Node* list, const std::string& at) {
      BodySpec unused;
      unused.kind = body.kind;
      unused.form = SpatialBody{};
      return read_solid_parts(context_, list, at, unused);
    });
    read_parts(body);
    read_own_pad(body);
    read_scale(section_, index_, body, readings_);
    read_turns(section_, body);
    if (body.kind == BodyKind::dynamic) read_mass(body);
    read_motion_in_3d(section_, body);
    read_repeats(section_, body);
    read_oscillation(section_, index_, body);
    read_pose(body);
    read_velocity(body);
    body.friction = section_.number("friction", quantity::friction, 0.0, not_negative);
    body.drop_time = bound("drop_time", quantity::long_duration, {Kind::drop_time, index_}, 0.0, not_negative);
    scene_.bodies.push_back(std::move(body));
    read_force_limit(section_, index_, scene_);
    Node resolved = section_.finish(true);
    if (has_several_sizes(section_)) {
      // The centre of mass follows from the parts.
      std::erase_if(resolved.members, [this](const Member& member) {
        return member.first.rfind("centre_", 0) == 0 && !section_.has(member.first);
      });
    }
    return resolved;
  }

 private:
  double bound(const std::string& key, const Quantity& quantity, TargetSlot slot, std::optional<double> fallback,
               const Range& range) {
    const Value value = section_.value(key, quantity, fallback, range);
    context_.uncertainties->bind(context_, value, section_.at(key), slot);
    return value.nominal;
  }

  void read_parts(BodySpec& body) {
    Node list = read_solid_parts(context_, section_.raw("part"), path_ + ".part", body);
    if (list.items.empty()) section_.fail("", "has no parts; add [[body.part]] with a shape");
    section_.put("part", std::move(list));
  }

  void read_own_pad(BodySpec& body) {
    const Node* node = section_.raw("pad");
    if (node == nullptr) return;
    Node resolved;
    const PadSpec pad = read_pad(context_, *node, path_ + ".pad", true, resolved);
    section_.put("pad", std::move(resolved));
    if (pad.gives()) {
      readings_.pads.push_back({index_, pad, node, path_ + ".pad"});
      return;
    }
    for (const SolidPart& part : body.spatial().parts) {
      if (part.name == "pad") section_.fail("pad", "is the name of a part of this body already; rename the part");
    }
    body.spatial().parts.push_back(pad_part(pad, pad.pose));
  }

  // The value that gives the mass, a mass or a density. The mass is `share` [1 or m^3] times the value.
  struct MassSource {
    Value value;
    std::string path;
    double share;
  };
  MassSource read_mass_source(double volume) {
    const bool by_mass = section_.has("mass", quantity::mass);
    const bool by_density = section_.has("density", quantity::density);
    if (!by_mass && !by_density) section_.fail("", "\"mass_kg\" or \"density_kg_per_m3\" is missing; add one of them");
    if (by_mass && by_density) section_.fail("", "\"mass_kg\" is given with a density; drop one of the two");
    if (by_mass) {
      for (const Unit& unit : quantity::density.units) section_.raw(unit_key("density", unit));
      return {section_.value("mass", quantity::mass, {}, positive), section_.at("mass"), 1.0};
    }
    for (const Unit& unit : quantity::mass.units) section_.raw(unit_key("mass", unit));
    return {section_.value("density", quantity::density, {}, positive), section_.at("density"), volume};
  }

  // Reads mass, inertia and centre. Inertia and centre that are not given are those of the solid at uniform density;
  // the inertia then follows the mass, also where the mass is sampled.
  void read_mass(BodySpec& body) {
    const SolidProperties solid = body_properties(body.spatial());
    const MassSource source = read_mass_source(solid.volume);
    const Value& value = source.value;
    context_.uncertainties->bind(context_, value, source.path, {Kind::mass, index_}, source.share);
    body.mass = source.share * value.nominal;
    const double density = body.mass / solid.volume;
    InertiaTensor& inertia = body.spatial().inertia;
    if (section_.has("inertia", quantity::inertia)) {
      const std::vector<double> moments = section_.numbers("inertia", quantity::inertia, 3, 3, positive);
      inertia = {moments[0], moments[1], moments[2], 0.0, 0.0, 0.0};
    } else {
      for (const Unit& unit : quantity::inertia.units) section_.raw(unit_key("inertia", unit));
      const InertiaTensor& i = solid.inertia;
      inertia = {density * i.xx, density * i.yy, density * i.zz, density * i.xy, density * i.xz, density * i.yz};
      const double each[6] = {inertia.xx, inertia.xy, inertia.xz, inertia.yy, inertia.yz, inertia.zz};
      for (int k = 0; k < 6 && value.parameter >= 0; ++k) {
        context_.uncertainties->bind(context_, value, source.path, {Kind::inertia, index_, k}, each[k] / value.nominal);
      }
    }
    const Vec3 c = solid.centroid;
    const double per_mm = 1000.0;  // fallbacks are in the key's first unit
    body.spatial().centre = {bound("centre_x", quantity::length, {Kind::centre, index_, 0}, per_mm * c.x, any_number),
                             bound("centre_y", quantity::length, {Kind::centre, index_, 1}, per_mm * c.y, any_number),
                             bound("centre_z", quantity::length, {Kind::centre, index_, 2}, per_mm * c.z, any_number)};
  }

  // The turns about x, y and z are the components of one rotation vector, in world axes, which is applied after the
  // quaternion. Where a component is uncertain, the whole vector is kept apart as the tilt, which has parameters of its
  // own; otherwise it becomes part of the pose.
  void read_pose(BodySpec& body) {
    readings_.grid_factor.push_back(read_follows_grid(section_));
    if (!body.spatial().motion.empty()) {
      read_motion_in(body);
      read_motion_error();
      return;
    }
    SpatialPose& pose = body.spatial().pose;
    pose.position = {bound("x", quantity::length, {Kind::pose, index_, 0}, 0.0, any_number),
                     bound("y", quantity::length, {Kind::pose, index_, 1}, 0.0, any_number),
                     bound("z", quantity::length, {Kind::pose, index_, 2}, 0.0, any_number)};
    const Quaternion base = read_quaternion(section_);
    double turn_of[3] = {0.0, 0.0, 0.0};
    bool certain = true;
    for (int k = 0; k < 3; ++k) {
      const std::string key = std::string("turn_") + "xyz"[k];
      const Value turn = section_.value(key, quantity::angle, 0.0, spatial_turns);
      context_.uncertainties->bind(context_, turn, section_.at(key), {Kind::tilt, index_, k});
      turn_of[k] = turn.nominal;
      certain = certain && turn.parameter < 0;
    }
    const Vec3 turn{turn_of[0], turn_of[1], turn_of[2]};
    pose.turn = certain ? normalised(turn_by(turn) * base) : base;
    if (!certain) body.spatial().tilt = turn;
  }

  // Motion that turns along with the start of a body: its own, or one before it in the file. What keyframes add to the
  // first of them then turns along.
  void read_motion_in(BodySpec& body) {
    if (!section_.has("motion_in")) return;
    const std::string name = section_.text("motion_in", {});
    const bool own = name == body.name;
    body.spatial().motion_in =
        own ? index_ : find_body(context_, section_.raw("motion_in"), section_.at("motion_in"), scene_, name);
    const SpatialPose first = body.spatial().motion.front().pose;
    for (SpatialKeyframe& key : body.spatial().motion) {
      key.own = {key.pose.position - first.position, normalised(key.pose.turn * conjugate(first.turn))};
      key.pose = first;
    }
  }

  // Uncertain numbers that are added to the pose of a body with motion, throughout.
  void read_motion_error() {
    for (int k = 0; k < 6; ++k) {
      const std::string key = std::string(k < 3 ? "error_" : "error_turn_") + "xyz"[k % 3];
      const Quantity& quantity = k < 3 ? quantity::length : quantity::angle;
      if (!section_.has(key, quantity)) continue;
      Value error = section_.value(key, quantity, {}, any_number);
      if (error.parameter < 0) section_.fail("", key + " is certain; put it into the keyframes of the motion");
      if (error.add && error.nominal != 0.0) section_.fail("", key + " has a nominal value; put it into the keyframes");
      error.add = true;
      const TargetSlot slot = k < 3 ? TargetSlot{Kind::pose, index_, k} : TargetSlot{Kind::tilt, index_, k - 3};
      context_.uncertainties->bind(context_, error, section_.at(key), slot);
    }
  }

  void read_velocity(BodySpec& body) {
    if (body.kind == BodyKind::fixed || !body.spatial().motion.empty() || section_.has("oscillation")) return;
    double v[6];
    for (int k = 0; k < 6; ++k) {
      const std::string key = std::string(k < 3 ? "v" : "omega_") + "xyz"[k % 3];
      v[k] =
          bound(key, k < 3 ? quantity::speed : quantity::angular_speed, {Kind::velocity, index_, k}, 0.0, any_number);
    }
    body.spatial().velocity = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }

  ReadContext& context_;
  std::string path_;
  Section section_;
  int index_;
  SceneSpec& scene_;
  BodyReadings& readings_;
};

}  // namespace

Quaternion read_quaternion(Section& section) {
  const std::vector<double> q = section.numbers("quaternion", quantity::number, 4, 4, any_number, {1.0, 0.0, 0.0, 0.0});
  const Quaternion turn{q[0], q[1], q[2], q[3]};
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::fabs(norm - 1.0) < 1e-6))
    section.fail("quaternion", "is not of unit length; give [w, x, y, z] of length 1");
  return normalised(turn);
}

void read_motion_in_3d(Section& section, BodySpec& body) {
  const Node* node = section.raw("motion");
  if (node == nullptr) return;
  if (body.kind != BodyKind::kinematic) section.fail("motion", "is for kinematic bodies; set kind = \"kinematic\"");
  for (const char* key : {"x_mm", "x_m", "y_mm", "y_m", "z_mm", "z_m", "turn_x_deg", "turn_y_deg", "turn_z_deg"}) {
    if (section.has(key))
      section.fail(key, "cannot stand beside motion, which prescribes the pose; remove one of them");
  }
  const Quaternion base = read_quaternion(section);
  std::vector<Node> resolved;
  std::vector<SpatialKeyframe>& motion = body.spatial().motion;
  Vec3 last_turn;
  for (const Node* item : table_list(section.context(), node, section.at("motion"))) {
    Section key(section.context(), item, section.at("motion") + "[" + std::to_string(resolved.size()) + "]",
                keys::spatial_keyframe);
    SpatialKeyframe frame;
    frame.time = key.number("time", quantity::long_duration, {}, not_negative);
    frame.pose.position = {key.number("x", quantity::length, 0.0), key.number("y", quantity::length, 0.0),
                           key.number("z", quantity::length, 0.0)};
    const Vec3 turn{key.number("turn_x", quantity::angle, 0.0, spatial_turns),
                    key.number("turn_y", quantity::angle, 0.0, spatial_turns),
                    key.number("turn_z", quantity::angle, 0.0, spatial_turns)};
    frame.pose.turn = normalised(turn_by(turn) * base);
    // Between keyframes a body turns the shorter way, which half a turn would leave open.
    if (!motion.empty() && !(length(turn - last_turn) < 3.1415)) {
      key.fail("", "turns by half a turn or more since the keyframe before it; put one in between");
    }
    last_turn = turn;
    if (!motion.empty() && !(frame.time > motion.back().time)) {
      key.fail("", "must be later than the keyframe before it; put keyframes in order of time");
    }
    motion.push_back(frame);
    resolved.push_back(key.finish(false));
  }
  if (motion.empty()) section.fail("motion", "has no keyframes; write motion = [{ time_s = 0, x_mm = 0 }, ...]");
  body.spatial().pose = motion.front().pose;
  section.put("motion", Node::list(std::move(resolved)));
}

SpatialPose read_certain_pose(Section& section) {
  SpatialPose pose;
  pose.position = {section.number("x", quantity::length, 0.0), section.number("y", quantity::length, 0.0),
                   section.number("z", quantity::length, 0.0)};
  const Quaternion base = read_quaternion(section);
  const Vec3 turn{section.number("turn_x", quantity::angle, 0.0, spatial_turns),
                  section.number("turn_y", quantity::angle, 0.0, spatial_turns),
                  section.number("turn_z", quantity::angle, 0.0, spatial_turns)};
  pose.turn = normalised(turn_by(turn) * base);
  return pose;
}

Node read_spatial_body(ReadContext& context, const Node& node, int index, SceneSpec& scene, BodyReadings& readings) {
  return BodyReader(context, node, index, scene, readings).read();
}

}  // namespace pegrasp
