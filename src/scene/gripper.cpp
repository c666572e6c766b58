// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/gripper.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

// The limit of a spring, which has none [N | N m].
constexpr double unlimited_force = 1e9;
constexpr double palm_thickness = 0.02;  // [m]

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// The box from `low` to `high` in a frame of the body.
SolidPart box_part(const std::string& name, const SpatialPose& frame, Vec3 low, Vec3 high) {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k) {
    points.push_back(transformed(
        frame, {(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z}));
  }
  SolidPart part;
  part.name = name;
  part.shape = make_polyhedron(points);
  return part;
}

InertiaTensor box_inertia(Vec3 size, double mass) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
  return {mass / 12.0 * (y + z), mass / 12.0 * (x + z), mass / 12.0 * (x + y), 0.0, 0.0, 0.0};
}

bool is_taken(const SceneSpec& scene, const std::string& name) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const BodySpec& body) { return body.name == name; });
}

int add_body(SceneSpec& scene, BodySpec body) {
  if (is_taken(scene, body.name)) refuse("the scene has a body \"" + body.name + "\" already; give it another name");
  scene.bodies.push_back(std::move(body));
  return static_cast<int>(scene.bodies.size()) - 1;
}

const BodySpec& body_at(const SceneSpec& scene, int body) { return scene.bodies[static_cast<std::size_t>(body)]; }

int add_joint(SceneSpec& scene, const std::string& name, JointKind kind, int a, int b, Vec3 anchor, Vec3 axis) {
  for (const JointSpec& other : scene.joints) {
    if (other.name == name) refuse("the scene has a joint \"" + name + "\" already; give it another name");
  }
  scene.joints.push_back(make_joint(scene, name, kind, a, b, anchor, axis));
  return static_cast<int>(scene.joints.size()) - 1;
}

// A spring on a joint, at rest where its coordinate is 0.
void add_joint_spring(SceneSpec& scene, int joint, double stiffness, double damping) {
  const JointSpec& spec = scene.joints[static_cast<std::size_t>(joint)];
  ActuatorSpec spring;
  spring.name = spec.name;
  spring.joint = joint;
  spring.kind = ActuatorKind::position_servo;
  spring.rotary = spec.kind == JointKind::revolute;
  spring.limit = unlimited_force;
  spring.stiffness = stiffness;
  spring.damping = damping;
  scene.actuators.push_back(spring);
}

void check_pad(const SceneSpec& scene, int body, const std::string& name, const PadSpec& pad) {
  const auto bad = [](double value) { return !(value > 0.0) || !std::isfinite(value); };
  const std::string what = "pad \"" + name + "\": ";
  if (!scene.spatial) refuse(what + "is for scenes in 3D; set dim = 3");
  if (body < 0 || body >= static_cast<int>(scene.bodies.size())) refuse(what + "names no body of the scene");
  if (bad(pad.size.x) || bad(pad.size.y) || bad(pad.size.z)) refuse(what + "its size must be three lengths above 0");
  if (pad.shell && pad.shell->thickness > pad.size.x) {
    refuse(what + "its shell is thicker than itself; give a thinner shell or a thicker pad");
  }
  if (!pad.gives()) return;
  if (bad(pad.stiffness) || bad(pad.tilt_stiffness[0]) || bad(pad.tilt_stiffness[1])) {
    refuse(what + "a pad that gives needs stiffnesses above 0, along its normal and about two axes");
  }
  if (!(pad.damping >= 0.0) || !(pad.tilt_damping[0] >= 0.0) || !(pad.tilt_damping[1] >= 0.0)) {
    refuse(what + "its damping must be 0 or more");
  }
  if (bad(pad.mass)) refuse(what + "its mass must be above 0");
  if (bad(pad.travel) || pad.travel > pad.size.x) {
    refuse(what + "its travel must be above 0 and at most its thickness");
  }
}

}  // namespace

PadSpec rubber_pad(Vec3 size, const SpatialPose& pose, const Rubber& rubber) {
  constexpr double most_strain = 0.3;
  PadSpec pad;
  pad.size = size;
  pad.pose = pose;
  pad.mass = rubber.density * size.x * size.y * size.z;
  const double of_area = rubber.modulus / size.x;
  pad.stiffness = of_area * size.y * size.z;
  pad.tilt_stiffness = {of_area * size.y * size.z * size.z * size.z / 12.0,
                        of_area * size.z * size.y * size.y * size.y / 12.0};
  pad.damping = rubber.relaxation * pad.stiffness;
  pad.tilt_damping = {rubber.relaxation * pad.tilt_stiffness[0], rubber.relaxation * pad.tilt_stiffness[1]};
  pad.travel = most_strain * size.x;
  return pad;
}

SolidPart pad_part(const PadSpec& pad, const SpatialPose& frame) {
  SolidPart part = box_part("pad", frame, {0.0, -0.5 * pad.size.y, -0.5 * pad.size.z},
                            {pad.size.x, 0.5 * pad.size.y, 0.5 * pad.size.z});
  part.shell = pad.shell;
  return part;
}

int add_pad(SceneSpec& scene, int body, const std::string& name, const PadSpec& pad) {
  check_pad(scene, body, name, pad);
  if (!pad.gives()) {
    scene.bodies[static_cast<std::size_t>(body)].spatial().parts.push_back(pad_part(pad, pad.pose));
    return body;
  }
  // Two links without a shape carry the pad. Each of the three has a third of its mass, and the inertia of that.
  BodySpec link;
  link.form = SpatialBody{};
  link.friction = body_at(scene, body).friction;
  link.mass = pad.mass / 3.0;
  link.spatial().pose = start_pose(body_at(scene, body).spatial()) * pad.pose;
  link.spatial().centre = {0.5 * pad.size.x, 0.0, 0.0};
  link.spatial().inertia = box_inertia(pad.size, link.mass);
  const SpatialPose at = link.spatial().pose;
  const auto named = [&link](std::string own) {
    BodySpec out = link;
    out.name = std::move(own);
    return out;
  };
  const int slider = add_body(scene, named(name + "_slider"));
  const int gimbal = add_body(scene, named(name + "_gimbal"));
  const int touches = add_body(scene, named(name));
  scene.bodies.back().spatial().parts.push_back(pad_part(pad, {}));
  const auto axis = [&at](Vec3 v) { return turned(at.turn, v); };
  const Vec3 x = axis({1.0, 0.0, 0.0});
  const int press = add_joint(scene, name + "_press", JointKind::prismatic, body, slider, at.position, x);
  const int tilt_y =
      add_joint(scene, name + "_tilt_y", JointKind::revolute, slider, gimbal, at.position, axis({0.0, 1.0, 0.0}));
  const int tilt_z =
      add_joint(scene, name + "_tilt_z", JointKind::revolute, gimbal, touches, at.position, axis({0.0, 0.0, 1.0}));
  scene.joints[static_cast<std::size_t>(press)].slide = JointRange{-pad.travel, pad.travel};
  const double most_y = pad.travel / (0.5 * pad.size.z), most_z = pad.travel / (0.5 * pad.size.y);
  scene.joints[static_cast<std::size_t>(tilt_y)].turn = JointRange{-most_y, most_y};
  scene.joints[static_cast<std::size_t>(tilt_z)].turn = JointRange{-most_z, most_z};
  add_joint_spring(scene, press, pad.stiffness, pad.damping);
  add_joint_spring(scene, tilt_y, pad.tilt_stiffness[0], pad.tilt_damping[0]);
  add_joint_spring(scene, tilt_z, pad.tilt_stiffness[1], pad.tilt_damping[1]);
  scene.ignored_pairs.push_back({body, touches});
  return touches;
}

namespace {

void check_gripper(const SceneSpec& scene, const ParallelJaw& g) {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0.0) || !std::isfinite(value)) refuse(std::string("gripper: its ") + what + " must be above 0");
  };
  if (!scene.spatial) refuse("gripper: is for scenes in 3D; set dim = 3");
  positive(g.opening, "opening");
  positive(g.finger.x, "fingers' thickness");
  positive(g.finger.y, "fingers' width");
  positive(g.finger.z, "fingers' length");
  positive(g.finger_mass, "fingers' mass");
  positive(g.force, "force");
  positive(g.speed, "speed");
  positive(g.approach_speed, "approach speed");
  positive(g.lift_speed, "lift speed");
  if (!(g.approach >= 0.0) || !(g.lift >= 0.0) || !(g.close_time >= 0.0)) {
    refuse("gripper: its approach, lift and closing time must be 0 or more");
  }
  if (g.pad && g.pad->size.z > g.finger.z) refuse("gripper: its pads are longer than its fingers; shorten them");
}

// Where things are along z and x, from the middle between the pads.
struct Shape {
  explicit Shape(const ParallelJaw& g)
      : thick(g.pad ? g.pad->size.x : 0.0),
        low(-0.5 * (g.pad ? g.pad->size.z : std::min(g.finger.y, g.finger.z))),
        high(low + g.finger.z),
        front(0.5 * g.opening + thick) {}
  double thick, low, high;  // of a pad; of the fingers' ends
  double front;             // of a finger, half the way between both
};

int add_palm(SceneSpec& scene, const ParallelJaw& g, const Shape& shape, ParallelJawParts& out) {
  const Vec3 up = turned(g.pose.turn, {0.0, 0.0, 1.0});
  const auto at = [&](double height) { return SpatialPose{g.pose.position + height * up, g.pose.turn}; };
  out.closes = g.approach / g.approach_speed;
  constexpr double spare = 0.2;  // [s]
  out.lifts = out.closes + (g.close_time > 0.0 ? g.close_time : 0.5 * g.opening / g.speed + spare);
  BodySpec palm;
  palm.name = "gripper";
  palm.form = SpatialBody{};
  palm.kind = BodyKind::kinematic;
  palm.friction = g.friction;
  std::vector<SpatialKeyframe>& motion = palm.spatial().motion;
  motion.push_back({0.0, at(g.approach), {}});
  if (out.closes > 0.0) motion.push_back({out.closes, at(0.0), {}});
  if (g.lift > 0.0) {
    motion.push_back({out.lifts, at(0.0), {}});
    motion.push_back({out.lifts + g.lift / g.lift_speed, at(g.lift), {}});
  }
  palm.spatial().pose = motion.front().pose;
  const double half = shape.front + g.finger.x;
  palm.spatial().parts.push_back(box_part("palm", {}, {-half, -0.5 * g.finger.y, shape.high},
                                          {half, 0.5 * g.finger.y, shape.high + palm_thickness}));
  return add_body(scene, std::move(palm));
}

// side: -1 the left finger, 1 the right one. Returns the body; its joint is the scene's last.
int add_finger(SceneSpec& scene, const ParallelJaw& g, const Shape& shape, int palm, int side) {
  const SpatialPose frame = body_at(scene, palm).spatial().pose;
  BodySpec finger;
  finger.name = side < 0 ? "left_finger" : "right_finger";
  finger.form = SpatialBody{};
  finger.friction = g.friction;
  finger.mass = g.finger_mass;
  SpatialBody& form = finger.spatial();
  form.pose = frame * SpatialPose{{side * shape.front, 0.0, 0.0}, {}};
  const double outer = side * g.finger.x;
  form.parts.push_back(box_part("finger", {}, {std::min(0.0, outer), -0.5 * g.finger.y, shape.low},
                                {std::max(0.0, outer), 0.5 * g.finger.y, shape.high}));
  form.centre = {0.5 * outer, 0.0, 0.5 * (shape.low + shape.high)};
  form.inertia = box_inertia(g.finger, finger.mass);
  const Vec3 anchor = form.pose.position;
  const int body = add_body(scene, std::move(finger));
  add_joint(scene, side < 0 ? "left_slide" : "right_slide", JointKind::prismatic, palm, body, anchor,
            turned(frame.turn, {-1.0 * side, 0.0, 0.0}));
  return body;
}

}  // namespace

ParallelJawParts add_parallel_jaw(SceneSpec& scene, const ParallelJaw& g) {
  check_gripper(scene, g);
  const Shape shape(g);
  ParallelJawParts out{};
  out.palm = add_palm(scene, g, shape, out);
  out.left = add_finger(scene, g, shape, out.palm, -1);
  out.left_slide = static_cast<int>(scene.joints.size()) - 1;
  out.right = add_finger(scene, g, shape, out.palm, 1);
  out.right_slide = static_cast<int>(scene.joints.size()) - 1;
  scene.joints[static_cast<std::size_t>(out.left_slide)].slide = JointRange{0.0, 0.5 * g.opening};
  scene.couplings.push_back({"jaws", out.right_slide, out.left_slide, 1.0, 0.0});
  ActuatorSpec motor;
  motor.name = "closing";
  motor.joint = out.left_slide;
  motor.kind = ActuatorKind::velocity_servo;
  motor.limit = 2.0 * g.force;
  constexpr double start = 0.01;  // [s] in which it comes to its speed
  motor.program = {{out.closes, 0.0}, {out.closes + start, g.speed}};
  out.motor = static_cast<int>(scene.actuators.size());
  scene.actuators.push_back(motor);
  out.left_touch = out.left;
  out.right_touch = out.right;
  if (!g.pad) return out;
  const auto pad = [&](int finger, const std::string& name, double turn) {
    PadSpec own = *g.pad;
    own.pose = {{}, turn_by({0.0, 0.0, turn})};
    return add_pad(scene, finger, name, own);
  };
  constexpr double half_turn = 3.14159265358979323846;
  out.left_touch = pad(out.left, "left_pad", 0.0);
  out.right_touch = pad(out.right, "right_pad", half_turn);
  return out;
}

}  // namespace pegrasp
