// SPDX-License-Identifier: Apache-2.0
// Every key of the problem file, by table. A key that is not here is misspelt; one that is here but that the reader did
// not ask for does not apply (a mass of a fixed body). docs/reference/problem-file.md explains each.
#pragma once

#include <string>
#include <vector>

namespace pegrasp {

using KeyList = std::vector<std::string>;

namespace keys {
extern const KeyList root, map, grid, axis, simulation, gravity, spatial_gravity, body, spatial_body, support, part,
    spatial_part, keyframe, space, spatial_keyframe, no_contact, friction, joint, actuator, program, urdf, group,
    uncertain, value, distribution, group_member, predicate;
}

}  // namespace pegrasp
