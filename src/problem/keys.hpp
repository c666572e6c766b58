// SPDX-License-Identifier: Apache-2.0
// Every key of the problem file, by table. Section refuses a key that is not in these lists as misspelt. It refuses a
// key that is in them, but that the reader did not ask for, as not applicable (the mass of a fixed body).
// docs/reference/problem-file.md explains each key.
#pragma once

#include <string>
#include <vector>

namespace pegrasp {

using KeyList = std::vector<std::string>;

namespace keys {
extern const KeyList root, map, samples_from, correlation, until, refine, grid, axis, map_axis, design, design_move,
    simulation, penalty, gravity, spatial_gravity, body, spatial_body, support, part, spatial_part, keyframe, space,
    spatial_keyframe, no_contact, friction, joint, joint_offset, coupling, spring, actuator, program, urdf, pad,
    gripper, group, uncertain, value, distribution, group_member, predicate, grasps, pose_error, protocol,
    protocol_phase, oscillation, shell;
}

}  // namespace pegrasp
