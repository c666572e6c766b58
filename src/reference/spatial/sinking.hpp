// SPDX-License-Identifier: Apache-2.0
// Whether a step kept bodies out of each other, whatever its linearisations were.
#pragma once

#include <span>
#include <vector>

#include "src/reference/spatial/scene.hpp"

namespace pegrasp::reference::spatial {

// How much deeper [m] the worst pair of parts is in each other at the end of a step than at its start; 0 where none is. `start`, `end`:
// (bodies) frames.
double sinking(const SpatialScene& scene, std::span<const char> present, const std::vector<Placement>& start,
               const std::vector<Placement>& end);

}  // namespace pegrasp::reference::spatial
