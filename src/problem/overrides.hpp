// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/problem.hpp"
#include "src/text/document.hpp"

namespace pegrasp {

// Sets the value at a dotted path. Array elements are named by index (`friction.0.mu`, `friction[0].mu`) or by their
// `name` (`body.gear.mass_kg`). A quantity given in one unit replaces the same quantity in another.
void apply_override(Node& root, const Override& change, const std::string& origin);

}  // namespace pegrasp
