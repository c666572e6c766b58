// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// The summary with other times than the map's own: while the files are written the map cannot know yet how long that takes.
std::string summary_json(const SuccessMap& map, const Problem& problem, const MapTiming& timing);

}  // namespace pegrasp
