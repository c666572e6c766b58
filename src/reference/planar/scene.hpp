// SPDX-License-Identifier: Apache-2.0
// A scene as the reference steps it: outlines of all parts, pairs that may touch, and what the parameter vector says of
// bodies. Compiled once, shared by all simulations of the scene; immutable.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/planar/outline.hpp"

namespace pegrasp::reference {

using Vector3 = Eigen::Vector3d;  // a pose (x, y, theta), a velocity (vx, vy, omega) or a generalised force

inline Vector3 vector3(const Pose& q) { return {q.x, q.y, q.theta}; }
inline Vector3 vector3(const Twist& v) { return {v.vx, v.vy, v.omega}; }
inline Pose pose_of(const Vector3& q) { return {q[0], q[1], q[2]}; }
inline Twist twist_of(const Vector3& v) { return {v[0], v[1], v[2]}; }

struct ReferenceBody {
  BodyKind kind = BodyKind::dynamic;
  bool slides = false;   // one translation is left
  Point axis{1.0, 0.0};  // that translation's, world
  double radius = 0.0;   // [m] of a circle about the centre of mass that holds the body, half-planes ignored
  std::vector<Outline> parts;
  int first_part = 0;            // index over all bodies
  std::vector<Keyframe> motion;  // poses relative to the one the scene is described with
  bool dynamic() const { return kind == BodyKind::dynamic; }
};

// Two parts of different bodies that may touch; body_a < body_b.
struct PartPair {
  int body_a, body_b;
  int part_a, part_b;  // index over all bodies
  int slot;            // friction slot
};

struct ReferenceActuator {
  int body;
  int joint;  // whose slide or turn it drives, or -1
  ActuatorKind kind;
  bool rotary;
  Vector3 direction;  // the force or couple of one unit
};

class ReferenceScene {
 public:
  // Throws std::invalid_argument, as compile_model() does, for a scene that cannot be simulated.
  explicit ReferenceScene(const SceneSpec& scene);

  const SceneSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  int body_count() const { return static_cast<int>(bodies_.size()); }
  const ReferenceBody& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  const std::vector<PartPair>& pairs() const { return pairs_; }
  const std::vector<ReferenceActuator>& actuators() const { return actuators_; }
  const std::vector<int>& support_bodies() const { return support_bodies_; }  // body of every support point
  int part_body(int part) const { return part_bodies_[static_cast<std::size_t>(part)]; }
  double joint_arm() const { return joint_arm_; }  // [m] turns of joints count as lengths by it
  int part_count() const { return static_cast<int>(part_bodies_.size()); }
  PlacedOutline place(int part, const Placement& body_placement) const;

 private:
  SceneSpec spec_;
  ParameterLayout layout_;
  std::vector<ReferenceBody> bodies_;
  std::vector<PartPair> pairs_;
  std::vector<ReferenceActuator> actuators_;
  std::vector<int> support_bodies_, part_bodies_;
  double joint_arm_ = 1.0;
};

// One scene's numbers: the parameter vector by name.
class SceneNumbers {
 public:
  SceneNumbers(const ReferenceScene& scene, std::span<const double> parameters);
  const ReferenceScene& scene() const { return *scene_; }
  bool finite() const;
  double mass(int body) const { return at(layout().mass(body)); }
  double inertia(int body) const { return at(layout().inertia(body)); }
  double drop_time(int body) const { return at(layout().drop_time(body)); }
  Vector3 pose(int body) const { return triple(layout().pose(body)); }
  // As a joint to the world leaves it.
  Vector3 velocity(int body) const;
  double friction(int slot) const { return at(layout().friction(slot)); }
  // What an actuator is asked for: its parameter and, on top, its program.
  double target(int actuator, double time) const;
  double limit(int actuator) const { return at(layout().actuator(actuator) + 1); }
  double stiffness(int actuator) const { return at(layout().actuator(actuator) + 2); }
  double damping(int actuator) const { return at(layout().actuator(actuator) + 3); }
  Point support_point(int k) const { return {at(layout().support(k)), at(layout().support(k) + 1)}; }
  double support_load(int k) const { return at(layout().support(k) + 2); }
  double support_friction(int k) const { return at(layout().support(k) + 3); }

 private:
  const ParameterLayout& layout() const { return scene_->layout(); }
  double at(int index) const { return values_[static_cast<std::size_t>(index)]; }
  Vector3 triple(int index) const { return {at(index), at(index + 1), at(index + 2)}; }

  const ReferenceScene* scene_;
  std::vector<double> values_;
};

}  // namespace pegrasp::reference
