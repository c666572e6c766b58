// SPDX-License-Identifier: Apache-2.0
// A scene in 3D as the reference steps it. Compiled once, shared by all simulations of the scene; immutable.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

struct SpaceKeyframe {
  double time;
  Vector3 shift;  // from where the scene describes the body
  Turn turn;      // beyond the turn that the scene describes
};

struct SpaceBody {
  BodyKind kind = BodyKind::dynamic;
  double radius = 0.0;  // [m] of a ball about the frame's origin that holds the body
  std::vector<Solid> parts;
  int first_part = 0;  // index over all bodies
  std::vector<SpaceKeyframe> motion;
  bool dynamic() const { return kind == BodyKind::dynamic; }
};

// Two parts of different bodies that may touch; body_a < body_b.
struct PartPair {
  int body_a, body_b;
  int part_a, part_b;  // index over all bodies
  int slot;            // friction slot
};

// [m] of torsional and rolling friction (Berard 3.82), 0: none.
struct FrictionArms {
  double torsion = 0.0, rolling = 0.0;
};

class SpatialScene {
 public:
  // Throws std::invalid_argument, one line, for a scene that cannot be simulated, or not by the reference.
  explicit SpatialScene(const SceneSpec& scene);

  const SceneSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  int body_count() const { return static_cast<int>(bodies_.size()); }
  const SpaceBody& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  const std::vector<PartPair>& pairs() const { return pairs_; }
  FrictionArms arms(int body_a, int body_b) const;
  int part_count() const { return static_cast<int>(part_bodies_.size()); }
  int part_body(int part) const { return part_bodies_[static_cast<std::size_t>(part)]; }
  PlacedSolid place(int part, const Placement& body_placement) const;
  Vector3 gravity() const { return {spec_.gravity.x, spec_.gravity.y, spec_.gravity_z}; }
  double joint_arm() const { return joint_arm_; }  // [m] angular rows of joints are angles times this

 private:
  SceneSpec spec_;
  ParameterLayout layout_;
  std::vector<SpaceBody> bodies_;
  std::vector<PartPair> pairs_;
  std::vector<int> part_bodies_;
  double joint_arm_ = 1.0;
};

// One scene's numbers: the parameter vector by name.
class SpatialNumbers {
 public:
  SpatialNumbers(const SpatialScene& scene, std::span<const double> parameters);
  const SpatialScene& scene() const { return *scene_; }
  bool finite() const;
  double mass(int body) const { return at(layout().mass(body)); }
  Matrix3 inertia(int body) const;  // body frame, about the centre of mass
  double drop_time(int body) const { return at(layout().drop_time(body)); }
  Vector3 centre(int body) const { return triple(layout().centre(body)); }  // of mass, body frame
  // Where the body begins: its centre of mass and its turn, tilt and yaw included.
  Vector3 start_centre(int body) const;
  Turn yaw(int body) const;
  Turn start_turn(int body) const;
  Vector3 linear_velocity(int body) const { return triple(layout().velocity(body)); }
  Vector3 angular_velocity(int body) const { return triple(layout().velocity(body) + 3); }
  double friction(int slot) const { return at(layout().friction(slot)); }
  // What an actuator is asked for: its parameter and, on top, its program, linear between keys and held outside.
  double target(int actuator, double time) const { return targets(actuator, time).x(); }
  Vector3 targets(int actuator, double time) const;  // of a spherical joint's
  double limit(int actuator) const { return at(layout().actuator(actuator) + 1); }
  double stiffness(int actuator) const { return at(layout().actuator(actuator) + 2); }
  double damping(int actuator) const { return at(layout().actuator(actuator) + 3); }

 private:
  const ParameterLayout& layout() const { return scene_->layout(); }
  double at(int index) const { return values_[static_cast<std::size_t>(index)]; }
  Vector3 triple(int index) const { return {at(index), at(index + 1), at(index + 2)}; }

  const SpatialScene* scene_;
  std::vector<double> values_;
};

}  // namespace pegrasp::reference::spatial
