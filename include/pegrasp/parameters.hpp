// SPDX-License-Identifier: Apache-2.0
// The flat vector of scene parameters: all that may differ between the scenes of a batch. Sampling writes into it,
// the backends copy it as it is; neither knows what the numbers mean beyond this layout.
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Offsets into the flat vector. Blocks, in order: per body mass, inertia (1; in 3D xx, xy, xz, yy, yz, zz), drop time, pose (3; in
// space x, y, z and the quaternion w, x, y, z), velocity (3; in 3D linear, angular); per
// friction slot mu; per actuator target, limit, stiffness, damping, and of a spherical joint's the target's y and z; per support point x, y, load, mu; and in 3D per body a rotation
// vector (3), by which it is turned in the world about its origin beyond its pose, the centre of mass in its frame (3), and a yaw, a last turn about the world's z: the pose places
// the frame's origin, and is that of the centre of mass where the two are one, as they are by default; per support sphere (SolidPart::support sphere) its
// centre in the body's frame (3).
struct ParameterLayout {
  int body_count = 0;
  int friction_count = 0;  // distinct pairs of bodies that may touch; 0 in scenes too large to list them
  int actuator_count = 0;
  int support_count = 0;  // support points: three per supported body

  int support_sphere_count = 0;  // support spheres: three per supported body, in 3D

  bool spatial = false;

  static constexpr int actuator_stride = 6;
  static constexpr int support_stride = 4;
  static constexpr int support_sphere_stride = 3;

  constexpr int inertia_size() const { return spatial ? 6 : 1; }
  constexpr int pose_size() const { return spatial ? 7 : 3; }
  constexpr int twist_size() const { return spatial ? 6 : 3; }

  constexpr int mass(int body) const { return body; }
  constexpr int inertia(int body) const { return body_count + inertia_size() * body; }
  constexpr int drop_time(int body) const { return inertia(body_count) + body; }
  constexpr int pose(int body) const { return drop_time(body_count) + pose_size() * body; }
  constexpr int velocity(int body) const { return pose(body_count) + twist_size() * body; }
  constexpr int friction(int slot) const { return velocity(body_count) + slot; }
  constexpr int actuator(int index) const { return friction(friction_count) + actuator_stride * index; }
  // Component of an actuator's target; all but the first are those of a spherical joint's.
  static constexpr int target_component(int component) { return component == 0 ? 0 : 3 + component; }
  constexpr int support(int point) const { return actuator(actuator_count) + support_stride * point; }
  constexpr int tilt(int body) const { return support(support_count) + 3 * body; }
  constexpr int centre(int body) const { return tilt(body_count) + 3 * body; }
  constexpr int yaw(int body) const { return centre(body_count) + body; }
  constexpr int support_sphere(int index) const { return yaw(body_count) + support_sphere_stride * index; }
  constexpr int size() const { return spatial ? support_sphere(support_sphere_count) : support(support_count); }
};

// Up to so many pairs of bodies that may touch are listed, each with a friction parameter of its own. Scenes with more are
// for the batched strategy (StepOptions::strategy), and their friction is the same in all scenes of a batch.
constexpr long largest_pair_list = 1L << 20;
bool lists_pairs(const SceneSpec& scene);
// Can the two bodies (either order) ever touch? Not if neither is dynamic, one has no parts, or the scene says so.
bool may_touch(const SceneSpec& scene, int body_a, int body_b);

// Layout and values of a scene as described. friction_slot() finds the slot of a pair of bodies (either order), -1 when
// the two can never touch, and throws std::invalid_argument, one line, when the scene lists no pairs; support_point()
// finds the first support point, or in 3D the first support sphere, of a body, -1 without a support.
ParameterLayout parameter_layout(const SceneSpec& scene);
std::vector<double> scene_parameters(const SceneSpec& scene);
int friction_slot(const SceneSpec& scene, int body_a, int body_b);
int support_point(const SceneSpec& scene, int body);

}  // namespace pegrasp
