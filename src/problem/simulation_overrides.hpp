// SPDX-License-Identifier: Apache-2.0
// --set simulation.KEY=VALUE for a scene file. It has no [simulation] section; keys and checks are those of a problem
// file.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// Applies the overrides to options, arithmetic, and length scale and model of the scene. Values that no override sets
// stay as they are, also the time limit and the length scale. `origin` is the file name used in messages. Throws
// InputError, also for keys outside [simulation].
void override_simulation(const std::vector<Override>& overrides, const std::string& origin, StepOptions& options,
                         Arithmetic& arithmetic, SceneSpec& scene);

}  // namespace pegrasp
