// SPDX-License-Identifier: Apache-2.0
// A spatial scene, prepared for the reference simulator. It is immutable, built once, and shared by all simulations of
// the scene.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pegrasp/parameters.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/common/balance.hpp"
#include "src/reference/common/scene_parts.hpp"
#include "src/reference/spatial/solid.hpp"

namespace pegrasp::reference::spatial {

struct KeyPose {
  double time;
  Vector3 shift;  // from where the scene describes the body
  Turn turn;      // beyond the turn that the scene describes
};

// Two motions, one after the other: the second turns along with another body's start.
struct KeyPoses {
  std::vector<KeyPose> world, own;
};

struct BodyModel {
  BodyKind kind = BodyKind::dynamic;
  Vector3 middle = Vector3::Zero();  // of a ball that holds the body, in its frame
  double radius = 0.0;               // [m] of that ball
  std::vector<Solid> parts;
  int first_part = 0;  // index over all bodies
  KeyPoses motion;
  bool repeats = false;  // keyframes begin again where the last one is reached
  bool turns = true;
  bool endless = false;  // has a half-space
  bool follows = false;  // its motors take it along its prescribed motion, and it has no weight
  bool dynamic() const { return kind == BodyKind::dynamic; }
};

// [m] of torsional and rolling friction (Berard 3.82), 0: none.
struct FrictionArms {
  double torsion = 0.0, rolling = 0.0;
};

class SpatialScene {
 public:
  // Throws std::invalid_argument, one line, for a scene that cannot be simulated, or not by the reference simulator.
  explicit SpatialScene(const SceneSpec& scene);

  const SceneSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  int body_count() const { return static_cast<int>(bodies_.size()); }
  const BodyModel& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  const std::vector<PartPair>& pairs() const { return pairs_; }
  FrictionArms arms(int body_a, int body_b) const;
  int part_count() const { return static_cast<int>(part_bodies_.size()); }
  int part_body(int part) const { return part_bodies_[static_cast<std::size_t>(part)]; }
  const Solid& solid(int part) const {
    const BodyModel& owner = body(part_body(part));
    return owner.parts[static_cast<std::size_t>(part - owner.first_part)];
  }
  PlacedSolid place(int part, const Placement& body_placement) const;
  Vector3 gravity(int on_body) const {
    if (body(on_body).follows) return Vector3::Zero();
    return {spec_.gravity.x, spec_.gravity.y, spec_.gravity_z};
  }
  double joint_arm() const { return joint_arm_; }  // [m] angular rows of joints are angles times this

 private:
  SceneSpec spec_;
  ParameterLayout layout_;
  std::vector<BodyModel> bodies_;
  std::vector<PartPair> pairs_;
  std::vector<int> part_bodies_;
  double joint_arm_ = 1.0;
};

// The parameter vector of one scene, read by name.
class SpatialNumbers : public SceneParameters {
 public:
  SpatialNumbers(const SpatialScene& scene, std::span<const double> parameters)
      : SceneParameters(scene.layout(), parameters), scene_(&scene) {}
  const SpatialScene& scene() const { return *scene_; }
  Matrix3 inertia(int body) const;  // about the centre of mass, in the body's frame
  Vector3 centre(int body) const { return triple(layout().centre(body)); }  // of mass, in the body's frame
  // Where the body starts: its centre of mass and its orientation, tilt, yaw and what carries it included.
  Vector3 start_centre(int body) const;
  Turn yaw(int body) const;
  Turn start_turn(int body) const;
  // A frame in a body or in the world.
  struct BodyFrame {
    Vector3 place;
    Turn turn;
  };
  // The frames of a joint in its bodies (in the world where there is no first body), as the scene begins.
  struct JointFrames {
    BodyFrame a, b;
  };
  JointFrames joint_frames(const JointSpec& joint) const;
  // How the start of a body is turned away from how the scene describes it.
  Turn turned_at_start(int body) const;
  // The velocity [m/s] that pulls give a body where a (sub)step of h [s] begins at `time`, after one of `last`.
  Vector3 pulled_speed(int body, double time, double last, double h) const;
  Vector3 pulled_by(int body, double time) const;  // acceleration [m/s^2]
  Vector3 linear_velocity(int body) const { return triple(layout().velocity(body)); }
  Vector3 angular_velocity(int body) const { return triple(layout().velocity(body) + 3); }
  // What an actuator is asked for at that time [s]: its parameter plus its program. `targets`: of a spherical joint's.
  double target(int actuator, double time) const { return targets(actuator, time).x(); }
  Vector3 targets(int actuator, double time) const;

 private:
  Vector3 triple(int index) const { return {at(index), at(index + 1), at(index + 2)}; }
  // Where the body's frame starts, and where its own parameters put it, without what the body that carries it adds.
  BodyFrame start_frame(int body) const;
  BodyFrame given_frame(int body) const;

  const SpatialScene* scene_;
};

}  // namespace pegrasp::reference::spatial
