// SPDX-License-Identifier: Apache-2.0
// Robots from URDF files. Their links become bodies of the scene, and their joints become joints of the scene.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// The coordinate of a joint of the file at the start [m | rad].
struct UrdfStart {
  enum class Kind { any, turn, slide };  // what the joint must do
  std::string joint;
  double value = 0.0;
  Kind kind = Kind::any;
};

struct UrdfPlacement {
  std::string prefix;  // put before all names, with "_" between; empty: names are those of the file
  // The kind of the base, the link that no joint moves: fixed, kinematic or, for a free base, dynamic.
  BodyKind base = BodyKind::fixed;
  SpatialPose pose;                     // of the base
  std::vector<SpatialKeyframe> motion;  // of a kinematic base, instead of the pose
  std::vector<UrdfStart> joints;        // others are at 0
  double friction = 0.0;
  bool self_contact = true;      // the robot's bodies may touch each other, but for those that a joint connects
  int cylinder_sides = 16;       // cylinders become prisms whose corners lie on them
  bool exact_cylinders = false;  // or stay cylinders
  bool hull = false;             // the convex hulls of meshes in place of the meshes
  bool convexify = false;        // meshes are divided into convex parts
};

struct UrdfParts {
  int first_body = 0;  // of the scene; all behind it are the robot's
  // Damping and friction of joints, to be added behind the scene's own actuators.
  std::vector<ActuatorSpec> actuators;
  std::string fingerprint;  // of the file and all its meshes
};

// Adds the bodies and joints of a robot to the scene. Links that fixed joints connect become one body, which has the
// name and the frame of the link nearest to the base. Joint coordinates are those of the file. Throws ShapeError: one
// line that names the file, the element and a remedy.
UrdfParts add_urdf(SceneSpec& scene, const std::filesystem::path& file, const UrdfPlacement& placement);

}  // namespace pegrasp
