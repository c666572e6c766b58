// SPDX-License-Identifier: Apache-2.0
#include "src/formats/joint_json.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "pegrasp/names.hpp"
#include "src/formats/spatial_json.hpp"
#include "src/geometry/vectors.hpp"
#include "src/scene/coupling.hpp"
#include "src/scene/joint_limits.hpp"
#include "src/scene/motor_limits.hpp"

namespace pegrasp {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

int read_choice(const JsonCursor& place, const std::vector<std::string>& names) {
  const std::string text = place.text();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) place.fail("must be one of " + listed(names));
  return static_cast<int>(found - names.begin());
}

JointRange read_range(const JsonCursor& place) {
  const std::vector<double> ends = place.numbers(2, 2);
  if (!(ends[0] <= ends[1])) place.fail("must be [low, high], the lower limit first: swap them");
  return {ends[0], ends[1]};
}

double read_swing(const JsonCursor& place) {
  const double swing = place.number();
  static_assert(least_swing == 0.01 && most_swing == 3.0, "or the message is wrong");
  if (!(swing >= least_swing && swing <= most_swing))
    place.fail("must be 0.01 to 3, in radians: give an angle in that range");
  return swing;
}

// Reads a reference to a body, or "world", which is -1.
int read_base(const JsonCursor& place, const SceneSpec& scene) {
  if (place.raw().is_string() && place.text() == "world") {
    for (const BodySpec& body : scene.bodies) {
      if (body.name == "world") place.fail("may mean the world or the body of that name: give the body another name");
    }
    return -1;
  }
  return read_body_reference(place, scene);
}

// A point or a direction of the scene.
Vec3 read_place(const JsonCursor& place, const SceneSpec& scene) {
  if (scene.spatial) return read_vector(place);
  const Vec2 planar = place.planar();
  return {planar.x, planar.y, 0.0};
}

JointSpec read_joint(const JsonCursor& place, const SceneSpec& scene) {
  place.expect_object({"name", "kind", "bodies", "anchor", "axis", "slide", "turn", "swing", "collide"});
  const std::string name =
      place.has("name") ? place.at("name").name() : "joint_" + std::to_string(scene.joints.size() + 1);
  for (const JointSpec& other : scene.joints) {
    if (other.name == name) place.fail("has the name of another joint, \"" + name + "\": give each its own");
  }
  const JointKind kind = static_cast<JointKind>(read_choice(place.at("kind"), joint_names()));
  const std::vector<JsonCursor> bodies = place.at("bodies").items();
  if (bodies.size() != 2)
    place.at("bodies").fail("must name two bodies, the first of which may be \"world\": correct the list");
  const int a = read_base(bodies[0], scene);
  const int b = read_body_reference(bodies[1], scene);
  if (a == b) place.at("bodies").fail("must name two different bodies: correct one");
  const Vec3 anchor = read_place(place.at("anchor"), scene);
  const bool has_axis = joint_has_axis(scene, kind, place.has("axis"), place.has("swing"));
  const Vec3 axis = has_axis ? read_place(place.at("axis"), scene) : Vec3{0.0, 0.0, 1.0};
  if (!has_axis && place.has("axis")) place.at("axis").fail("has no meaning for this kind of joint: drop it");
  try {
    JointSpec joint = make_joint(scene, name, kind, a, b, anchor, axis);
    if (place.has("slide")) joint.slide = read_range(place.at("slide"));
    if (place.has("turn")) joint.turn = read_range(place.at("turn"));
    if (place.has("swing")) joint.swing = read_swing(place.at("swing"));
    joint.collide = place.has("collide") && place.at("collide").boolean();
    return joint;
  } catch (const std::invalid_argument& error) {
    place.fail(error.what());
  }
}

int read_joint_reference(const JsonCursor& place, const SceneSpec& scene) {
  const std::string name = place.text();
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    if (scene.joints[i].name == name) return static_cast<int>(i);
  }
  place.fail("no joint has this name: use the \"name\" of a joint");
}

// Checks the target of a motor of a spherical joint.
void check_ball_target(const JsonCursor& place, ActuatorKind kind, Vec3 v) {
  if (kind != ActuatorKind::position_servo) return;
  static_assert(farthest_turn == 1e5, "or the message is wrong");
  if (std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}) > farthest_turn) {
    place.fail("is a rotation vector of more than 100000 rad an axis: bring it into that range");
  }
}

// Reads a key of a program: [time, target], or [time, x, y, z] for a motor of a spherical joint.
TargetKey read_target_key(const JsonCursor& place, bool ball) {
  const std::vector<double> key = ball ? place.numbers(4, 4) : place.numbers(2, 2);
  if (ball) return {key[0], 0.0, {key[1], key[2], key[3]}};
  return {key[0], key[1]};
}

ActuatorSpec read_actuator(const JsonCursor& place, const SceneSpec& scene) {
  place.expect_object(
      {"name", "joint", "body", "kind", "rotary", "axis", "target", "limit", "stiffness", "damping", "program"});
  ActuatorSpec actuator;
  if (place.has("joint") == place.has("body"))
    place.fail("needs exactly one of \"joint\", \"body\": give one, and drop the other");
  if (place.has("joint")) {
    actuator.joint = read_joint_reference(place.at("joint"), scene);
    const JointKind kind = scene.joints[static_cast<std::size_t>(actuator.joint)].kind;
    actuator.rotary = kind == JointKind::revolute || kind == JointKind::spherical;
    if (place.has("axis")) place.at("axis").fail("is the joint's: drop it");
  } else {
    actuator.body = read_body_reference(place.at("body"), scene);
    if (place.has("axis")) actuator.axis = place.at("axis").planar();
  }
  actuator.name =
      place.has("name") ? place.at("name").name() : "actuator_" + std::to_string(scene.actuators.size() + 1);
  actuator.kind = static_cast<ActuatorKind>(read_choice(place.at("kind"), actuator_names()));
  if (place.has("rotary")) actuator.rotary = place.at("rotary").boolean();
  const bool ball = drives_ball(scene, actuator);
  if (ball && !actuator.rotary) place.at("rotary").fail("is false, but a spherical joint only turns: drop it");
  const auto refuse = [&](const char* key) {
    if (place.has(key)) place.at(key).fail("has no meaning for this kind of actuator: drop it");
  };
  if (actuator.kind == ActuatorKind::force) refuse("limit");
  if (actuator.kind != ActuatorKind::position_servo) {
    refuse("stiffness");
    refuse("damping");
  }
  if (ball && place.has("target")) {
    actuator.ball = read_vector(place.at("target"));
    check_ball_target(place.at("target"), actuator.kind, actuator.ball);
  }
  if (!ball) actuator.target = place.number_or("target", 0.0);
  const double most_force =
      actuator.joint < 0 ? 0.0 : scene.joints[static_cast<std::size_t>(actuator.joint)].most_force;
  if (actuator.kind != ActuatorKind::force) {
    actuator.limit = !place.has("limit") && most_force > 0.0 ? most_force : place.at("limit").not_negative();
  }
  if (actuator.kind == ActuatorKind::position_servo) {
    actuator.stiffness = place.at("stiffness").not_negative();
    actuator.damping = place.has("damping") ? place.at("damping").not_negative() : 0.0;
  }
  if (!place.has("program")) return actuator;
  for (const JsonCursor& key : place.at("program").items()) {
    const TargetKey next = read_target_key(key, ball);
    check_ball_target(key, actuator.kind, next.ball);
    if (!actuator.program.empty() && !(next.time > actuator.program.back().time)) {
      key.fail("must be later than the key before it: put keys in order of time");
    }
    actuator.program.push_back(next);
  }
  if (actuator.program.empty()) {
    place.at("program").fail(std::string("has no keys: give ") + (ball ? "[time, x, y, z]" : "[time, target]") +
                             " at least once");
  }
  return actuator;
}

}  // namespace

int read_body_reference(const JsonCursor& place, const SceneSpec& scene) {
  const int count = static_cast<int>(scene.bodies.size());
  if (place.raw().is_string()) {
    const std::string name = place.text();
    for (int i = 0; i < count; ++i) {
      if (scene.bodies[static_cast<std::size_t>(i)].name == name) return i;
    }
    place.fail("no body has this name: use the \"name\" or the index of a body");
  }
  const double index = place.number();
  if (!(index >= 0.0) || !(index < count) || index != std::floor(index)) {
    place.fail("must be the name or the index (0 to " + std::to_string(count - 1) + ") of a body: give one");
  }
  return static_cast<int>(index);
}

void read_joints(const JsonCursor& root, SceneSpec& scene) {
  if (!root.has("joints")) return;
  for (const JsonCursor& joint : root.at("joints").items()) scene.joints.push_back(read_joint(joint, scene));
}

void read_couplings(const JsonCursor& root, SceneSpec& scene) {
  if (!root.has("couplings")) return;
  for (const JsonCursor& place : root.at("couplings").items()) {
    place.expect_object({"name", "joint", "of_joint", "factor", "offset"});
    CouplingSpec coupling;
    coupling.name =
        place.has("name") ? place.at("name").name() : "coupling_" + std::to_string(scene.couplings.size() + 1);
    for (const CouplingSpec& other : scene.couplings) {
      if (other.name == coupling.name) {
        place.fail("has the name of another coupling, \"" + coupling.name + "\": give each its own");
      }
    }
    coupling.joint = read_joint_reference(place.at("joint"), scene);
    coupling.of_joint = read_joint_reference(place.at("of_joint"), scene);
    coupling.factor = place.number_or("factor", 1.0);
    coupling.offset = place.number_or("offset", 0.0);
    scene.couplings.push_back(coupling);
    if (const auto fault = coupling_fault(scene, scene.couplings.size() - 1)) place.fail(*fault);
  }
}

void read_actuators(const JsonCursor& root, SceneSpec& scene) {
  if (!root.has("actuators")) return;
  for (const JsonCursor& place : root.at("actuators").items()) {
    ActuatorSpec actuator = read_actuator(place, scene);
    if (const auto fault = motor_fault(scene, actuator)) place.fail(*fault);
    scene.actuators.push_back(std::move(actuator));
  }
}

void read_springs(const JsonCursor& root, SceneSpec& scene) {
  if (!root.has("springs")) return;
  int count = 0;
  for (const JsonCursor& place : root.at("springs").items()) {
    ++count;
    place.expect_object({"name", "bodies", "from", "to", "stiffness", "rest_length", "damping", "across_damping"});
    SpringSpec spring;
    spring.name = place.has("name") ? place.at("name").name() : "spring_" + std::to_string(count);
    const auto taken = [&](const auto& list) {
      return std::any_of(list.begin(), list.end(), [&](const auto& other) { return other.name == spring.name; });
    };
    if (taken(scene.joints) || taken(scene.actuators)) {
      place.fail("has the name of a joint, a motor or another spring, \"" + spring.name + "\": give it its own");
    }
    const std::vector<JsonCursor> bodies = place.at("bodies").items();
    if (bodies.size() != 2)
      place.at("bodies").fail("must name two bodies, one of which may be \"world\": correct the list");
    spring.body_a = read_base(bodies[0], scene);
    spring.body_b = read_base(bodies[1], scene);
    if (spring.body_a == spring.body_b)
      place.at("bodies").fail("names one body twice, and a spring acts between two: name another one");
    spring.point_a = read_place(place.at("from"), scene);
    spring.point_b = read_place(place.at("to"), scene);
    const auto moves = [&](int k) {
      return k >= 0 && scene.bodies[static_cast<std::size_t>(k)].kind == BodyKind::dynamic;
    };
    if (!moves(spring.body_a) && !moves(spring.body_b))
      place.at("bodies").fail("names no body that a spring could move: name a dynamic body");
    if (spring.body_b < 0) {  // the world comes first
      std::swap(spring.body_a, spring.body_b);
      std::swap(spring.point_a, spring.point_b);
    }
    spring.stiffness = place.at("stiffness").not_negative();
    const bool given = place.has("rest_length");
    spring.rest_length = given ? place.at("rest_length").not_negative() : length(spring.point_b - spring.point_a);
    if (place.has("damping")) spring.damping = place.at("damping").not_negative();
    spring.damps_across = place.has("across_damping");
    if (spring.damps_across) spring.across_damping = place.at("across_damping").not_negative();
    try {
      add_spring(scene, spring);
    } catch (const std::invalid_argument& error) {
      place.fail(error.what());
    }
  }
}

void read_spatial_motion(const JsonCursor& body, BodySpec& spec) {
  if (!body.has("motion")) return;
  const JsonCursor motion = body.at("motion");
  if (spec.kind != BodyKind::kinematic) motion.fail("is for kinematic bodies: set \"kinematic\": true");
  for (const char* key : {"position", "quaternion_wxyz", "velocity", "angular_velocity"}) {
    if (body.has(key)) body.at(key).fail("cannot stand beside \"motion\", which prescribes the pose: drop one of them");
  }
  for (const JsonCursor& key : motion.items()) {
    key.expect_object({"time", "position", "quaternion_wxyz"});
    SpatialKeyframe frame;
    frame.time = key.at("time").not_negative();
    frame.pose.position = read_vector(key.at("position"));
    if (key.has("quaternion_wxyz")) frame.pose.turn = read_quaternion(key.at("quaternion_wxyz"));
    if (!spec.spatial().motion.empty() && !(frame.time > spec.spatial().motion.back().time)) {
      key.fail("must be later than the keyframe before it: put keyframes in order of time");
    }
    spec.spatial().motion.push_back(frame);
  }
  if (spec.spatial().motion.empty()) motion.fail("has no keyframes: give at least one");
  spec.spatial().pose = spec.spatial().motion.front().pose;
}

}  // namespace pegrasp
