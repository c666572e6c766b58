// SPDX-License-Identifier: Apache-2.0
// The contents of a URDF file that a simulation needs: links with mass and collision geometry, and the joints between
// them. http://wiki.ros.org/urdf/XML
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/polyhedron.hpp"

namespace pegrasp {

struct UrdfShape {
  enum class Kind { box, cylinder, sphere, capsule, mesh };
  Kind kind = Kind::box;
  SpatialPose pose;     // in the link
  Vec3 size;            // of a box [m]; of a mesh its scale
  double radius = 0.0;  // [m]
  double length = 0.0;  // of a cylinder, or of a capsule between the centres of its ends, along z [m]
  std::string file;     // of a mesh, as the URDF names it
  int line = 0;
};

struct UrdfLink {
  std::string name;
  double mass = 0.0;      // [kg]; 0: none given
  SpatialPose centre;     // of mass, and the axes of the inertia
  InertiaTensor inertia;  // [kg m^2]
  std::vector<UrdfShape> shapes;
  int line = 0;
};

// coordinate = factor * coordinate of `joint` + offset
struct UrdfMimic {
  int joint = 0;
  double factor = 1.0;
  double offset = 0.0;  // [m | rad]
  int line = 0;
};

struct UrdfJoint {
  enum class Kind { fixed, revolute, prismatic };
  std::string name;
  Kind kind = Kind::fixed;
  int parent = 0;  // links
  int child = 0;
  SpatialPose origin;        // of the child, in the parent, where the coordinate is 0
  Vec3 axis{1.0, 0.0, 0.0};  // unit, in the child
  bool limited = false;      // a continuous joint is not
  double low = 0.0;          // [m | rad]
  double high = 0.0;
  double damping = 0.0;   // [N s/m | N m s/rad]
  double friction = 0.0;  // [N | N m]
  std::optional<UrdfMimic> mimic;
  int line = 0;
};

// Links and joints in the order of the file. Every link but the root is the child of one joint, and joints connect
// every link to the root.
struct UrdfRobot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  int root = 0;
};

// Whether this library was built with TinyXML-2.
bool reads_urdf();

// Reads a URDF text; `place` is the name of the file. Throws ShapeError: one line with the file, the line, the element
// and a remedy.
UrdfRobot read_urdf(const std::string& text, const std::string& place);

}  // namespace pegrasp
