// SPDX-License-Identifier: Apache-2.0
// When a scene ends, and whether what it ended as counts as success.
#pragma once

#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/planar/attempt.hpp"

namespace pegrasp::reference {

// How long what has to last has lasted [s].
struct Clocks {
  std::vector<double> predicate;  // (predicates) speed_below
  double still = 0.0;             // all dynamic bodies
};

// After a whole step. True when the scene has come to rest by the stop rule.
bool keep_clocks(const ReferenceScene& scene, const StepOptions& options, const Motion& motion,
                 const std::vector<char>& present, Clocks& clocks);

// Whether the success program holds; `initial`: poses at the start of the scene.
bool succeeded(const ReferenceScene& scene, const Motion& motion, const std::vector<Vector3>& initial,
               const Clocks& clocks);

}  // namespace pegrasp::reference
