// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp::cli {

// A map of any axes as a terminal shows it. One axis with several values: a line for each value, with p, its interval
// and a bar. Two: a heat map as heat_map() makes it. More: such a map for each combination of the values of the others,
// of which there are some at most.
std::string sweep_text(const SuccessMap& map, bool colour, int width);

}  // namespace pegrasp::cli
