// SPDX-License-Identifier: Apache-2.0
// --set simulation.KEY=VALUE for a scene file, which has no such section: the keys and checks of a problem file's.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp {

// What is not set stays as it is: the time limit and the length scale are the scene's. length_scale [m], 0: derived.
// origin: file name used in messages. Throws InputError, for keys outside [simulation] as well.
void override_simulation(const std::vector<Override>& overrides, const std::string& origin, StepOptions& options,
                         Arithmetic& arithmetic, double& length_scale);

}  // namespace pegrasp
