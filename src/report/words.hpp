// SPDX-License-Identifier: Apache-2.0
// A problem in sentences.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"

namespace pegrasp::report {

// The scene, what is uncertain about it, when a trial succeeds, what the map moves, how it is simulated.
std::vector<std::string> problem_words(const Problem& problem);

// A condition of success; empty for a scene without one.
std::string success_words(const SceneSpec& scene);

}  // namespace pegrasp::report
