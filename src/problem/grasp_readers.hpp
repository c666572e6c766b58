// SPDX-License-Identifier: Apache-2.0
// Readers of [grasps] and [protocol].
#pragma once

#include <optional>

#include "src/problem/gripper.hpp"
#include "src/problem/protocol.hpp"

namespace pegrasp {

// The protocol of a problem with [grasps]: its table [protocol], or the one that grasps.protocol names. Its resolved
// form goes to the root.
std::optional<Protocol> read_protocol_of(ReadContext& context, Section& root);

// Reads [grasps] into the problem's cells, and adds to the scene what the protocol asks for: motion of the gripper,
// motors of its fingers, pulls, what is measured and, where the problem has none of its own, success. The scene has the
// actuators of the file alone.
struct GivenGripper {
  std::vector<ActuatorSpec>& added;   // actuators to come, among them springs of pads, which are no fingers
  const GripperReadings& parametric;  // [gripper]: where grasps place it, the protocol moves and closes it
};
void read_grasp_cells(ReadContext& context, Section& root, const Protocol& protocol, const GivenGripper& given,
                      bool own_success, Problem& problem);

// Files of grasps may say the scale of the object's mesh. Where the problem gives its meshes none, they take that.
void take_object_scale(Node& document, const std::filesystem::path& folder);
// Warns where the problem's meshes have another scale than the file says.
void compare_object_scale(Node& document, Problem& problem);

// How a protocol moves and pulls: axes of the gripper, in which its vectors are. x is the closing axis, z the approach.
struct GripperAxes {
  Vec3 closing, approach;  // unit, base frame
  Vec3 operator()(Vec3 v) const;
};

// Where the gripper's base starts, seen from where it is when the fingers close: a shift along its axes, and one along
// the world's.
struct ProtocolStart {
  Vec3 own, world;  // [m]
};
ProtocolStart start_of(const Protocol& protocol, const GripperAxes& axes);

// Adds the protocol to the scene. fingers: joints, with the coordinates at which they are closed.
struct Finger {
  int joint = 0;
  double closed = 0.0, open = 0.0;
};
void add_protocol(const Protocol& protocol, const GripperAxes& axes, const Gripper& gripper, int part, bool own_success,
                  SceneSpec& scene);

}  // namespace pegrasp
