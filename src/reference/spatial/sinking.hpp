// SPDX-License-Identifier: Apache-2.0
// Measures whether a step kept bodies out of each other, whatever its linearisations were.
#pragma once

#include <span>
#include <vector>

#include "src/reference/spatial/scene.hpp"

namespace pegrasp::reference::spatial {

// The largest increase of overlap [m] of a pair of parts from the start of a step to its end; 0 if none increases.
// `start`, `end`: (bodies) frames.
double sinking(const SpatialScene& scene, std::span<const char> present, const std::vector<Placement>& start,
               const std::vector<Placement>& end);

}  // namespace pegrasp::reference::spatial
