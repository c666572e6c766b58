// SPDX-License-Identifier: Apache-2.0
// In 2D a scene is stepped as one.
#pragma once

#include "kernels/step/substeps.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Takes the scene to the end of the step. Returns false on a fault that ends the scene. watch: as of advance_by_parts.
template <class Team, class Watch>
PEGRASP_HD bool advance_all(Team& team, SceneView& s, const StepOptions& options, const Watch& watch) {
  return advance_by_parts(team, s, options, watch) != StepResult::failed;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
