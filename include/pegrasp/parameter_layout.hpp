// SPDX-License-Identifier: Apache-2.0
// Where each parameter of a scene is in the flat vector of its parameters. Plain data, shared by the host and the
// kernels.
#pragma once

namespace pegrasp {

// Offsets into the flat vector of scene parameters. Blocks follow each other in this order:
//   per body            mass [kg]
//   per body            inertia [kg m^2]: one number, or in 3D xx, xy, xz, yy, yz, zz
//   per body            drop time [s]
//   per body            pose: x, y, theta, or in 3D x, y, z and the quaternion w, x, y, z
//   per body            velocity: vx, vy, omega, or in 3D linear and angular
//   per friction slot   mu
//   per actuator        target, limit, stiffness, damping, and of the motor of a spherical joint the target's y and z
//   per support point   x, y [m], load [N], mu
// and in 3D
//   per body            tilt: a rotation vector [rad], world, by which the body is turned about its origin on top of
//                       its pose
//   per body            centre: the centre of mass in the body's frame [m]
//   per body            yaw: a last turn about the world's z [rad]
//   per support sphere  (SolidPart::support_sphere) its centre in the body's frame [m]
// and last
//   per body that oscillates (BodySpec::oscillation) its frequency [Hz]; amplitudes [m/s^2, rad/s^2], then phases
//                       [rad], of its acceleration in x, y and theta, or in 3D in x, y, z and about them
// In 3D the pose places the body's frame. It is the pose of the centre of mass where that is the frame's origin, the
// default.
struct ParameterLayout {
  int body_count = 0;
  int friction_count = 0;  // distinct pairs of bodies that may touch; 0 in scenes too large to list them
  int actuator_count = 0;
  int support_count = 0;         // support points: three per supported body, in 2D
  int support_sphere_count = 0;  // support spheres: three per supported body, in 3D
  int oscillation_count = 0;     // bodies that oscillate
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
  // Places within the block of an actuator and of a support point, after the target and the point.
  static constexpr int actuator_limit = 1, actuator_stiffness = 2, actuator_damping = 3;
  static constexpr int support_load = 2, support_friction = 3;
  // Component of an actuator's target; all but the first are those of a spherical joint's.
  static constexpr int target_component(int component) { return component == 0 ? 0 : 3 + component; }
  constexpr int support(int point) const { return actuator(actuator_count) + support_stride * point; }
  constexpr int tilt(int body) const { return support(support_count) + 3 * body; }
  constexpr int centre(int body) const { return tilt(body_count) + 3 * body; }
  constexpr int yaw(int body) const { return centre(body_count) + body; }
  constexpr int support_sphere(int index) const { return yaw(body_count) + support_sphere_stride * index; }
  // Within the block: the frequency, then the amplitudes, then the phases.
  constexpr int oscillation_stride() const { return 1 + 2 * twist_size(); }
  constexpr int oscillation(int index) const {
    return (spatial ? support_sphere(support_sphere_count) : support(support_count)) + oscillation_stride() * index;
  }
  constexpr int size() const { return oscillation(oscillation_count); }
};

}  // namespace pegrasp
