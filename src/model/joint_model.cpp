// SPDX-License-Identifier: Apache-2.0
#include "src/model/joint_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "pegrasp/names.hpp"
#include "src/geometry/placement.hpp"
#include "src/scene/coupling.hpp"
#include "src/scene/joint_limits.hpp"

namespace pegrasp {
namespace {

constexpr double no_limit = 1e300;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::string in_words(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

bool is_dynamic(const SceneSpec& scene, int body) {
  return body >= 0 && scene.bodies[static_cast<std::size_t>(body)].kind == BodyKind::dynamic;
}

bool slides(JointKind kind) { return kind == JointKind::prismatic || kind == JointKind::cylindrical; }
bool has_slide(JointKind kind) { return slides(kind) || kind == JointKind::distance; }
bool turns(JointKind kind) { return kind == JointKind::revolute || kind == JointKind::cylindrical; }

// Tolerance, relative to the scene's size, within which frames given to a few digits count as equal.
constexpr double apart_most = 1e-5;

void refuse_apart(const std::string& name, double by) {
  refuse(name + "the two bodies hold their joint frames " + in_words(by) +
         " m apart, in a direction that the joint does not leave; move a body or a frame");
}

// The initial coordinates of the joint must lie within its limits.
void check_start(const JointSpec& joint, const std::string& name, double slide, double turn, double arm) {
  constexpr double whole = 6.283185307179586;
  if (joint.slide && !(slide >= joint.slide->low - apart_most * arm && slide <= joint.slide->high + apart_most * arm)) {
    refuse(name + "begins with a slide of " + in_words(slide) + " m, beyond its limits; move a body, or the limits");
  }
  turn -= whole * std::round(turn / whole);
  if (joint.turn && !(turn >= joint.turn->low - apart_most && turn <= joint.turn->high + apart_most)) {
    refuse(name + "begins with a turn of " + in_words(turn) +
           " rad, beyond its limits; turn a body, or move the limits");
  }
}

SpatialPose pose_of(const SceneSpec& scene, int body) {
  return body < 0 ? SpatialPose{} : start_pose(scene.bodies[static_cast<std::size_t>(body)].spatial());
}

void put_frame(const SpatialPose& frame, std::vector<double>& out) {
  const Vec3 x = turned(frame.turn, {1.0, 0.0, 0.0});
  const Vec3 y = turned(frame.turn, {0.0, 1.0, 0.0});
  const Vec3 z = turned(frame.turn, {0.0, 0.0, 1.0});
  for (const Vec3& v : {frame.position, x, y, z}) out.insert(out.end(), {v.x, v.y, v.z});
}

void add_spatial_frames(const SceneSpec& scene, const JointSpec& joint, const std::string& name, double arm,
                        ModelArrays& out) {
  const auto& [a, b] = joint.spatial();
  for (const SpatialPose& frame : {a, b}) {
    const Quaternion q = frame.turn;
    const double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(std::fabs(norm - 1.0) < 1e-6)) refuse(name + "the quaternion of a frame is not of unit length");
    put_frame({frame.position, normalised(q)}, out.joint_frame);
  }
  const SpatialPose apart = inverse(pose_of(scene, joint.body_a) * a) * (pose_of(scene, joint.body_b) * b);
  const Vec3 x = apart.position;
  if (joint.kind == JointKind::distance) {
    check_start(joint, name, length(x), 0.0, arm);
    return;
  }
  double error = slides(joint.kind) ? std::hypot(x.x, x.y) : length(x);
  const Vec3 axis = turned(apart.turn, {0.0, 0.0, 1.0});
  if (joint.kind != JointKind::spherical) error = std::max(error, arm * length(axis - Vec3{0.0, 0.0, 1.0}));
  if (joint.kind == JointKind::fixed || joint.kind == JointKind::prismatic) {
    error = std::max(error, arm * length(turn_vector(apart.turn)));
  }
  if (!(error <= apart_most * arm)) refuse_apart(name, error);
  check_start(joint, name, x.z, 2.0 * std::atan2(apart.turn.z, apart.turn.w), arm);
  const double swing = std::atan2(std::hypot(axis.x, axis.y), axis.z);
  if (joint.swing && !(swing <= *joint.swing + apart_most)) {
    refuse(name + "begins with a swing of " + in_words(swing) + " rad, beyond its limit; turn a body, or widen it");
  }
}

void add_planar_frames(const SceneSpec& scene, const JointSpec& joint, const std::string& name, double arm,
                       ModelArrays& out) {
  const Pose a = joint.planar().a;
  const Pose b = joint.planar().b;
  const double offset = b.theta - a.theta;
  for (const double value : {a.x, a.y, std::cos(a.theta), std::sin(a.theta), b.x, b.y, offset}) {
    out.joint_frame.push_back(value);
  }
  const auto placed = [&](int body, const Pose& frame) {
    if (body < 0) return frame;
    const Pose base = scene.bodies[static_cast<std::size_t>(body)].planar().pose;
    const double c = std::cos(base.theta);
    const double s = std::sin(base.theta);
    return Pose{base.x + c * frame.x - s * frame.y, base.y + s * frame.x + c * frame.y, base.theta + frame.theta};
  };
  const Pose first = placed(joint.body_a, a);
  const Pose second = placed(joint.body_b, b);
  if (joint.kind == JointKind::distance) {
    check_start(joint, name, std::hypot(second.x - first.x, second.y - first.y), 0.0, arm);
    return;
  }
  const double along = std::cos(first.theta) * (second.x - first.x) + std::sin(first.theta) * (second.y - first.y);
  const double across = std::cos(first.theta) * (second.y - first.y) - std::sin(first.theta) * (second.x - first.x);
  double error = slides(joint.kind) ? std::fabs(across) : std::hypot(along, across);
  if (!turns(joint.kind)) error = std::max(error, arm * std::fabs(second.theta - first.theta));
  if (!(error <= apart_most * arm)) refuse_apart(name, error);
  check_start(joint, name, along, second.theta - first.theta, arm);
}

}  // namespace

void add_joint(const SceneSpec& scene, const JointSpec& joint, ModelArrays& out) {
  const std::string name = joint_words(joint) + ": ";
  const int count = static_cast<int>(scene.bodies.size());
  if (joint.body_b < 0 || joint.body_b >= count || joint.body_a < -1 || joint.body_a >= count ||
      joint.body_a == joint.body_b) {
    refuse(name + "it needs two different bodies of the scene, or one and the world");
  }
  if (!is_dynamic(scene, joint.body_a) && !is_dynamic(scene, joint.body_b)) {
    refuse(name + "neither of its bodies is dynamic");
  }
  const bool planar_kind = joint.kind != JointKind::cylindrical && joint.kind != JointKind::spherical;
  if (!scene.spatial && !planar_kind) refuse(name + "cylindrical and spherical joints are for scenes in 3D");
  if (joint.slide && !has_slide(joint.kind)) {
    refuse(name + "slide limits are for prismatic, cylindrical and distance joints");
  }
  if (joint.turn && !turns(joint.kind))
    refuse(name + "turn limits are for revolute and cylindrical joints; a spherical one has a swing");
  if (joint.swing && joint.kind != JointKind::spherical) refuse(name + "a swing limit is for spherical joints");
  if (joint.swing && !(*joint.swing >= least_swing && *joint.swing <= most_swing)) {
    refuse(name + "its swing limit must be " + in_words(least_swing) + " to " + in_words(most_swing) + " rad");
  }
  for (const std::optional<JointRange>& range : {joint.slide, joint.turn}) {
    if (range && !(range->low <= range->high)) refuse(name + "the lower limit is above the upper one");
  }
  if (joint.is_spatial() != scene.spatial) {
    refuse(name + "its frames are not those of the scene; make it with make_joint() of this scene");
  }
  const double arm = length_scale(scene);
  const auto limit = [&](const std::optional<JointRange>& range) {
    out.joint_limit.push_back(range ? std::max(range->low, -no_limit) : -no_limit);
    out.joint_limit.push_back(range ? std::min(range->high, no_limit) : no_limit);
  };
  limit(joint.slide);
  limit(joint.swing ? JointRange{-no_limit, *joint.swing} : joint.turn);
  out.joint_kind.push_back(static_cast<int>(joint.kind));
  out.joint_body_a.push_back(joint.body_a);
  out.joint_body_b.push_back(joint.body_b);
  out.joint_arm.push_back(arm);
  out.joint_anchor.push_back(static_cast<int>(joint.anchor));
  if (scene.spatial) {
    add_spatial_frames(scene, joint, name, arm, out);
  } else {
    add_planar_frames(scene, joint, name, arm, out);
  }
}

// Bodies that are not dynamic, and those that a rail holds, are roots; so is the first body of what hangs on none.
void find_joint_tree(const SceneSpec& scene, ModelArrays& out) {
  const std::size_t bodies = scene.bodies.size();
  const int joints = static_cast<int>(out.joint_kind.size());
  out.joint_child.assign(static_cast<std::size_t>(joints), -1);
  std::vector<std::vector<int>> at(bodies + 1);  // joints of every body, those of the world last
  const auto place = [&](int body) { return body < 0 ? bodies : static_cast<std::size_t>(body); };
  for (int k = 0; k < joints; ++k) {
    const auto j = static_cast<std::size_t>(k);
    if (out.joint_kind[j] == static_cast<int>(JointKind::distance)) continue;  // holds nothing
    at[place(out.joint_body_a[j])].push_back(k);
    at[place(out.joint_body_b[j])].push_back(k);
  }
  std::vector<char> reached(bodies + 1, 0);
  std::vector<std::size_t> queue;
  const auto reach = [&](std::size_t body) {
    reached[body] = 1;
    queue.push_back(body);
  };
  std::vector<int> found;
  std::size_t next = 0;
  const auto spread = [&] {
    for (; next < queue.size(); ++next) {
      for (const int k : at[queue[next]]) {
        const auto j = static_cast<std::size_t>(k);
        const std::size_t a = place(out.joint_body_a[j]);
        const std::size_t other = a == queue[next] ? place(out.joint_body_b[j]) : a;
        if (reached[other] != 0) continue;
        out.joint_child[j] = static_cast<int>(other);
        found.push_back(k);
        reach(other);
      }
    }
  };
  reach(bodies);
  for (std::size_t b = 0; b < bodies; ++b) {
    if (!is_dynamic(scene, static_cast<int>(b)) || out.body_slides[b] != 0) reach(b);
  }
  spread();
  for (std::size_t b = 0; b < bodies; ++b) {
    if (reached[b] == 0 && !at[b].empty()) reach(b);
    spread();
  }
  out.joint_order.assign(found.rbegin(), found.rend());
  for (int k = 0; k < joints; ++k) {
    if (out.joint_child[static_cast<std::size_t>(k)] < 0) out.joint_order.push_back(k);
  }
}

void add_coupling(const SceneSpec& scene, std::size_t index, ModelArrays& out) {
  const CouplingSpec& coupling = scene.couplings[index];
  const std::string name = "coupling \"" + coupling.name + "\": ";
  if (const std::optional<std::string> fault = coupling_fault(scene, index)) refuse(name + *fault);
  const JointSpec& joint = scene.joints[static_cast<std::size_t>(coupling.joint)];
  const JointSpec& other = scene.joints[static_cast<std::size_t>(coupling.of_joint)];
  const double arm = length_scale(scene);
  const double scale = joint.kind == JointKind::revolute ? arm : 1.0;
  const double begins = start_coordinate(scene, joint);
  const double asked = coupling.factor * start_coordinate(scene, other) + coupling.offset;
  if (!(scale * std::fabs(begins - asked) <= apart_most * arm)) {
    const char* unit = joint.kind == JointKind::revolute ? " rad" : " m";
    refuse(name + "joint \"" + joint.name + "\" begins at " + in_words(begins) + unit +
           ", where factor and offset ask for " + in_words(asked) + unit + "; move a body, or add " +
           in_words(begins - asked) + unit + " to the offset");
  }
  out.coupling_joint.insert(out.coupling_joint.end(), {coupling.joint, coupling.of_joint});
  out.coupling_factor.push_back(coupling.factor);
  out.coupling_offset.push_back(coupling.offset);
  out.coupling_scale.push_back(scale);
}

void add_actuator(const SceneSpec& scene, const ActuatorSpec& actuator, ModelArrays& out) {
  const std::string name = "actuator \"" + actuator.name + "\": ";
  int body = actuator.body;
  if (actuator.joint >= 0) {
    if (actuator.joint >= static_cast<int>(scene.joints.size())) refuse(name + "it names no joint of the scene");
    const JointSpec& joint = scene.joints[static_cast<std::size_t>(actuator.joint)];
    const bool turned = turns(joint.kind) || joint.kind == JointKind::spherical;
    if (actuator.rotary ? !turned : !has_slide(joint.kind)) {
      refuse(name + "joint \"" + joint.name + "\" does not " + (actuator.rotary ? "turn" : "slide"));
    }
    body = joint.body_b;
    const int across = joint.kind == JointKind::distance ? (scene.spatial ? 2 : 1) : 0;
    if (actuator.component < 0 || actuator.component > across) refuse(name + "springs are made by add_spring()");
    if (actuator.component > 0 && actuator.kind != ActuatorKind::position_servo)
      refuse(name + "what acts across a line is a damper, made by add_spring()");
  } else {
    if (scene.spatial && actuator.rotary && actuator.kind != ActuatorKind::follow) {
      refuse(name + "in 3D what turns a body is a joint: add one between the body and the world");
    }
    if (!is_dynamic(scene, body) || body >= static_cast<int>(scene.bodies.size())) {
      refuse(name + "it must drive a dynamic body");
    }
  }
  const bool follows = actuator.kind == ActuatorKind::follow;
  const int components = scene.spatial ? 3 : (actuator.rotary ? 1 : 2);
  if (follows && (actuator.joint >= 0 || actuator.component < 0 || actuator.component >= components)) {
    refuse(name + "what follows keyframes is made by limit_force()");
  }
  if (actuator.kind != ActuatorKind::force && !(actuator.limit >= 0.0)) refuse(name + "the limit must not be negative");
  const bool ball = drives_ball(scene, actuator);
  const auto is_set = [](const Vec3& v) { return v.x != 0.0 || v.y != 0.0 || v.z != 0.0; };
  const auto check_target = [&](double target, const Vec3& vector) {
    if (!std::isfinite(target + vector.x + vector.y + vector.z)) refuse(name + "its targets must be finite numbers");
    if (ball && target != 0.0) refuse(name + "the target of a spherical joint's motor is a vector");
    if (!ball && is_set(vector)) refuse(name + "only the motor of a spherical joint has vectors for targets");
    const bool too_far = std::max({std::fabs(vector.x), std::fabs(vector.y), std::fabs(vector.z)}) > farthest_turn;
    if (actuator.kind == ActuatorKind::position_servo && too_far) {
      refuse(name + "its targets must be rotation vectors of at most " + in_words(farthest_turn) + " rad an axis");
    }
  };
  check_target(actuator.target, actuator.ball);
  const double length = std::sqrt(actuator.axis.x * actuator.axis.x + actuator.axis.y * actuator.axis.y);
  if (!actuator.rotary && !(length > 0.0)) refuse(name + "the axis has no direction");
  for (std::size_t k = 0; k < actuator.program.size(); ++k) {
    const TargetKey& key = actuator.program[k];
    if (!std::isfinite(key.time)) refuse(name + "its program must hold finite numbers");
    check_target(key.target, key.ball);
    if (k > 0 && !(key.time > actuator.program[k - 1].time)) refuse(name + "the times of its program must increase");
    out.key_time.push_back(key.time);
    out.key_target.insert(out.key_target.end(), {ball ? key.ball.x : key.target, key.ball.y, key.ball.z});
  }
  out.motor_rows += ball ? 3 : 1;
  out.actuator_body.push_back(body);
  out.actuator_joint.push_back(actuator.joint);
  out.actuator_kind.push_back(static_cast<int>(actuator.kind));
  out.actuator_rotary.push_back(actuator.rotary ? 1 : 0);
  out.actuator_component.push_back(actuator.component);
  const double scale = length > 0.0 ? 1.0 / length : 0.0;
  out.actuator_axis.insert(out.actuator_axis.end(), {scale * actuator.axis.x, scale * actuator.axis.y});
  out.actuator_first_key.push_back(static_cast<int>(out.key_time.size()));
}

}  // namespace pegrasp
