// SPDX-License-Identifier: Apache-2.0
// Grippers and pads from a few numbers, for scenes in 3D. They become plain bodies, joints, couplings and actuators.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// A pad on a body: a box whose back lies against the body. In its frame x points away from the body, and the origin is
// the middle of its back. Without stiffness it is rigid, a part of the body. Otherwise it is a body of its own that
// gives on springs: it moves back along x by at most `travel`, and tilts about y and z through the middle of its back.
struct PadSpec {
  Vec3 size;                                           // [m] along x, y, z
  SpatialPose pose;                                    // in the frame of the body
  double mass = 0.0;                                   // [kg] of a pad that gives
  double stiffness = 0.0;                              // [N/m] along x
  double damping = 0.0;                                // [N s/m]
  std::array<double, 2> tilt_stiffness{};              // [N m/rad] about y and z
  std::array<double, 2> tilt_damping{};                // [N m s/rad]
  double travel = 0.0;                                 // [m]
  std::optional<CompliantShell> shell = std::nullopt;  // of the part, whether it gives on springs or not
  bool gives() const { return stiffness > 0.0; }
};

// A block of rubber of that Young's modulus [Pa] and density [kg/m^3], glued to the body by its back: K = E A / t along
// x, and E I / t about y and z, with A the area of the face, I its second moments and t the thickness. Damping is the
// stiffness times `relaxation` [s]. It gives way by at most three tenths of its thickness.
struct Rubber {
  double modulus = 0.0, density = 0.0, relaxation = 0.0;
};
// Shore A 70 and Shore A 30: moduli by Gent's formula (A. N. Gent, On the relation between indentation hardness and
// Young's modulus, Rubber Chemistry and Technology 31 (1958) 896-906).
inline constexpr Rubber hard_rubber{5.5e6, 1200.0, 0.002};
inline constexpr Rubber soft_rubber{1.1e6, 1100.0, 0.002};
PadSpec rubber_pad(Vec3 size, const SpatialPose& pose, const Rubber& rubber);

// The part that a pad is, in the frame in which its own frame is given.
SolidPart pad_part(const PadSpec& pad, const SpatialPose& frame);

// Adds a pad to a body of the scene. One that gives is called `name`; its joints are name_press, name_tilt_y and
// name_tilt_z, and its springs are motors of these joints with the same names, behind the scene's actuators. Returns
// the body that touches. Throws std::invalid_argument, one line, for sizes and stiffnesses that make no pad.
int add_pad(SceneSpec& scene, int body, const std::string& name, const PadSpec& pad);

// A gripper of two fingers on a palm that comes, closes and lifts. Its frame lies in the middle between the pads: the
// fingers point along -z and close along x. The right finger mirrors the left one by a coupling, and one motor closes
// both.
struct ParallelJaw {
  SpatialPose pose;             // where it closes
  double opening = 0.0;         // [m] between the pads, or the fingers, at the start
  Vec3 finger;                  // [m] size of a finger along x, y, z
  double finger_mass = 0.1;     // [kg]
  std::optional<PadSpec> pad;   // of each finger; its pose is set here
  double force = 0.0;           // [N] with which each finger presses at most
  double speed = 0.05;          // [m/s] of each finger as they close
  double approach = 0.0;        // [m] it comes from so far along z
  double approach_speed = 0.1;  // [m/s]
  double close_time = 0.0;      // [s] for closing; 0: what the way takes, and 0.2 s
  double lift = 0.0;            // [m] it then rises along z
  double lift_speed = 0.1;      // [m/s]
  double friction = 0.0;        // of fingers and pads
};
struct ParallelJawParts {
  int palm, left, right;        // bodies
  int left_touch, right_touch;  // what touches: pads that give, or the fingers
  int left_slide, right_slide;  // joints
  int motor;                    // actuator: its limit is twice the force
  double closes = 0.0;          // [s] when it begins to close
  double lifts = 0.0;           // [s] when it begins to lift
};
// Adds bodies gripper (the palm), left_finger and right_finger, and pads that give as left_pad and right_pad. Throws as
// add_pad.
ParallelJawParts add_parallel_jaw(SceneSpec& scene, const ParallelJaw& gripper);

}  // namespace pegrasp
