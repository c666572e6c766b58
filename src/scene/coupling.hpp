// SPDX-License-Identifier: Apache-2.0
// What a coupling of two joints needs, for everything that reads or compiles one.
#pragma once

#include <optional>
#include <string>

#include "pegrasp/scene.hpp"

namespace pegrasp {

// What is wrong with a coupling of the scene, with a remedy, after "coupling ...: "; nothing if it is sound. Cycles are
// reported at the last of their couplings.
std::optional<std::string> coupling_fault(const SceneSpec& scene, std::size_t index);

// The coordinate [m or rad] that a revolute or prismatic joint starts with where the scene describes its bodies. In 3D
// a turn is within half a turn.
double start_coordinate(const SceneSpec& scene, const JointSpec& joint);

}  // namespace pegrasp
