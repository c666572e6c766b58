// SPDX-License-Identifier: Apache-2.0
// Readers of [gripper] and of the pads of fingers.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "src/geometry/placement.hpp"
#include "src/problem/readers.hpp"

namespace pegrasp {
namespace {

using Kind = TargetSlot::Kind;

// The turn of a frame whose x axis is `x` and whose z axis leans to `up`.
Quaternion turn_of_frame(Vec3 x, Vec3 up) {
  const Vec3 across = up - dot(up, x) * x;
  const Vec3 z = (1.0 / length(across)) * across;
  const Quaternion lifted = turn_of_z_to(z);
  const double angle = std::atan2(dot(x, turned(lifted, {0.0, 1.0, 0.0})), dot(x, turned(lifted, {1.0, 0.0, 0.0})));
  return normalised(lifted * turn_by({0.0, 0.0, angle}));
}

SpatialPose read_pad_pose(Section& section) {
  const std::vector<double> at = section.numbers("at", quantity::length, 3, 3);
  const Vec3 normal = read_axis(section, "normal", {});
  const bool upright = std::fabs(normal.z) > 0.99;
  const Vec3 up =
      read_axis(section, "up", upright ? std::vector<double>{1.0, 0.0, 0.0} : std::vector<double>{0.0, 0.0, 1.0});
  constexpr double in_line = 0.999;  // cosine
  if (std::fabs(dot(up, normal)) > in_line) section.fail("up", "is along the normal; give a direction across it");
  return {{at[0], at[1], at[2]}, turn_of_frame(normal, up)};
}

PadSpec read_pad_keys(Section& section, bool placed) {
  static const std::vector<std::string> presets{"rigid", "hard_rubber", "soft_rubber"};
  const int preset = section.choice("preset", presets, {});
  const std::vector<double> size = section.numbers("size", quantity::length, 3, 3, positive);
  PadSpec pad;
  pad.size = {size[0], size[1], size[2]};
  if (placed) pad.pose = read_pad_pose(section);
  const std::optional<CompliantShell> shell = read_shell(section);
  if (shell && shell->thickness > pad.size.x) {
    std::ostringstream text;
    text << "is " << 1e3 * shell->thickness << " mm thick, and its pad " << 1e3 * pad.size.x
         << " mm; give a smaller thickness_mm, or a larger first number of size_mm";
    section.fail("shell", text.str());
  }
  pad.shell = shell;
  if (preset == 0) return pad;
  pad = rubber_pad(pad.size, pad.pose, preset == 1 ? hard_rubber : soft_rubber);
  pad.shell = shell;
  pad.mass = section.number("mass", quantity::mass, pad.mass, positive);
  pad.stiffness = section.number("stiffness", quantity::stiffness, pad.stiffness, positive);
  pad.damping = section.number("damping", quantity::damping, pad.damping, not_negative);
  const auto about_two = [&](const char* key, const Quantity& quantity, const Range& range,
                             const std::array<double, 2>& fallback) {
    const std::vector<double> v = section.numbers(key, quantity, 2, 2, range, {fallback[0], fallback[1]});
    return std::array<double, 2>{v[0], v[1]};
  };
  pad.tilt_stiffness = about_two("tilt_stiffness", quantity::rotary_stiffness, positive, pad.tilt_stiffness);
  pad.tilt_damping = about_two("tilt_damping", quantity::rotary_damping, not_negative, pad.tilt_damping);
  pad.travel = section.number("travel", quantity::length, 1000.0 * pad.travel, Range{0.0, pad.size.x, true});
  return pad;
}

// Moves what a function of pegrasp/gripper.hpp put among the scene's actuators to `added`. Returns the number of the
// first of them there.
int take_actuators(SceneSpec& scene, std::vector<ActuatorSpec>& added) {
  const int first = static_cast<int>(added.size());
  std::move(scene.actuators.begin(), scene.actuators.end(), std::back_inserter(added));
  scene.actuators.clear();
  return first;
}

// Reads where the gripper is. Its palm starts `approach` up along its z.
SpatialPose read_gripper_pose(Section& section, int palm, Vec3& tilt, double approach, BodyReadings& readings) {
  ReadContext& context = section.context();
  readings.grid_factor.resize(static_cast<std::size_t>(palm));
  readings.grid_factor.push_back(read_follows_grid(section));
  Value at[3], turn[3];
  bool certain = true;
  double turn_of[3];
  for (int k = 0; k < 3; ++k) at[k] = section.value(std::string(1, "xyz"[k]), quantity::length, 0.0);
  const Quaternion base = read_quaternion(section);
  for (int k = 0; k < 3; ++k) {
    const std::string key = std::string("turn_") + "xyz"[k];
    turn[k] = section.value(key, quantity::angle, 0.0, spatial_turns);
    context.uncertainties->bind(context, turn[k], section.at(key), {Kind::tilt, palm, k});
    turn_of[k] = turn[k].nominal;
    certain = certain && turn[k].parameter < 0;
  }
  tilt = {turn_of[0], turn_of[1], turn_of[2]};
  const Quaternion whole = normalised(turn_by(tilt) * base);
  const Vec3 way = approach * turned(whole, {0.0, 0.0, 1.0});
  const double ways[3] = {way.x, way.y, way.z};
  const Vec3 position{at[0].nominal, at[1].nominal, at[2].nominal};
  for (int k = 0; k < 3; ++k) {
    const std::string key(1, "xyz"[k]);
    const bool moves_along = std::fabs(ways[k]) > 1e-9 * approach;
    if (at[k].parameter >= 0 && !at[k].add && moves_along) {
      section.fail(key,
                   "is drawn as a whole, but approach_mm moves the gripper along this axis; add to a number "
                   "instead: { nominal = 0, plus = \"NAME OF AN UNCERTAIN PARAMETER\" }");
    }
    context.uncertainties->bind(context, at[k], section.at(key), {Kind::pose, palm, k});
  }
  if (certain) tilt = {};
  return {position, whole};
}

}  // namespace

PadSpec read_pad(ReadContext& context, const Node& node, const std::string& path, bool placed, Node& resolved) {
  Section section(context, &node, path, keys::pad);
  const PadSpec pad = read_pad_keys(section, placed);
  resolved = section.finish(false);
  return pad;
}

void add_pads(ReadContext& context, const BodyReadings& readings, SceneSpec& scene, std::vector<ActuatorSpec>& added) {
  context.uncertainties->set_actuators_aside();
  for (const BodyReadings::Pad& pad : readings.pads) {
    try {
      add_pad(scene, pad.body, scene.bodies[static_cast<std::size_t>(pad.body)].name + "_pad", pad.spec);
    } catch (const std::invalid_argument& error) {
      context.fail(pad.node, pad.path, error.what());
    }
  }
  take_actuators(scene, added);
}

Node read_pads(ReadContext& context, const Node* node, SceneSpec& scene, std::vector<ActuatorSpec>& added) {
  std::vector<Node> resolved;
  if (node != nullptr && !scene.spatial) context.fail(node, "pad", "is for problems in 3D; set dim = 3");
  for (const Node* item : table_list(context, node, "pad")) {
    Section section(context, item, "pad[" + std::to_string(resolved.size()) + "]", keys::pad);
    const std::string name = section.text("body", {});
    const int body = find_body(context, section.raw("body"), section.at("body"), scene, name);
    const PadSpec pad = read_pad_keys(section, true);
    try {
      add_pad(scene, body, scene.bodies[static_cast<std::size_t>(body)].name + "_pad", pad);
    } catch (const std::invalid_argument& error) {
      section.fail("", error.what());
    }
    resolved.push_back(section.finish(true));
  }
  take_actuators(scene, added);
  Node list = Node::list(std::move(resolved));
  list.expanded = true;
  return list;
}

Node read_gripper(ReadContext& context, const Node* node, SceneSpec& scene, BodyReadings& readings,
                  std::vector<ActuatorSpec>& added, GripperReadings& gripper) {
  if (!scene.spatial) context.fail(node, "gripper", "is for problems in 3D; set dim = 3");
  Section section(context, node, "gripper", keys::gripper);
  section.set_label("gripper");
  section.choice("kind", {"parallel_jaw"}, {});
  ParallelJaw jaw;
  jaw.opening = section.number("opening", quantity::length, {}, positive);
  const std::vector<double> finger = section.numbers("finger", quantity::length, 3, 3, positive);
  jaw.finger = {finger[0], finger[1], finger[2]};
  jaw.finger_mass = section.number("finger_mass", quantity::mass, 0.1, positive);
  gripper.friction = section.value("friction", quantity::friction, 0.0, not_negative);
  gripper.friction_path = section.at("friction");
  gripper.force = section.value("force", quantity::force, {}, positive);
  gripper.force_path = section.at("force");
  jaw.force = gripper.force.nominal;
  jaw.speed = section.number("speed", quantity::speed, 50.0, positive);
  jaw.approach = section.number("approach", quantity::length, 0.0, not_negative);
  jaw.approach_speed = section.number("approach_speed", quantity::speed, 100.0, positive);
  jaw.close_time = section.number("close_time", quantity::long_duration, 0.0, not_negative);
  jaw.lift = section.number("lift", quantity::length, 0.0, not_negative);
  jaw.lift_speed = section.number("lift_speed", quantity::speed, 100.0, positive);
  if (const Node* pad = section.raw("pad")) {
    Node resolved;
    jaw.pad = read_pad(context, *pad, "gripper.pad", false, resolved);
    section.put("pad", std::move(resolved));
  }
  Vec3 tilt;
  jaw.pose = read_gripper_pose(section, static_cast<int>(scene.bodies.size()), tilt, jaw.approach, readings);
  try {
    const ParallelJawParts parts = add_parallel_jaw(scene, jaw);
    // An uncertain turn is a parameter of its own, on top of the pose.
    SpatialBody& palm = scene.bodies[static_cast<std::size_t>(parts.palm)].spatial();
    palm.tilt = tilt;
    palm.pose.turn = normalised(conjugate(turn_by(tilt)) * palm.pose.turn);
    for (SpatialKeyframe& key : palm.motion) key.pose.turn = palm.pose.turn;
    gripper.motor = take_actuators(scene, added) + parts.motor;
    gripper.first = parts.palm;
    gripper.after = static_cast<int>(scene.bodies.size());
  } catch (const std::invalid_argument& error) {
    context.fail(node, "gripper", error.what());
  }
  return section.finish(true);
}

void add_gripper_friction(ReadContext& context, const GripperReadings& gripper, SceneSpec& scene) {
  if (gripper.motor < 0) return;
  const auto is_given = [&scene](int a, int b) {
    return std::any_of(scene.friction.begin(), scene.friction.end(), [&](const FrictionPair& pair) {
      return std::minmax(pair.body_a, pair.body_b) == std::minmax(a, b);
    });
  };
  for (int own = gripper.first; own < gripper.after; ++own) {
    for (int other = 0; other < static_cast<int>(scene.bodies.size()); ++other) {
      const bool moves = scene.bodies[static_cast<std::size_t>(other)].kind == BodyKind::dynamic;
      const bool mine = other >= gripper.first && other < gripper.after;
      if (!moves || mine || !may_touch(scene, own, other) || is_given(own, other)) continue;
      context.uncertainties->bind(context, gripper.friction, gripper.friction_path, {Kind::friction, own, other});
      scene.friction.push_back({own, other, gripper.friction.nominal});
    }
  }
}

void bind_gripper_force(ReadContext& context, const GripperReadings& gripper, std::size_t own) {
  if (gripper.motor < 0) return;
  // One motor closes both fingers, so that its limit is twice the force of each.
  const int motor = static_cast<int>(own) + gripper.motor;
  context.uncertainties->bind(context, gripper.force, gripper.force_path,
                              {Kind::actuator, motor, ParameterLayout::actuator_limit}, 2.0);
}

}  // namespace pegrasp
