// SPDX-License-Identifier: Apache-2.0
// A planar scene, prepared for the reference simulator: outlines of all parts, pairs of parts that may touch, and the
// parameter vector read by name. It is immutable, built once, and shared by all simulations of the scene.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/common/balance.hpp"
#include "src/reference/common/scene_parts.hpp"
#include "src/reference/planar/outline.hpp"

namespace pegrasp::reference {

using Vector3 = Eigen::Vector3d;  // a pose (x, y, theta), a velocity (vx, vy, omega) or a generalised force

inline Vector3 vector3(const Pose& q) { return {q.x, q.y, q.theta}; }
inline Vector3 vector3(const Twist& v) { return {v.vx, v.vy, v.omega}; }
inline Pose pose_of(const Vector3& q) { return {q[0], q[1], q[2]}; }
inline Twist twist_of(const Vector3& v) { return {v[0], v[1], v[2]}; }

struct PlanarBody {
  BodyKind kind = BodyKind::dynamic;
  bool slides = false;  // one translation is left
  bool turns = true;
  bool endless = false;  // has a half-plane
  Point axis{1.0, 0.0};  // that translation's, world
  double radius = 0.0;   // [m] of a circle about the centre of mass that holds the body, half-planes ignored
  std::vector<Outline> parts;
  int first_part = 0;            // index over all bodies
  std::vector<Keyframe> motion;  // poses relative to the one the scene is described with
  bool repeats = false;          // the keyframes begin again where the last one is reached
  bool follows = false;          // its motors take it along its prescribed motion, and it has no weight
  bool dynamic() const { return kind == BodyKind::dynamic; }
};

struct PlanarActuator {
  int body;
  int joint;  // whose slide or turn it drives, or -1
  ActuatorKind kind;
  bool rotary;
  Vector3 direction;  // the force or couple of one unit; of followers: follow_direction()
};

class PlanarScene {
 public:
  // Throws std::invalid_argument, as compile_model() does, for a scene that cannot be simulated.
  explicit PlanarScene(const SceneSpec& scene);

  const SceneSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  int body_count() const { return static_cast<int>(bodies_.size()); }
  const PlanarBody& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  const std::vector<PartPair>& pairs() const { return pairs_; }
  const std::vector<PlanarActuator>& actuators() const { return actuators_; }
  const std::vector<int>& support_bodies() const { return support_bodies_; }  // body of every support point
  int part_body(int part) const { return part_bodies_[static_cast<std::size_t>(part)]; }
  double joint_arm() const { return joint_arm_; }  // [m] turns of joints count as lengths by it
  int part_count() const { return static_cast<int>(part_bodies_.size()); }
  PlacedOutline place(int part, const Placement& body_placement) const;

 private:
  SceneSpec spec_;
  ParameterLayout layout_;
  std::vector<PlanarBody> bodies_;
  std::vector<PartPair> pairs_;
  std::vector<PlanarActuator> actuators_;
  std::vector<int> support_bodies_, part_bodies_;
  double joint_arm_ = 1.0;
};

inline bool is_quasistatic(const PlanarScene& scene) { return is_quasistatic(scene.spec()); }

// The parameter vector of one scene, read by name.
class PlanarNumbers : public SceneParameters {
 public:
  PlanarNumbers(const PlanarScene& scene, std::span<const double> parameters)
      : SceneParameters(scene.layout(), parameters), scene_(&scene) {}
  const PlanarScene& scene() const { return *scene_; }
  double inertia(int body) const { return at(layout().inertia(body)); }
  // Where the body starts: where its parameters say, moved along with the body that carries it.
  Vector3 pose(int body) const;
  // The frames of a joint in its bodies (in the world where there is no first body), as the scene begins.
  struct JointFrames {
    Vector3 a, b;
  };
  JointFrames joint_frames(const JointSpec& joint) const;
  // The initial velocity that is left where a joint to the world guides the body.
  Vector3 velocity(int body) const;
  // What an actuator is asked for at that time [s]: its parameter plus its program.
  double target(int actuator, double time) const;
  Point support_point(int k) const { return {at(layout().support(k)), at(layout().support(k) + 1)}; }
  double support_load(int k) const { return at(layout().support(k) + ParameterLayout::support_load); }
  double support_friction(int k) const { return at(layout().support(k) + ParameterLayout::support_friction); }

 private:
  Vector3 triple(int index) const { return {at(index), at(index + 1), at(index + 2)}; }

  const PlanarScene* scene_;
};

}  // namespace pegrasp::reference
